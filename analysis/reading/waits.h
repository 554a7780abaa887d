// Which instructions a wait for a scoreboard is for.
#pragma once

#include "analysis/flow/flow.h"

#include <vector>

namespace phasebit::reading {

struct WaitSource {
  int scoreboard = 0;
  int instruction = 0;    // that sets it
  bool operands = false;  // released when its operands were read, not when its result is there
  int more = 0;           // others before it in its block, since the last wait for the scoreboard
};

// By instruction: for each scoreboard that it waits for, the nearest instruction on every path that
// leads to it; by scoreboard, then by address. `DEPBAR.LE SB0,0x0` waits for what its operand
// names. A path ends at another wait for the same scoreboard. Empty for an instruction that waits
// for nothing, or for what was set outside the kernel.
std::vector<std::vector<WaitSource>> find_wait_sources(const cubin::SassKernel& kernel,
                                                       const flow::FlowGraph& graph);

}  // namespace phasebit::reading
