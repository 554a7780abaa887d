// Two kernels side by side.
#pragma once

#include "analysis/reading/subject.h"
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
  // Of only_left, and as many of only_right: the same verb and opcode, so they are elsewhere.
  int moved = 0;
};

// One verb of one role over the whole kernel; "" is code without a verb.
struct VerbDiff {
  std::string verb;  // as verb_name
  ChangeCounts counts;
};

struct KernelDiff {
  // The largest of the rows; data where they are identical and what else there is, is not.
  Change change = Change::identical;
  // What differs besides the instructions, a line each; empty between two SMs.
  std::vector<std::string> outside_text;
  // The same opcodes as often on both sides, whatever their order.
  bool same_census = false;
  ChangeCounts counts;
  std::vector<DiffRow> rows;    // in the order of both
  std::vector<VerbDiff> verbs;  // in the order of the rows
  flow::Features left, right;
};

// Aligned by verb and normalised opcode; one to one where the opcodes are the same one by one. The
// NOPs after the last branch are left out. A branch is the same when its targets are aligned.
// Step::disassemble when a side has no instruction: nothing is never the same as anything.
Result<KernelDiff> diff_kernels(const reading::CodeSubject& left,
                                const reading::CodeSubject& right);

// A difference for people and for programs.

struct DiffView {
  bool all = false;  // every row; else those that differ, with `context` rows around them
  int context = 2;
};

// "=" identical, "s" schedule, "r" registers renamed, "o" operands, "x" other opcode, "<" and ">"
// one side only.
char mark_of(const DiffRow& row);

// Both sides and how they differ, then a row for each verb, each timed loop and each instruction:
// address, control fields and instruction of the left, a mark, the same of the right, the verb.
std::string diff_as_text(const reading::CodeSubject& left, const reading::CodeSubject& right,
                         const KernelDiff& diff, const DiffView& view);

// {"left", "right": {"name", "sm", "entry", "text_hash", "code_class", "features": see
// features_json.h},
//  "change": "identical" | "schedule" | "renamed" | "operands" | "instructions" | "data",
//  "beside": [what differs besides the instructions: "registers: 40 -> 32"],
//  "same_census": whether both have the same opcodes as often,
//  "counts": {"identical", "schedule", "renamed", "operands", "instructions": aligned rows by
//             change,
//             "only_left", "only_right", "moved": pairs of these that have one verb and opcode},
//  "verbs": [{"verb": "consumer.wait", "counts"}],
//  "rows": [{"change", "left", "right": null or {"address", "predicate", "opcode", "operands",
//            "word", "stall_cycles", "yield", "write_scoreboard", "read_scoreboard", "wait_mask",
//            "reuse", "verb"}}]}
std::string diff_as_json(const reading::CodeSubject& left, const reading::CodeSubject& right,
                         const KernelDiff& diff);

// What the right has more (+) and less (-) of: "+BAR.ARV x1, -MEMBAR.ALL.CTA x2"; "" when nothing.
std::string opcode_changes(const flow::CodeCounts& left, const flow::CodeCounts& right);

}  // namespace phasebit::compare
