// Command lines: the options that several commands have, and the groups of commands.
#pragma once

#include "cli/commands.h"

#include <functional>

#include <CLI/CLI.hpp>

namespace phasebit {

// The command that the line chose.
using Chosen = std::function<Status()>;

// Of a number: 1 or more.
const CLI::Validator& at_least_one();

void add_space(CLI::App& app, SpaceRequest& space);
// --toolchain as an axis of the variants.
void add_toolchain(CLI::App& app, SpaceRequest& space);
void add_tools(CLI::App& app, ToolOptions& tools);

struct SassOptions {
  SassShowOptions show;
  SassDiffOptions diff;
  SassHistoryOptions history;
  SassMatrixOptions matrix;
  SassPageOptions page;
  SassClassesOptions classes;
  SassGateOptions gate;
  SassReduceOptions reduce;
  int exit_status = 0;  // of a command that succeeds: 1 where --fail-on says so
};
// `phasebit sass ...`
void add_sass(CLI::App& app, SassOptions& options, Chosen& chosen);

}  // namespace phasebit
