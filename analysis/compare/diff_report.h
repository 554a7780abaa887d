// A difference for people and for programs.
#pragma once

#include "analysis/compare/diff.h"

#include <string>

namespace phasebit::compare {

struct DiffView {
  bool all = false;  // every row; else those that differ, with `context` rows around them
  int context = 2;
};

// "=" identical, "s" schedule, "r" registers renamed, "o" operands, "x" other opcode, "<" and ">"
// one side only.
char mark_of(const DiffRow& row);

// Both sides and how they differ, then a row for each verb, each timed loop and each instruction:
// address, control fields and instruction of the left, a mark, the same of the right, the verb.
std::string diff_as_text(const DiffSide& left, const DiffSide& right, const KernelDiff& diff,
                         const DiffView& view);

// {"left", "right": {"name", "sm", "entry", "text_hash", "code_class", "features": see
// features_json.h},
//  "change": "identical" | "schedule" | "renamed" | "operands" | "instructions" | "data",
//  "beside": [what differs beside the instructions: "registers: 40 -> 32"],
//  "same_census": whether both have the same opcodes as often,
//  "counts": {"identical", "schedule", "renamed", "operands", "instructions": aligned rows by
//             change,
//             "only_left", "only_right", "moved": pairs of these that have one verb and opcode},
//  "verbs": [{"verb": "consumer.wait", "counts"}],
//  "rows": [{"change", "left", "right": null or {"address", "predicate", "opcode", "operands",
//            "word", "stall_cycles", "yield", "write_scoreboard", "read_scoreboard", "wait_mask",
//            "reuse", "verb"}}]}
std::string diff_as_json(const DiffSide& left, const DiffSide& right, const KernelDiff& diff);

// What the right has more (+) and less (-) of: "+BAR.ARV x1, -MEMBAR.ALL.CTA x2"; "" when nothing.
std::string opcode_changes(const flow::CodeCounts& left, const flow::CodeCounts& right);

}  // namespace phasebit::compare
