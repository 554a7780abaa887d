// What may cause a difference in time: how the code that a turn runs differs.
#pragma once

#include "analysis/compare/diff.h"

#include <string>
#include <vector>

namespace phasebit::compare {

// The timed loop of one role, side by side.
struct LoopCause {
  std::string role;
  Change change = Change::identical;  // the largest of the rows that are hot on a side
  std::string opcodes;                // "+YIELD x1, -BSSY x1"; "" when both have the same
  flow::CodeCounts left, right;       // of the hot path
  std::uint32_t left_address = 0, right_address = 0;  // of the loop
};

struct Cause {
  // In the order of the roles; without the loops that one side does not have.
  std::vector<LoopCause> loops;
  std::vector<std::string> problems;  // "producer: no loop between the clock reads"
};

Cause find_cause(const reading::CodeSubject& left, const reading::CodeSubject& right,
                 const KernelDiff& diff);

// "consumer: +YIELD x1; 25 -> 26 instructions, 73 -> 78 issue cycles, 3 -> 3 scoreboard waits" a
// line for each loop whose hot path differs; else one line that says that none does, and whether
// the code is the same or where it lies.
std::vector<std::string> describe(const Cause& cause, const KernelDiff& diff);

}  // namespace phasebit::compare
