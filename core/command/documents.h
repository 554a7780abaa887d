// What a program prints for those who install it, from its own command line.
#pragma once

#include "core/command/man_page.h"

#include <CLI/CLI.hpp>

namespace phasebit::command {

// Adds --man-page and --completion SHELL, which --help does not show: parsing one ends like
// --version does, with the text as the CLI::CallForVersion.
void add_documents(CLI::App& app, const ManPageFacts& facts);

// A line for each exit code that an error of a step gives.
std::vector<std::pair<std::string, std::string>> step_exit_codes();

}  // namespace phasebit::command
