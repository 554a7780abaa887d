// What a program prints is written, or the program fails.
#pragma once

#include <functional>

namespace phasebit::command {

// The exit status of `body`; that of Step::io, with a message, where standard output is closed or
// what was printed could not be written (a full disk).
int with_standard_output(const char* program, const std::function<int()>& body);

}  // namespace phasebit::command
