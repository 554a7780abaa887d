// Finds the loops of a text that wait. docs/decisions/guard.md has the rule and its reasons.
#pragma once

#include "core/ptx/flow.h"
#include "core/ptx/loops.h"
#include "gen/guard/polls.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace phasebit {

// What a call of each function with a body gives back.
struct CallSummary {
  bool polls = false;  // a result depends on what it polled
  bool times = false;  // a result depends on a clock that it read, and not through a poll alone
};
using CallSummaries = std::map<std::string, CallSummary>;

CallSummaries summaries_of(const PtxFile& file);

struct Poll {
  std::size_t statement = 0;
  WaitKind kind = WaitKind::flag;
};

struct WaitLoop {
  PtxLoop loop;
  std::vector<Poll> polls;     // in it, without those of wait loops inside it
  std::vector<PtxJump> exits;  // all of them depend on a poll
};

// Natural loops each exit of which depends on a value that the loop polls. One that also leaves by
// a clock, by a count or not at all is none. Inner loops first.
std::vector<WaitLoop> wait_loops_of(const PtxFile& file, const PtxFlow& flow,
                                    const CallSummaries& summaries);

}  // namespace phasebit
