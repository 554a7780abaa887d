// Kernels of code files side by side: a matrix of them, and which are one code.
#pragma once

#include "analysis/compare/matrix.h"
#include "analysis/compare/summary.h"
#include "analysis/foreign/module.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit {

struct CodeCell {
  std::string kernel;  // as the row is called
  std::string column;  // the file, the target, or both
  CodeSummary code;    // its features are of the whole kernel
  std::size_t loops = 0;
};

CodeCell code_cell(const ReadKernel& read, int sm, std::string kernel, std::string column);

// describe_change, by the opcodes of the whole kernel: "identical", "operands", "instructions:
// -BAR.SYNC x1, +MOV x2", "instructions: the same opcodes in another order".
std::string describe_code_change(const CodeSummary& left, const CodeSummary& right);

// A row for each kernel and a column for each file and target, in the order of the cells; each cell
// against the one of its row in the column `reference` (empty: the first column). Text: a block
// for each kernel, a line for each cell. Markdown: a table. JSON: {"reference", "columns", "rows":
// [{"kernel", "cells": [{"column", "text_hash", "code_class", "change", "difference", "loops",
// "features": null or see features_json.h}]}]}; a cell that a column does not have is null.
// Step::usage when there is no column of that name.
Result<std::string> print_code_matrix(const std::vector<CodeCell>& cells,
                                      const std::string& reference, MatrixFormat format);

// Kernels of one code on one SM together, in the order of their first; each but the first with the
// nearest before it, by how many opcodes they differ. JSON: [{"class", "text_hash", "code_class",
// "sm", "kernels": [{"kernel", "column"}], "features", "nearest": null or {"class", "change",
// "difference"}}].
std::string print_code_classes(const std::vector<CodeCell>& cells, bool json);

}  // namespace phasebit
