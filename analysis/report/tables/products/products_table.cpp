#include "analysis/report/tables/products/products_table.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/tables/probes/wanted.h"
#include "analysis/report/tables/products/product.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace phasebit::report::tables::products {

using data::Aggregate;
using table::Cell;
using table::Table;

namespace {

constexpr std::array<int, 4> stages_shown = {1, 2, 3, 4};

std::string text_of(const Product& product) {
  return fmt::format("{} x {} x {}", product.rows, product.columns, product.depth);
}

// What a ring and its ceiling have in common.
using Loop = std::tuple<std::string, Product, std::string>;
Loop loop_of(const data::VariantAxes& axes) {
  return {axes.value("work"), product_of(axes), axes.warp_layout()};
}

using Key = std::tuple<Loop, std::string, std::string, std::string, std::string>;
using Row = std::map<int, const Aggregate*>;  // by stages: the fastest

void keep_fastest(const Aggregate*& best, const Aggregate* point) {
  if (best == nullptr || point->cycles < best->cycles) best = point;
}

std::map<Loop, const Aggregate*> ceilings_of(const data::ReportData& data) {
  std::map<Loop, const Aggregate*> ceilings;
  for (const Aggregate& point : data.aggregation.points)
    if (is_ring(point) && !waits(point)) keep_fastest(ceilings[loop_of(point.axes)], &point);
  return ceilings;
}

std::map<Key, Row> rows_of(const std::vector<const Aggregate*>& points) {
  std::map<Key, Row> rows;
  for (const Aggregate* point : points) {
    const auto& axes = point->axes;
    const Key key{loop_of(axes), axes.value("protocol"), axes.value("mover"),
                  axes.column("in_flight"), axes.column("order")};
    keep_fastest(rows[key][axes.number("num_stages")], point);
  }
  return rows;
}

Cell number_cell(const std::string& text, double value) {
  return {text, value, {}};
}

Cell share_cell(const Aggregate* ceiling, const Aggregate* point) {
  if (ceiling == nullptr || point == nullptr || point->cycles <= 0) return {};
  const double share = ceiling->cycles / point->cycles;
  return number_cell(fmt::format("{:.3f}", share), share);
}

Cell cycles_cell(const Aggregate* point) {
  if (point == nullptr) return {};
  return number_cell(data::shown_with_interval(point->cycles, point->half_width()), point->cycles);
}

std::vector<Cell> cells_of(const Key& key, const Row& row, const Aggregate* ceiling) {
  const auto& [loop, protocol, mover, in_flight, order] = key;
  const auto& [work, product, layout] = loop;
  std::vector<Cell> cells = {work, text_of(product), layout, protocol, mover, in_flight, order};
  const Aggregate* best = nullptr;
  for (const auto& [stages, point] : row) keep_fastest(best, point);
  for (const int stages : stages_shown) {
    const auto at = row.find(stages);
    cells.push_back(share_cell(ceiling, at == row.end() ? nullptr : at->second));
  }
  cells.push_back(cycles_cell(best));
  cells.push_back(cycles_cell(ceiling));
  const double rate = product.multiply_adds() / best->cycles;
  cells.push_back(number_cell(fmt::format("{:.0f}", rate), rate));
  return cells;
}

}  // namespace

Result<Table> products_table(const data::ReportData& data, const data::TableArguments& arguments) {
  std::vector<const Aggregate*> points;
  for (const Aggregate& point : data.aggregation.points)
    if (is_ring(point) && waits(point)) points.push_back(&point);
  if (points.empty())
    return with_hint(fail(Step::usage, "no measured variant is in this table"),
                     "it is made from rings of specs/products.toml");
  PHASEBIT_TRY(probes::keep_wanted(points, arguments));
  Table table;
  table.columns = {{"work", false},  {"product", false},   {"warps", false}, {"protocol", false},
                   {"mover", false}, {"in flight", false}, {"order", false}};
  for (const int stages : stages_shown)
    table.columns.push_back({fmt::format("{} stage{}", stages, stages == 1 ? "" : "s"), true});
  for (const char* column : {"cycles", "ceiling", "FMA a cycle"})
    table.columns.push_back({column, true});
  const auto ceilings = ceilings_of(data);
  for (const auto& [key, row] : rows_of(points)) {
    const auto ceiling = ceilings.find(std::get<0>(key));
    table.rows.push_back(cells_of(key, row, ceiling == ceilings.end() ? nullptr : ceiling->second));
  }
  table.notes.emplace_back(
      "By stages: share of the ceiling, which is the fastest of the same product by the same warps "
      "when nobody waits and nothing moves. Cycles: of an item, at the best number of stages; each "
      "of the fastest variant. FMA a cycle: multiplications and additions of the product, over "
      "these cycles.");
  return table;
}

}  // namespace phasebit::report::tables::products
