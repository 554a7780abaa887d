// What a program prints for those who install it, from its own command line.
#pragma once

#include "core/base/error.h"

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace phasebit::base {

// A program's command line as plain values: what the man page and the completions are made from, so
// that both say what --help says.

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

// A program's manual page, from its command line.

struct ManPageFacts {
  std::string version;                                           // "0.1.0"
  std::string about;                                             // one line, after the name
  std::vector<std::pair<std::string, std::string>> environment;  // variable and what it does
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::pair<std::string, std::string>> exit_codes;
};

// roff for man(1), section 1.
std::string man_page(const DescribedCommand& program, const ManPageFacts& facts);

// Adds --man-page and --completion SHELL, which --help does not show: parsing one ends like
// --version does, with the text as the CLI::CallForVersion.
void add_documents(CLI::App& app, const ManPageFacts& facts);

// A line for each exit code that an error of a step gives.
std::vector<std::pair<std::string, std::string>> step_exit_codes();

// Completion scripts for shells, from a program's command line.

// `shell` is bash, zsh or fish. The script completes commands, options and, where an option or
// argument takes a value, file names. Step::usage for another shell, with the nearest.
Result<std::string> completion_script(const DescribedCommand& program, const std::string& shell);

}  // namespace phasebit::base
