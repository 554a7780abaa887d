// Makes a kernel smaller while something about it stays true: delta debugging over its statements.
// docs/decisions/reduce.md says why it goes this way.
#pragma once

#include "gen/reduce/flat_kernel.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace phasebit::reduce {

// For each candidate whether what is looked for is still there. A candidate that cannot be
// assembled is false. Asked with many at once, at most ReduceLimits::candidates.
using StillShows = std::function<std::vector<bool>(const std::vector<FlatKernel>& candidates)>;

struct ReduceLimits {
  std::function<bool()> out_of_time;  // asked before each call of StillShows; null: never
  std::size_t candidates = 256;       // of one call
};

struct ReducedKernel {
  FlatKernel kernel;       // for which StillShows said yes; the first where it never did
  bool finished = false;   // no single step makes it smaller; false: out of time
  std::size_t tried = 0;   // candidates
  std::size_t rounds = 0;  // calls of StillShows
};

// The same for the same answers: no randomness, no clock but out_of_time. `first` must show it.
ReducedKernel reduce(FlatKernel first, const StillShows& still_shows,
                     const ReduceLimits& limits = {});

}  // namespace phasebit::reduce
