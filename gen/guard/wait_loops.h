// Finds the loops of a text that wait. docs/decisions/guard.md has the rule and its reasons.
#pragma once

#include "core/ptx/flow/flow.h"
#include "gen/guard/polls.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::guard {

struct Poll {
  std::size_t statement = 0;
  launch::WaitKind kind = launch::WaitKind::flag;
  bool echo = false;  // an ordinary load of what a thread stored of its poll
};

struct WaitLoop {
  ptx::flow::PtxLoop loop;
  std::vector<Poll> polls;  // in it, without those of wait loops inside it
  std::vector<ptx::flow::PtxJump>
      exits;  // each depends on a poll, or on what never changes in the loop
};

// A loop that may be a wait, which nothing shows.
struct UnboundLoop {
  std::size_t statement = 0;  // where it begins
  std::string why;            // "the loop ...; not guarded because ..."
};

struct FoundLoops {
  std::vector<WaitLoop> waits;  // inner loops first
  std::vector<UnboundLoop> unbound;
};

// A wait is a natural loop each exit of which depends on a value that the loop polls, and on
// nothing that bounds it: a clock, a count. An ordinary load is a poll too where its address stays
// and the loop does not write there; then nothing else that changes may decide an exit.
FoundLoops wait_loops_of(const ptx::PtxFile& file, const ptx::flow::PtxFlow& flow,
                         const CallSummaries& summaries);

// What the value of a poll is compared with: each setp of the loop that reads it, and its other
// operand.
std::vector<std::pair<std::size_t, std::string>> comparisons_of(const ptx::PtxFile& file,
                                                                const ptx::flow::PtxFlow& flow,
                                                                const ptx::flow::PtxLoop& loop,
                                                                std::size_t poll);

}  // namespace phasebit::guard
