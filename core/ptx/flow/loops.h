// The natural loops of a flow graph: header and body, one for each header.
#pragma once

#include "core/ptx/flow/flow.h"

#include <vector>

namespace phasebit::ptx::flow {

struct PtxLoop {
  int header = 0;
  std::vector<int> blocks;  // in order, with the header
  bool holds(int block) const;
};

// Block by block.
std::vector<std::size_t> statements_of(const PtxFlow& flow, const PtxLoop& loop);

// Inner loops before those around them. A way back to a block that does not dominate it (a loop
// with two entries) makes no natural loop.
std::vector<PtxLoop> loops_of(const PtxFlow& flow);

// What goes round by some of the ways back of a loop and not by all of them, the largest first: a
// loop that begins where the one around it does.
std::vector<PtxLoop> loops_within(const PtxFlow& flow, const PtxLoop& loop);

// The first statements of blocks that begin such a loop: none that each turn passes.
std::vector<std::size_t> second_entries_of(const PtxFlow& flow);

// For each block whether it dominates the other: dominators[b][d].
std::vector<std::vector<bool>> dominators_of(const PtxFlow& flow);

}  // namespace phasebit::ptx::flow
