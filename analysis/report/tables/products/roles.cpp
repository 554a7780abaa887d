#include "analysis/report/tables/products/roles.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/tables/probes/wanted.h"
#include "analysis/report/tables/products/product.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace phasebit::report::tables::products {

using data::Aggregate;
using data::VariantAxes;
using table::Cell;
using table::Table;

namespace {

enum Turns { shared, in_turn, in_order };
constexpr std::array turns_shown = {"shared", "in turn", "ping_pong"};

Turns turns_of(const VariantAxes& axes) {
  if (axes.value("sharing") == "share") return shared;
  return axes.value("order") == "none" ? in_turn : in_order;
}

// Warpgroups, columns, blocks of other work, groups in flight.
using RolesKey = std::tuple<int, int, int, int>;
RolesKey key_of(const VariantAxes& axes) {
  return {axes.number("consumers", 1), axes.number("tile_n"), axes.number("epilogue_blocks"),
          axes.number("in_flight")};
}

// Multiply-adds a cycle; 0: none was measured.
struct Rate {
  double value = 0, half_width = 0;
  // What is surely reached: of many rings the fastest must not be the one with the widest interval.
  double low() const { return value - half_width; }
};

Rate rate_of(const Aggregate& point) {
  const double rate = product_of(point.axes).multiply_adds() / point.cycles;
  return {rate, rate * point.half_width() / point.cycles};
}

struct RolesRow {
  std::array<Rate, turns_shown.size()> rings = {}, loops = {};
};
using RolesRows = std::map<RolesKey, RolesRow>;

void add_point(RolesRows& rows, const Aggregate& point) {
  const VariantAxes& axes = point.axes;
  const Turns turns = turns_of(axes);
  RolesRow& row = rows[key_of(axes)];
  Rate& kept = (waits(point) ? row.rings : row.loops)[turns];
  if (const Rate rate = rate_of(point); rate.low() > kept.low()) kept = rate;
  // Where nobody waits there is no order either.
  if (!waits(point) && turns == in_turn) row.loops[in_order] = row.loops[in_turn];
}

RolesRows roles_rows(const std::vector<const Aggregate*>& points) {
  RolesRows rows;
  for (const Aggregate* point : points) add_point(rows, *point);
  std::erase_if(rows, [](const auto& row) {
    const auto& rings = row.second.rings;
    return std::all_of(rings.begin(), rings.end(),
                       [](const Rate& rate) { return rate.value == 0; });
  });
  return rows;
}

std::vector<Cell> cells_of(const RolesKey& key, const RolesRow& row) {
  const auto& [warpgroups, columns, epilogue, in_flight] = key;
  std::vector<Cell> cells = {warpgroups, columns, epilogue, in_flight};
  for (std::size_t turns = 0; turns < turns_shown.size(); ++turns) {
    const Rate &rate = row.rings[turns], &loop = row.loops[turns];
    const double share = loop.value > 0 ? rate.value / loop.value : 0;
    cells.push_back(rate.value > 0 ? Cell{data::shown_with_interval(rate.value, rate.half_width),
                                          rate.value, rate.half_width}
                                   : Cell{});
    cells.push_back(share > 0 ? Cell{fmt::format("{:.3f}", share), share, {}} : Cell{});
  }
  return cells;
}

Table empty_roles_table() {
  Table table;
  table.columns = {
      {"warpgroups", true}, {"columns", true}, {"epilogue", true}, {"in flight", true}};
  for (const char* turns : turns_shown) {
    table.columns.push_back({turns, true});
    table.columns.push_back({fmt::format("{} / loop", turns), true});
  }
  table.notes.emplace_back(
      "Shared, in turn, ping_pong: multiply-adds a cycle of the fastest ring whose warpgroups "
      "share every slot, take slots in turn, or do so and issue their products in order; the SM "
      "makes 2,048 at most. ± is the 95 % interval, and the fastest is the one whose lower end is "
      "highest. / loop: its share of the same loop in which nobody waits. A product has 64 rows "
      "for each warpgroup and so many columns. Epilogue: blocks of eight dependent FMAs behind "
      "each item. In flight: groups of products that are not waited for when a slot is released.");
  return table;
}

}  // namespace

Result<Table> roles_table(const data::ReportData& data, const data::TableArguments& arguments) {
  std::vector<const Aggregate*> points;
  for (const Aggregate& point : data.aggregation.points)
    if (is_ring(point) && point.axes.value("granularity") == "producer_warp")
      points.push_back(&point);
  if (points.empty())
    return with_hint(fail(Step::usage, "no measured variant is in this table"),
                     "it is made from the sweep `roles` of specs/roles.toml");
  PHASEBIT_TRY(probes::keep_wanted(points, arguments));
  Table table = empty_roles_table();
  for (const auto& [key, row] : roles_rows(points)) table.rows.push_back(cells_of(key, row));
  return table;
}

}  // namespace phasebit::report::tables::products
