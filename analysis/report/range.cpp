#include "analysis/report/range.h"

#include "analysis/report/data/figures.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace phasebit::report {

using table::Cell;

namespace {

bool is_figure(const Cell& cell) {
  return cell.value && cell.half_width;
}

struct Range {
  const Cell *lowest = nullptr, *highest = nullptr;
};

Range range_of(const table::Table& table, std::size_t column) {
  Range range;
  for (const auto& row : table.rows) {
    const Cell& cell = row[column];
    if (!is_figure(cell)) continue;
    if (range.lowest == nullptr || *cell.value < *range.lowest->value) range.lowest = &cell;
    if (range.highest == nullptr || *cell.value > *range.highest->value) range.highest = &cell;
  }
  return range;
}

std::string text_of(const Range& range) {
  const auto text = [](const Cell& cell) { return data::shown(*cell.value, *cell.half_width); };
  const std::string low = text(*range.lowest), high = text(*range.highest);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

bool has_figure(const std::vector<Cell>& row) {
  return std::any_of(row.begin(), row.end(), is_figure);
}

}  // namespace

Result<std::string> range_sentence(const table::Table& table) {
  std::vector<std::string> parts;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const Range range = range_of(table, column);
    if (range.lowest == nullptr) continue;
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

}  // namespace phasebit::report
