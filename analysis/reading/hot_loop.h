// The loop that a reader looks at first.
#pragma once

#include "analysis/reading/loops.h"

#include <optional>
#include <vector>

namespace phasebit::reading {

// By loop of `loops`: whether it only waits. Of its own instructions one is a try (SYNCS.PHASECHK,
// *TRY*), a sleep, or a load whose value decides whether the loop is left; and none computes with
// floats or matrices, stores, copies or arrives.
std::vector<bool> waiting_loops(const cubin::SassKernel& kernel, const CodeLoops& loops);

// The hottest loop, of `loops`: of those that do not only wait the deepest, of several that with
// the most issue cycles of its own, then with the most instructions, then the first. None where no
// loop is left.
std::optional<std::size_t> hottest_loop(const cubin::SassKernel& kernel, const CodeLoops& loops);

// How many loops are around each instruction.
std::vector<int> loop_depths(const cubin::SassKernel& kernel, const CodeLoops& loops);

}  // namespace phasebit::reading
