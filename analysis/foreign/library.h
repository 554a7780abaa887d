// Two builds of a file of code: its kernels by name, what became of each, what came and what went.
#pragma once

#include "analysis/compare/summary.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::foreign {

// Which kernels of code files are one code.

struct CodeCell {
  std::string kernel;                     // as the row is called
  std::string column;                     // the file, the target, or both
  compare::CodeSummary code;              // its features are of the whole kernel
  std::optional<std::size_t> loops = {};  // nothing: not known
};

// Kernels of one code on one SM together, in the order of their first; each but the first with the
// nearest before it, by how many opcodes they differ. JSON: [{"class", "text_hash", "code_class",
// "sm", "kernels": [{"kernel", "column"}], "features", "nearest": null or {"class", "change",
// "difference"}, "lines": see compare/line_table.h, where the code has them}].
std::string print_code_classes(const std::vector<CodeCell>& cells, bool json);

struct KernelPair {
  std::string kernel, target;                       // as the first side that has it is called
  std::optional<compare::CodeSummary> left, right;  // at least one
  std::optional<compare::Change> change;            // of those that both sides have
  std::string difference;                           // describe_code_change, without the class
};

struct LibraryDiff {
  std::string left, right;          // paths
  std::vector<KernelPair> kernels;  // those of the left in their order, then what was added
  // "identical" to "data": pairs by change.
  std::array<std::size_t, compare::change_names.size()> counts = {};
  std::size_t added = 0, removed = 0;
  // The largest change of the pairs that change_names has in its order, instructions where kernels
  // were added or removed.
  compare::Change change = compare::Change::identical;
};

// Kernels belong together by name (demangled, so that the hashes in names of static functions do
// not count) and by target, which does not count where each side has one target. Of several with
// one name those with one code belong together, the others in their order.
LibraryDiff diff_libraries(std::string left, const std::vector<CodeCell>& left_cells,
                           std::string right, const std::vector<CodeCell>& right_cells);

// The counts, then a line for each kernel that is not identical, the largest change first; with
// `all` the identical ones too. Long names are shortened unless they are asked for.
std::string library_as_text(const LibraryDiff& diff, bool all, bool full_names = false);
// {"schema", "left", "right": paths, "change", "counts": {change: pairs, "added", "removed"},
// "kernels":
// [{"kernel", "target", "change": a class, "added" or "removed", "difference", "left", "right":
// null or {"text_hash", "code_class", "features": see features_json.h}}]}.
std::string library_as_json(const LibraryDiff& diff);

}  // namespace phasebit::foreign
