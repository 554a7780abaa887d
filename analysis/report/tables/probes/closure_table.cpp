#include "analysis/report/tables/probes/closure_table.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/data/row_flags.h"
#include "analysis/report/data/without_loop.h"
#include "analysis/report/tables/probes/prediction.h"

#include <algorithm>
#include <set>

namespace phasebit::report::tables::probes {

using table::Cell;

namespace {

bool has_values(const data::VariantAxes& axes, const AxisValues& where) {
  return std::all_of(where.begin(), where.end(),
                     [&](const auto& one) { return axes.column(one.first) == one.second; });
}

Cell residual_cell(const data::Figure& residual) {
  return {data::shown_with_interval(residual.value, residual.half_width), residual.value,
          residual.half_width};
}

std::vector<Cell> row_of(const Prediction& one, std::vector<std::string>& notes) {
  data::RowFlags flags;
  Cell predicted = data::flagged_cell("predicted", one.predicted, flags, notes);
  Cell measured = data::flagged_cell("measured", one.measured, flags, notes);
  const data::Figure residual = one.residual();
  return {one.kind,
          one.of->id,
          one.formula,
          std::move(predicted),
          std::move(measured),
          residual_cell(residual),
          {fmt::format("{:.1f} %", one.percent()), one.percent(), {}},
          one.is_open() ? "open" : "",
          flags.text()};
}

// What of these probes no prediction speaks of.
std::string left_out(const data::Aggregation& all, const std::set<std::string>& predicted,
                     const AxisValues& where) {
  std::size_t rings = 0, trips = 0;
  std::set<std::string> seen;
  for (const data::Aggregate& point : all.points) {
    if (!point.reason.empty() || data::is_unrolled_item(point.axes) ||
        !has_values(point.axes, where) || predicted.count(point.id) != 0 ||
        !seen.insert(point.id).second)
      continue;
    rings += point.axes.value("probe") == "ring" ? 1 : 0;
    trips += point.axes.value("probe") == "handoff" ? 1 : 0;
  }
  if (rings + trips == 0) return {};
  return fmt::format(
      "{} rings and {} hand-offs have no row: a part of them was not measured in their spelling.",
      rings, trips);
}

}  // namespace

Result<table::Table> closure_table(const data::Aggregation& all, const AxisValues& where) {
  table::Table table;
  table.columns = {{"kind", false},     {"variant", false}, {"predicted from", false},
                   {"predicted", true}, {"measured", true}, {"residual", true},
                   {"percent", true},   {"open", false},    {"flags", false}};
  std::set<std::string> predicted;
  std::size_t open = 0;
  for (const Prediction& one : predictions(all)) {
    if (!has_values(one.of->axes, where)) continue;
    predicted.insert(one.of->id);
    open += one.is_open() ? 1 : 0;
    table.rows.push_back(row_of(one, table.notes));
  }
  if (table.rows.empty()) return table;
  table.notes.push_back(fmt::format("{} of {} rows are open.", open, table.rows.size()));
  const std::string rest = left_out(all, predicted, where);
  if (!rest.empty()) table.notes.push_back(rest);
  return table;
}

}  // namespace phasebit::report::tables::probes
