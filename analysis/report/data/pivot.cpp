#include "analysis/report/data/pivot.h"

#include "analysis/report/data/axes.h"
#include "analysis/report/data/figures.h"

#include <algorithm>
#include <set>

namespace phasebit {

namespace {

using RowKey = std::vector<std::string>;

bool holds(const VariantAxes& axes, const PivotRequest& request, const std::string& probe,
           const std::map<std::string, std::string>& where, const std::string& free_axis) {
  if (axes.value("probe") != probe) return false;
  std::set<std::string> free = {"probe", free_axis};
  for (const std::string& column : request.rows)
    for (const std::string& axis : axes.axes_of_column(column)) free.insert(axis);
  for (const auto& [axis, value] : where) {
    if (axes.column(axis) != value) return false;
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
  const Aggregate* round_trip = nullptr;
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
    if (row == rows.end()) row = rows.insert(row, {key, axes, {}, nullptr});
    const auto [cell, is_new] = row->cells.emplace(value, &point);
    if (!is_new) return collision(*cell->second, point);
  }
  std::sort(rows.begin(), rows.end(),
            [&](const Row& a, const Row& b) { return row_before(a, b, request); });
  return rows;
}

// A token has no payload and no work, and one slot.
Status add_round_trips(const std::vector<Aggregate>& points, const PivotRequest& request,
                       std::vector<Row>& rows) {
  auto where = request.where;
  where["mover"] = where["work"] = "none";
  PivotRequest keys = request;
  std::erase(keys.rows, "mover");
  std::erase(keys.rows, "work");
  std::map<RowKey, const Aggregate*> trips;
  for (const Aggregate& point : points) {
    const VariantAxes& axes = point.axes;
    if (!holds(axes, keys, "handoff", where, "num_stages")) continue;
    const auto [trip, is_new] = trips.emplace(row_key(axes, keys), &point);
    if (!is_new) return collision(*trip->second, point);
  }
  for (Row& row : rows) {
    const auto trip = trips.find(row_key(row.axes, keys));
    if (trip != trips.end()) row.round_trip = trip->second;
  }
  return {};
}

void add_note(std::vector<std::string>& notes, const std::string& note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

Cell optional_cell(const Aggregate* point, std::vector<std::string>& notes) {
  return point == nullptr ? Cell{"", {}, {}} : figure_cell(*point, notes);
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

Cell figure_cell(const Aggregate& point, std::vector<std::string>& notes) {
  if (!point.reason.empty()) {
    add_note(notes, fmt::format("{}: {}.", point.id, point.reason));
    return {is_ungated(point) ? "not gated"
                              : "failed: " + point.reason.substr(0, point.reason.find(':')),
            {},
            {}};
  }
  const bool marked = !point.flags.empty() || !point.interval_reached;
  if (!point.flags.empty())
    add_note(notes, fmt::format("† {}: {}.", point.id, fmt::join(point.flags, ", ")));
  if (!point.interval_reached)
    add_note(notes,
             fmt::format("† {}: too few rounds for an interval, the range is shown.", point.id));
  return {shown_with_interval(point.cycles, point.half_width()) + (marked ? " †" : ""),
          point.cycles, point.half_width()};
}

Result<Table> pivot(const std::vector<Aggregate>& points, const PivotRequest& request) {
  PHASEBIT_TRY_ASSIGN(rows, rows_of(points, request));
  if (request.round_trip) PHASEBIT_TRY(add_round_trips(points, request, rows));
  Table table;
  for (const std::string& column : request.rows)
    table.columns.push_back({row_title(column), false});
  if (request.round_trip) table.columns.push_back({"round trip", true});
  for (const std::string& value : request.across_values)
    table.columns.push_back({across_title(request, value), true});
  if (!request.class_of.empty()) table.columns.push_back({"SASS class", false});
  for (const Row& row : rows) {
    std::vector<Cell> cells;
    for (const std::string& word : row.key) cells.push_back(word);
    if (request.round_trip) cells.push_back(optional_cell(row.round_trip, table.notes));
    for (const std::string& value : request.across_values) {
      const auto at = row.cells.find(value);
      cells.push_back(optional_cell(at == row.cells.end() ? nullptr : at->second, table.notes));
    }
    if (!request.class_of.empty()) cells.push_back(class_cell(row, request.class_of));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace phasebit
