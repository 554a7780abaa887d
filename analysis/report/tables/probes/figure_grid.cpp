#include "analysis/report/tables/probes/figure_grid.h"

#include "analysis/report/data/row_flags.h"

#include <algorithm>

namespace phasebit::report::tables::probes {

void FigureGrid::put(const std::vector<std::string>& row, const std::string& column,
                     data::Figure figure) {
  if (std::find(columns_.begin(), columns_.end(), column) == columns_.end()) return;
  const std::string id = figure.id;
  const auto [cell, is_new] = rows_[row].emplace(column, std::move(figure));
  if (!is_new && collision_.empty())
    collision_ = fmt::format("{} and {} would stand in one cell", cell->second.id, id);
}

// The rows' names in the order in which they stand.
std::vector<std::vector<std::string>> FigureGrid::keys() const {
  std::vector<std::vector<std::string>> keys;
  for (const auto& [key, figures] : rows_) keys.push_back(key);
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    for (size_t i = 0; i < titles_.size(); ++i)
      if (a[i] != b[i]) return data::value_before(any_.first_value(titles_[i]), a[i], b[i]);
    return false;
  });
  return keys;
}

Result<table::Table> FigureGrid::table() const {
  if (!collision_.empty())
    return with_hint(fail(Step::usage, "{}", collision_),
                     "hold the axis in which they differ at a value");
  std::vector<std::string> shown_columns;
  for (const std::string& column : columns_)
    if (std::any_of(rows_.begin(), rows_.end(),
                    [&](const auto& row) { return row.second.count(column) != 0; }))
      shown_columns.push_back(column);
  table::Table table;
  for (const std::string& title : titles_) table.columns.push_back({title, false});
  for (const std::string& column : shown_columns) table.columns.push_back({column, true});
  std::vector<std::string> all_flags;
  for (const auto& key : keys()) {
    std::vector<table::Cell> cells;
    for (const std::string& word : key) cells.push_back(word);
    const auto& figures = rows_.at(key);
    data::RowFlags flags;
    for (const std::string& column : shown_columns) {
      const auto found = figures.find(column);
      cells.push_back(found == figures.end()
                          ? table::Cell{"", {}, {}}
                          : data::flagged_cell(column, found->second, flags, table.notes));
    }
    all_flags.push_back(flags.text());
    table.rows.push_back(std::move(cells));
  }
  data::add_flags_column(table, all_flags);
  return table;
}

}  // namespace phasebit::report::tables::probes
