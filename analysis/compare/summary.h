// What is kept of one kernel when there are thousands of them.
#pragma once

#include "analysis/compare/diff.h"
#include "core/base/table.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::compare {

// Hashes of a kernel's instructions in their order, without the NOPs after the last branch.
struct CodeSignature {
  std::string opcodes;   // with whether there is a predicate
  std::string operands;  // and which predicate; as compared on one SM
  std::string named;     // the same as compared across SMs
  std::string controls;
  std::string renamed, renamed_named;  // of operands and named: renaming_hash
};
CodeSignature signature_of(const cubin::SassKernel& kernel);

// Instructions of one source line, wherever they are; the line "" has those without.
struct LineSummary {
  std::string line;  // "k.cu:12"
  flow::CodeCounts counts;
};

// By file and line; the instructions without a line come last.
std::vector<LineSummary> summarise_lines(const reading::CodeSubject& subject);

struct CodeSummary {
  int sm = 0;
  std::string text_hash;
  cubin::CodeClass code;
  CodeSignature signature;
  flow::Features features;
  std::vector<LineSummary> lines = {};  // by file and line, where they were asked for
};
// Without lines; with a target as reading::features_of.
CodeSummary summarise(const reading::CodeSubject& subject,
                      const std::optional<isa::Target>& target = {});

// The class of change between two kernels: that of diff_kernels, without the rows.
Change change_between(const CodeSummary& left, const CodeSummary& right);

// "identical", "schedule", "renamed", "operands", "data: registers: 40 -> 32", or "instructions:
// -MEMBAR.ALL.CTA x1, +FENCE.VIEW.ASYNC.S x1": what the right has less and more of on the hot paths
// of the timed loops. Where these have the same opcodes, their issue cycles: "instructions: the hot
// paths have the same opcodes, 130 -> 118 issue cycles". Then the order differs, or code elsewhere.
std::string describe_change(const CodeSummary& left, const CodeSummary& right);

// The same by the opcodes of the whole kernel: "instructions: the same opcodes in another order".
std::string describe_code_change(const CodeSummary& left, const CodeSummary& right);

// The hot code of all timed loops together.
flow::CodeCounts hot_code(const flow::Features& features);

// What became of each source line, of kernels that were summarised with their lines.

// A row for each line that any of them has, by file and number, code without a line last;
// instructions/issue cycles by column. Nothing where none has lines.
std::optional<base::Table> line_table(
    const std::vector<std::pair<std::string, const CodeSummary*>>& columns);

// "k.cu:4 9 -> 12, k.cu:7 0 -> 3": instructions of the lines that have more or less, those with the
// most first; "" where all have as many. Of many the first dozen, and how many more there are.
std::string line_changes(const CodeSummary& from, const CodeSummary& to);

// [{"line", "counts"}].
nlohmann::ordered_json lines_as_json(const CodeSummary& code);

}  // namespace phasebit::compare
