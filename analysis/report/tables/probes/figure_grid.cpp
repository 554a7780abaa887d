#include "analysis/report/tables/probes/figure_grid.h"

#include <algorithm>

namespace phasebit {

void FigureGrid::put(const std::vector<std::string>& row, const std::string& column,
                     Figure figure) {
  if (std::find(columns_.begin(), columns_.end(), column) == columns_.end()) return;
  rows_[row][column] = std::move(figure);
}

Table FigureGrid::table() const {
  std::vector<std::string> shown_columns;
  for (const std::string& column : columns_)
    if (std::any_of(rows_.begin(), rows_.end(),
                    [&](const auto& row) { return row.second.count(column) != 0; }))
      shown_columns.push_back(column);
  std::vector<std::vector<std::string>> keys;
  for (const auto& [key, figures] : rows_) keys.push_back(key);
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    for (size_t i = 0; i < titles_.size(); ++i)
      if (a[i] != b[i]) return value_before(any_.first_value(titles_[i]), a[i], b[i]);
    return false;
  });
  Table table;
  for (const std::string& title : titles_) table.columns.push_back({title, false});
  for (const std::string& column : shown_columns) table.columns.push_back({column, true});
  for (const auto& key : keys) {
    std::vector<Cell> cells;
    for (const std::string& word : key) cells.push_back(word);
    const auto& figures = rows_.at(key);
    for (const std::string& column : shown_columns) {
      const auto found = figures.find(column);
      cells.push_back(found == figures.end() ? Cell{"", {}, {}}
                                             : figure_cell(found->second, table.notes));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace phasebit
