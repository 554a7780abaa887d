// Completion scripts for shells, from a program's command line.
#pragma once

#include "core/base/error.h"
#include "core/command/described.h"

#include <string>

namespace phasebit::command {

// `shell` is bash, zsh or fish. The script completes commands, options and, where an option or
// argument takes a value, file names. Step::usage for another shell, with the nearest.
Result<std::string> completion_script(const DescribedCommand& program, const std::string& shell);

}  // namespace phasebit::command
