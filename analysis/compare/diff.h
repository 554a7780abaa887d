// Two kernels side by side.
#pragma once

#include "analysis/compare/side.h"
#include "core/base/error.h"

#include <array>
#include <string>
#include <vector>

namespace phasebit::compare {

// How much of an instruction, or of a kernel, is different. Each of the first five includes those
// before it. `renamed` is exact: docs/decisions/renamed-registers.md. `data` is of kernels alone:
// equal instructions, but constants, relocations, callees or attributes are others, so that what
// they do may be anything (docs/decisions/sass-class.md).
enum class Change {
  identical,
  schedule,      // stall, yield, scoreboards, reuse
  renamed,       // registers have other numbers, and hold the same values
  operands,      // constants, other values, which predicate; where a branch goes
  instructions,  // another opcode, one more, one less, or another order
  data           // the same instructions, other data or attributes
};
inline constexpr std::array<const char*, 6> change_names = {"identical", "schedule",     "renamed",
                                                            "operands",  "instructions", "data"};
// Of rows: those without `data`.
inline constexpr std::size_t row_changes = 5;
std::string to_string(Change change);

struct DiffRow {
  int left = -1, right = -1;  // instructions; -1: only the other side has one
  Change change = Change::identical;
};

struct ChangeCounts {
  // Of the aligned instructions by change; those that only one side has.
  std::array<int, row_changes> aligned = {};
  int only_left = 0, only_right = 0;
  // Of only_left, and as many of only_right: the same verb and opcode, so they stand elsewhere.
  int moved = 0;
};

// One verb of one role over the whole kernel; "" is code without a verb.
struct VerbDiff {
  std::string verb;  // as verb_name
  ChangeCounts counts;
};

struct KernelDiff {
  // The largest of the rows; data where they are identical and what stands beside them is not.
  Change change = Change::identical;
  // What differs beside the instructions, a line each; empty between two SMs.
  std::vector<std::string> beside;
  // The same opcodes as often on both sides, whatever their order.
  bool same_census = false;
  ChangeCounts counts;
  std::vector<DiffRow> rows;    // in the order of both
  std::vector<VerbDiff> verbs;  // in the order of the rows
  flow::Features left, right;
};

// Aligned by verb and normalised opcode; one to one where the opcodes are the same one by one. The
// NOPs behind the last branch are left out. A branch is the same when its targets are aligned.
// Step::disassemble when a side has no instruction: nothing is never the same as anything.
Result<KernelDiff> diff_kernels(const DiffSide& left, const DiffSide& right);

}  // namespace phasebit::compare
