// Reading a command line, with errors that help.
#pragma once

#include "core/base/error.h"

#include <CLI/CLI.hpp>

namespace phasebit::base {

// What is wrong with a line that `app` did not take: in the words of the command it came to, with
// the nearest option or command for a word that is none. Step::usage.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace phasebit::base
