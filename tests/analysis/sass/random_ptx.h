// Kernels by chance: every instruction takes what chance gave it, so each schedule is one
// that ptxas had to get right.
#pragma once

#include <string>

namespace phasebit::test {

// A PTX module for sm_75 and later of `kernels` entries with about
// `statements` statements each: integer, float, conversions, shuffles, votes, shared and global
// memory, in straight code, loops and branches. The same for the same numbers, on every machine.
std::string random_module(int kernels, int statements);

}  // namespace phasebit::test
