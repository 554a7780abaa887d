// Loops that look at memory until it says something.
#pragma once

#include "analysis/cubin/instruction.h"

#include <vector>

namespace phasebit::flow {

// By instruction: loads (shared, generic or global) inside a loop that is left, or not, by what
// they read: the value comes to a branch out of it through registers and predicates, whatever is
// computed on the way. An atomic's result is its own. A loop over data, left by a count, has no
// such register. All false where the flow graph cannot be built.
std::vector<bool> find_spins(const cubin::SassKernel& kernel);

}  // namespace phasebit::flow
