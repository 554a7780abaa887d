// The loops of a flow graph.
#pragma once

#include "analysis/flow/flow.h"

#include <vector>

namespace phasebit::flow {

struct Loop {
  int header = 0;
  std::vector<bool> contains;  // by block
  int size = 0;                // blocks
  int depth = 1;               // 1 = outermost
  // Entered after its header too: ptxas 12.4 to 12.6 put the first try of a wait before the loop
  // and jump to the code after the wait.
  bool side_entry = false;
};

struct LoopNest {
  std::vector<Loop> loops;  // outer ones before those inside them
  std::vector<int> depth;   // by block: number of loops around it
  // Cycles that are entered in two places and cross each other, so that none of their headers is
  // the one: no loops here, and the blocks that they run through are marked.
  std::vector<bool> irreducible;
};

// A cycle that is entered in two places is a loop when all jumps back in it that are not those of a
// natural loop go to one block, which is its header. Loops of one header are merged, except where
// one of them lies inside the other: a retry at the head of a larger loop.
LoopNest find_loops(const FlowGraph& graph);

}  // namespace phasebit::flow
