// Variants by columns (architectures, versions of ptxas): what each became, and how that differs
// from a reference.
#pragma once

#include "analysis/compare/summary.h"
#include "core/base/table.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::compare {

struct MatrixCell {
  std::string problem;  // why there is no code: "needs sm_90, the target is sm_80"
  std::optional<CodeSummary> code;
  std::optional<std::size_t> loops = {};  // of a kernel of a file; nothing: not known
};

struct MatrixColumn {
  std::string name;           // as it is shown
  std::string target, ptxas;  // "sm_90a", "13.5.37"
};

// What each cell is compared with: the cell of one column in its row, or that of one variant in its
// column.
struct MatrixReference {
  std::optional<std::size_t> column, variant;  // exactly one of them
};

struct Matrix {
  std::vector<std::string> variants;
  std::vector<MatrixColumn> columns;
  std::vector<std::vector<MatrixCell>> cells;  // by variant, then by column
  MatrixReference reference;
  // Kernels of code files: counts and differences are those of whole kernels, as their timed loops
  // are unknown.
  bool of_files = false;

  // Null when the reference has no code.
  const CodeSummary* reference_of(std::size_t variant, std::size_t column) const;
  std::string reference_name() const;
};

// describe_change from its reference to a cell, describe_code_change for files; "reference" where
// it is itself, "" where one of them has no code.
std::string difference(const Matrix& matrix, std::size_t variant, std::size_t column);

// Text: a block for each variant, a line for each run of columns of which the same is to be said.
// Markdown: a row for each variant, a column for each column. CSV and HTML: a row for each cell.
// JSON: {"reference", "columns": [{"name", "target", "ptxas"}], "rows": [{"variant", "cells":
// [{"column", "problem", "text_hash", "code_class", "change": "" or a class as in diff_report.h,
// "difference", "features": null or see features_json.h}]}]}; of files {"reference", "columns":
// [name], "rows": [{"kernel", "cells": [null where a column does not have it, or the same with
// "loops" in the place of "problem"; with "lines": see line_table.h, where the code has them]}]}.
// Text and JSON alone show lines. "class" is the start of the hash of .text: cells with one
// class have one code.
std::string print_matrix(const Matrix& matrix, base::TableFormat format);

}  // namespace phasebit::compare
