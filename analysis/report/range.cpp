#include "analysis/report/range.h"

#include "analysis/report/data/figures.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace phasebit {
namespace {

struct Range {
  double low = 0, high = 0, half_width = 0;
  std::size_t figures = 0;
};

Range range_of(const Table& table, std::size_t column) {
  Range range;
  for (const auto& row : table.rows) {
    const Cell& cell = row[column];
    if (!cell.value || !cell.half_width) continue;
    range.low = range.figures == 0 ? *cell.value : std::min(range.low, *cell.value);
    range.high = range.figures == 0 ? *cell.value : std::max(range.high, *cell.value);
    range.half_width = std::max(range.half_width, *cell.half_width);
    ++range.figures;
  }
  return range;
}

// With the digits of the precise end: a wide interval of one row takes none from the others.
std::string text_of(const Range& range) {
  const std::string low = shown(range.low, 0), high = shown(range.high, range.half_width);
  return range.low == range.high ? low : fmt::format("{} to {}", low, high);
}

bool has_figure(const std::vector<Cell>& row) {
  return std::any_of(row.begin(), row.end(),
                     [](const Cell& cell) { return cell.value && cell.half_width; });
}

}  // namespace

Result<std::string> range_sentence(const Table& table) {
  std::vector<std::string> parts;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const Range range = range_of(table, column);
    if (range.figures == 0) continue;
    parts.push_back(fmt::format("**{}**{} {}", text_of(range), parts.empty() ? " cycles" : "",
                                table.columns[column].title));
  }
  if (parts.empty()) return fail(Step::usage, "the table has no figures");
  const auto without = std::count_if(table.rows.begin(), table.rows.end(),
                                     [](const auto& row) { return !has_figure(row); });
  const std::string rest =
      without == 0 ? ""
                   : fmt::format("; without a figure: {} of {} rows", without, table.rows.size());
  return fmt::format("{}{}.", fmt::join(parts, ", "), rest);
}

}  // namespace phasebit
