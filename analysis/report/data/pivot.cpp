#include "analysis/report/data/pivot.h"

#include "analysis/report/data/axes.h"
#include "analysis/report/data/row_flags.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace phasebit::report::data {

using table::Cell;

namespace {

constexpr const char *trip_title = "round trip", *loop_title = "with its loop";

using RowKey = std::vector<std::string>;

// Whether a value is one of "barrier|try_wait".
bool is_one_of(const std::string& values, const std::string& value) {
  std::istringstream words(values);
  for (std::string word; std::getline(words, word, '|');)
    if (word == value) return true;
  return values == value;
}

bool holds(const VariantAxes& axes, const PivotRequest& request, const std::string& probe,
           const std::map<std::string, std::string>& where, const std::string& free_axis) {
  if (axes.value("probe") != probe) return false;
  std::set<std::string> free = {"probe", free_axis};
  for (const std::string& column : request.rows)
    for (const std::string& axis : axes.axes_of_column(column)) free.insert(axis);
  for (const auto& [axis, value] : where) {
    if (!is_one_of(value, axes.column(axis))) return false;
    for (const std::string& named : axes.axes_of_column(axis)) free.insert(named);
  }
  const auto named = axes.named();
  return std::all_of(named.begin(), named.end(),
                     [&](const auto& axis) { return free.count(axis.first) != 0; });
}

RowKey row_key(const VariantAxes& axes, const PivotRequest& request) {
  RowKey key;
  for (const std::string& column : request.rows) key.push_back(axes.column(column));
  return key;
}

// Where a column that stands for several axes orders by them, not by its text.
struct Row {
  RowKey key;
  VariantAxes axes;
  std::map<std::string, const Aggregate*> cells;  // by the value across
  const Aggregate *round_trip = nullptr, *trip_with_loop = nullptr;
};

bool row_before(const Row& a, const Row& b, const PivotRequest& request) {
  for (const std::string& column : request.rows) {
    const std::vector<std::string> axes = a.axes.axes_of_column(column);
    // Columns that stand for other axes have only their texts in common.
    if (axes != b.axes.axes_of_column(column)) {
      const std::string x = a.axes.column(column), y = b.axes.column(column);
      if (x != y) return x < y;
      continue;
    }
    for (const std::string& axis : axes) {
      const std::string x = a.axes.value(axis), y = b.axes.value(axis);
      if (x != y) return value_before(a.axes.first_value(axis), x, y);
    }
  }
  return a.key < b.key;
}

// Two variants for one cell: what they differ in, and what to do about it.
tl::unexpected<Error> collision(const Aggregate& one, const Aggregate& other) {
  std::vector<std::string> differ;
  for (const VariantAxes* axes : {&one.axes, &other.axes})
    for (const auto& [axis, value] : axes->named())
      if (one.axes.value(axis) != other.axes.value(axis) &&
          std::find(differ.begin(), differ.end(), axis) == differ.end())
        differ.push_back(axis);
  return with_hint(fail(Step::usage, "{} and {} would stand in one cell", one.id, other.id),
                   fmt::format("{} is not shown: name it in rows=, or hold it at a value",
                               fmt::join(differ, ", ")));
}

Result<std::vector<Row>> rows_of(const std::vector<Aggregate>& points,
                                 const PivotRequest& request) {
  std::vector<Row> rows;
  for (const Aggregate& point : points) {
    const VariantAxes& axes = point.axes;
    if (!holds(axes, request, request.probe, request.where, request.across)) continue;
    const std::string value = axes.value(request.across);
    if (std::find(request.across_values.begin(), request.across_values.end(), value) ==
        request.across_values.end())
      continue;
    const RowKey key = row_key(axes, request);
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.key == key; });
    if (row == rows.end()) row = rows.insert(row, {key, axes, {}, nullptr, nullptr});
    const auto [cell, is_new] = row->cells.emplace(value, &point);
    if (!is_new) return collision(*cell->second, point);
  }
  std::sort(rows.begin(), rows.end(),
            [&](const Row& a, const Row& b) { return row_before(a, b, request); });
  return rows;
}

// A token has no payload and no work, and one slot.
Result<std::map<RowKey, const Aggregate*>> round_trips(const std::vector<Aggregate>& points,
                                                       const PivotRequest& keys) {
  auto where = keys.where;
  where["mover"] = where["work"] = "none";
  std::map<RowKey, const Aggregate*> trips;
  for (const Aggregate& point : points) {
    const VariantAxes& axes = point.axes;
    if (!holds(axes, keys, "handoff", where, "num_stages")) continue;
    const auto [trip, is_new] = trips.emplace(row_key(axes, keys), &point);
    if (!is_new) return collision(*trip->second, point);
  }
  return trips;
}

Status add_round_trips(const Aggregation& all, const PivotRequest& request,
                       std::vector<Row>& rows) {
  PivotRequest keys = request;
  std::erase(keys.rows, "mover");
  std::erase(keys.rows, "work");
  PHASEBIT_TRY_ASSIGN(alone, round_trips(all.alone, keys));
  PHASEBIT_TRY_ASSIGN(with_loop, round_trips(all.points, keys));
  const auto find = [](const std::map<RowKey, const Aggregate*>& trips, const RowKey& key) {
    const auto trip = trips.find(key);
    return trip == trips.end() ? nullptr : trip->second;
  };
  for (Row& row : rows) {
    const RowKey key = row_key(row.axes, keys);
    row.round_trip = find(alone, key);
    row.trip_with_loop = find(with_loop, key);
  }
  return {};
}

Cell class_cell(const Row& row, const std::string& value) {
  const auto at = row.cells.find(value);
  return at == row.cells.end() ? "" : at->second->sass_class.substr(0, 8);
}

std::string across_title(const PivotRequest& request, const std::string& value) {
  if (request.across != "num_stages") return fmt::format("{}={}", request.across, value);
  return value == "1" ? "1 stage" : value + " stages";
}

std::string row_title(std::string column) {
  std::replace(column.begin(), column.end(), '_', ' ');
  return column;
}

}  // namespace

namespace {

std::vector<table::Column> columns_of(const PivotRequest& request) {
  std::vector<table::Column> columns;
  for (const std::string& column : request.rows) columns.push_back({row_title(column), false});
  if (request.round_trip) {
    columns.push_back({trip_title, true});
    columns.push_back({loop_title, true});
  }
  for (const std::string& value : request.across_values)
    columns.push_back({across_title(request, value), true});
  if (!request.class_of.empty()) columns.push_back({"SASS class", false});
  return columns;
}

}  // namespace

Result<table::Table> pivot(const Aggregation& all, const PivotRequest& request) {
  PHASEBIT_TRY_ASSIGN(rows, rows_of(request.without_loop ? all.alone : all.points, request));
  if (request.round_trip) PHASEBIT_TRY(add_round_trips(all, request, rows));
  table::Table table;
  table.columns = columns_of(request);
  std::vector<std::string> all_flags;
  for (const Row& row : rows) {
    std::vector<Cell> cells;
    RowFlags flags;
    const auto add = [&](const std::string& column, const Aggregate* point) {
      cells.push_back(point == nullptr
                          ? Cell{"", {}, {}}
                          : flagged_cell(column, figure_of(*point), flags, table.notes));
    };
    for (const std::string& word : row.key) cells.emplace_back(word);
    if (request.round_trip) {
      add(trip_title, row.round_trip);
      add(loop_title, row.trip_with_loop);
    }
    for (const std::string& value : request.across_values) {
      const auto at = row.cells.find(value);
      add(across_title(request, value), at == row.cells.end() ? nullptr : at->second);
    }
    if (!request.class_of.empty()) cells.push_back(class_cell(row, request.class_of));
    all_flags.push_back(flags.text());
    table.rows.push_back(std::move(cells));
  }
  add_flags_column(table, all_flags);
  return table;
}

}  // namespace phasebit::report::data
