// What became of each source line, of kernels that were summarised with their lines.
#pragma once

#include "analysis/compare/summary.h"
#include "core/table/table.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::compare {

// A row for each line that any of them has, by file and number, code without a line last;
// instructions/issue cycles by column. Nothing where none has lines.
std::optional<table::Table> line_table(
    const std::vector<std::pair<std::string, const CodeSummary*>>& columns);

// "k.cu:4 9 -> 12, k.cu:7 0 -> 3": instructions of the lines that have more or less, those with the
// most first; "" where all have as many. Of many the first dozen, and how many more there are.
std::string line_changes(const CodeSummary& from, const CodeSummary& to);

// [{"line", "counts"}].
nlohmann::ordered_json lines_as_json(const CodeSummary& code);

}  // namespace phasebit::compare
