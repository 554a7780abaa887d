// What a program prints is written, or the program fails.
#pragma once

#include "core/base/error.h"

#include <functional>

namespace phasebit::base {

// Says on standard error why the program ends, and returns its exit status.
int complain(const char* program, const Error& error);

// The exit status of `body`; that of Step::io, with a message, where standard output is closed or
// what was printed could not be written (a full disk).
int with_standard_output(const char* program, const std::function<int()>& body);

}  // namespace phasebit::base
