// Dominators and natural loops of a flow graph.
#pragma once

#include "analysis/sass/flow.h"

#include <vector>

namespace phasebit {

struct Loop {
  int header = 0;
  std::vector<bool> contains;  // by block
  int size = 0;                // blocks
  int depth = 1;               // 1 = outermost
};

struct LoopNest {
  std::vector<Loop> loops;  // outer ones before those inside them
  std::vector<int> depth;   // by block: number of loops around it
  // A cycle that is entered in two places has no header, and no loop here. Blocks that such a cycle
  // would run through are marked.
  std::vector<bool> irreducible;
};

// Immediate dominator of each block; -1 for the entry and for what cannot be reached from it.
std::vector<int> immediate_dominators(const FlowGraph& graph);

// Loops of one header are merged, except where one of them lies inside the other: a retry at the
// head of a larger loop.
LoopNest find_loops(const FlowGraph& graph);

}  // namespace phasebit
