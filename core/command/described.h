// A program's command line as plain values: what the man page and the completions are made from, so
// that both say what --help says.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace phasebit::command {

struct DescribedOption {
  std::vector<std::string> names;  // "-t", "--target"; of a positional its name alone: "variant"
  std::string value;               // "TEXT", "INT:POSITIVE"; "" for a flag
  std::string help;
  std::string default_value;  // "" for none
  bool positional = false, required = false;
  bool takes_value() const { return !value.empty(); }
};

struct DescribedCommand {
  std::vector<std::string> path;  // {"phasebit", "sass", "show"}
  std::string help, footer;
  std::vector<DescribedOption> options;
  std::vector<DescribedCommand> commands;
  std::string name() const;  // "phasebit sass show"
};

// Options of an empty group are for the program itself and are left out.
DescribedCommand describe(const CLI::App& app);

// The command itself and all below it, in their order.
std::vector<const DescribedCommand*> all_commands(const DescribedCommand& program);

}  // namespace phasebit::command
