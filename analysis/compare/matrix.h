// Variants by columns (architectures, versions of ptxas): what each became, and how that differs
// from a reference.
#pragma once

#include "analysis/compare/summary.h"
#include "core/base/error.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit {

struct MatrixCell {
  std::string problem;  // why there is no code: "needs sm_90, the target is sm_80"
  std::optional<CodeSummary> code;
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

  // Null when the reference has no code.
  const CodeSummary* reference_of(std::size_t variant, std::size_t column) const;
  std::string reference_name() const;
};

// describe_change from its reference to a cell; "reference" where it is itself, "" where one of
// them has no code.
std::string difference(const Matrix& matrix, std::size_t variant, std::size_t column);

enum class MatrixFormat { text, markdown, json };

// Text: a block for each variant, a line for each run of columns of which the same is to be said.
// Markdown: a row for each variant, a column for each column. JSON: {"reference", "columns":
// [{"name", "target", "ptxas"}], "rows": [{"variant", "cells": [{"column", "problem", "text_hash",
// "code_class", "change": "" or a class as in diff_report.h, "difference", "features": null or see
// features_json.h}]}]}. "class" is the start of the hash of .text: cells with one class have one
// code.
std::string print_matrix(const Matrix& matrix, MatrixFormat format);

}  // namespace phasebit
