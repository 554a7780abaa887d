// Options that several commands of `phasebit sass` have.
#pragma once

#include "app/arguments.h"

namespace phasebit::app {

// Which line instructions of inlined code have.
void add_source(CLI::App& command, std::string& source);
// The same, of commands that count by line only when it is given.
void add_source_lines(CLI::App& command, std::string& source);
// What to show of a listing, and next to it.
void add_reading(CLI::App& command, join::sass::SassShowRequest& options);
// Code files in the place of variants.
void add_files(CLI::App& command, std::vector<std::string>& files, std::string& kernel);

}  // namespace phasebit::app
