// Which kernels of code files are one code.
#pragma once

#include "analysis/compare/summary.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::foreign {

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

}  // namespace phasebit::foreign
