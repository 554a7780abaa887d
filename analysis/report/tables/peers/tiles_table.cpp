#include "analysis/report/tables/peers/tiles_table.h"

#include "analysis/report/data/row_flags.h"
#include "analysis/report/tables/peers/kernels.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::report::tables::peers {

using data::Aggregate;
using data::VariantAxes;
using table::Cell;
using table::Table;

namespace {

// Stages that have a row of their own; 0: any, and any number of warps.
constexpr int stage_rows[] = {1, 2, 4, 0};
// Warps that copy back to back for the column `issue`, at most.
constexpr int most_issuing_warps = 4;

struct Points {
  std::vector<const Aggregate*> ours, theirs, issue;
};

// A ring that reads all of what it takes over, one tile a phase.
bool is_ring(const VariantAxes& axes) {
  return axes.value("probe") == "ring" && axes.value("work") == "none" &&
         items_of_phase(axes) == 1 && axes.value("granularity") == "warp" &&
         axes.value("ctas_per_sm") == "1" && axes.value("read") != "first";
}

Points points_of(const data::Aggregation& aggregation, const data::TableArguments& arguments) {
  const auto has = [&](const VariantAxes& axes, bool peer) {
    return std::all_of(arguments.begin(), arguments.end(), [&](const auto& one) {
      return (peer && one.first != "payload_bytes") || axes.value(one.first) == one.second;
    });
  };
  std::set<std::string> copying;  // movers that the probe issue was measured with
  for (const Aggregate& point : aggregation.points)
    if (point.axes.value("probe") == "issue") copying.insert(point.axes.value("mover"));
  Points points;
  for (const Aggregate& point : aggregation.points) {
    const VariantAxes& axes = point.axes;
    const bool peer = is_peer(axes), issues = axes.value("probe") == "issue";
    if (!point.reason.empty() || !has(axes, peer || issues)) continue;
    if (issues && axes.number("producers", 1) <= most_issuing_warps)
      points.issue.push_back(&point);
    else if (peer && is_ring(axes) && axes.value("mover") == "cp_async_bulk")
      points.theirs.push_back(&point);
    else if (!peer && is_ring(axes) && copying.contains(axes.value("mover")))
      points.ours.push_back(&point);
  }
  return points;
}

const Aggregate* fastest(const std::vector<const Aggregate*>& points, int tile, int stages) {
  const Aggregate* best = nullptr;
  for (const Aggregate* point : points) {
    const VariantAxes& axes = point->axes;
    if (axes.number("payload_bytes") != tile) continue;
    if (stages != 0 && (axes.number("num_stages") != stages || axes.number("producers", 1) != 1 ||
                        axes.number("consumers", 1) != 1))
      continue;
    if (best == nullptr || is_faster(*point, *best)) best = point;
  }
  return best;
}

Cell cycles_cell(const std::string& column, const Aggregate* point, data::RowFlags& flags,
                 Table& table) {
  if (point == nullptr) return "-";
  return data::flagged_cell(column, an_item(*point), flags, table.notes);
}

std::vector<Cell> row_of(int tile, int stages, const Points& points,
                         std::vector<std::string>& flags, Table& table) {
  const Aggregate* ours = fastest(points.ours, tile, stages);
  const Aggregate* theirs = fastest(points.theirs, tile, stages);
  const Aggregate* issue = stages == 0 ? fastest(points.issue, tile, 0) : nullptr;
  data::RowFlags row_flags;
  std::vector<Cell> row = {tile,
                           stages == 0 ? Cell("best") : Cell(stages),
                           ours == nullptr ? "-" : choice_of(ours->axes),
                           cycles_cell("ours", ours, row_flags, table),
                           theirs == nullptr ? "-" : choice_of(theirs->axes),
                           cycles_cell("theirs", theirs, row_flags, table),
                           ratio_cell(ours, theirs),
                           cycles_cell("issue", issue, row_flags, table),
                           ratio_cell(ours, issue)};
  flags.push_back(row_flags.text());
  return row;
}

}  // namespace

Result<Table> tiles_table(const data::ReportData& data, const data::TableArguments& arguments) {
  const data::Aggregation aggregation = data::of_runs_with(data, is_peer);
  const Points points = points_of(aggregation, arguments);
  std::set<int> tiles;
  for (const Aggregate* point : points.theirs) tiles.insert(point->axes.number("payload_bytes"));
  if (tiles.empty())
    return with_hint(fail(Step::usage, "no peer whose slots bulk copies fill was measured"),
                     "tools/peers makes a bundle of them and of our rings");
  Table table;
  table.columns = {{"tile", true},      {"stages", true},     {"ours at", false},
                   {"ours", true},      {"theirs at", false}, {"theirs", true},
                   {"ours / it", true}, {"issue", true},      {"ours / issue", true}};
  std::vector<std::string> flags;
  for (const int tile : tiles)
    for (const int stages : stage_rows)
      if (fastest(points.theirs, tile, stages) != nullptr)
        table.rows.push_back(row_of(tile, stages, points, flags, table));
  data::add_flags_column(table, flags);
  return table;
}

}  // namespace phasebit::report::tables::peers
