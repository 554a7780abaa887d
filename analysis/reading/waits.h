// Which instructions a wait for a scoreboard is for.
#pragma once

#include "analysis/flow/flow.h"
#include "analysis/flow/window.h"

#include <string>
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

// How long before its wait each result of a turn is asked for.

// Instructions of one opcode of one verb on the path of a turn whose result a scoreboard tells.
struct Slack {
  std::string verb, opcode;  // "consumer.drain", "LDS.128"
  int count = 0;
  // Sum of the stall counts from each to the first instruction after it, in this turn or the next,
  // that waits for its scoreboard: what of its latency other work covers at least. Without those
  // that are not waited for.
  int issue_cycles = 0;
  double mean() const { return static_cast<double>(issue_cycles) / count; }
};

// By verb and opcode.
std::vector<Slack> slack_of(const cubin::SassKernel& kernel, const launch::SourceMap& source,
                            const std::vector<flow::RoleWindow>& windows);

}  // namespace phasebit::reading
