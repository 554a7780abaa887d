// How long before somebody waits for it each result of a turn is asked for.
#pragma once

#include "analysis/flow/window.h"

#include <string>
#include <vector>

namespace phasebit::reading {

// Instructions of one opcode of one verb on the path of a turn whose result a scoreboard tells.
struct Slack {
  std::string verb, opcode;  // "consumer.drain", "LDS.128"
  int count = 0;
  // Sum of the stall counts from each to the first instruction behind it, in this turn or the next,
  // that waits for its scoreboard: what of its latency other work covers at least. Without those
  // that nobody waits for.
  int issue_cycles = 0;
  double mean() const { return static_cast<double>(issue_cycles) / count; }
};

// By verb and opcode.
std::vector<Slack> slack_of(const cubin::SassKernel& kernel, const image::SourceMap& source,
                            const std::vector<flow::RoleWindow>& windows);

}  // namespace phasebit::reading
