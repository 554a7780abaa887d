#include "analysis/report/tables/probes/copies.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/tables/probes/wanted.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace phasebit::report::tables::probes {

using data::Aggregate;
using table::Cell;
using table::Table;

namespace {

constexpr std::array<std::int64_t, 8> bytes_in_flight = {1 << 10, 1 << 11, 1 << 12, 1 << 13,
                                                         1 << 14, 1 << 15, 1 << 16, 1 << 17};

// Axes in which the variants of a row may differ from the default: of those that share a cell the
// fastest is shown.
bool is_plain(const Aggregate& point) {
  static const std::set<std::string> free = {"probe",      "protocol",     "mover",    "work",
                                             "num_stages", "addressing",   "resident", "swizzle",
                                             "row_bytes",  "payload_bytes"};
  const auto named = point.axes.named();
  return std::all_of(named.begin(), named.end(),
                     [&](const auto& axis) { return free.contains(axis.first); });
}

struct Copies {
  double ns = 0;  // of a tile
  double half_width = 0;
  double cycles = 0;
};

// Nothing where the clock of the point is not known.
std::optional<Copies> copies_of(const Aggregate& point) {
  if (point.megahertz <= 0 || point.cycles <= 0) return {};
  const double ns_a_cycle = 1000 / point.megahertz;
  return Copies{point.cycles * ns_a_cycle, point.half_width() * ns_a_cycle, point.cycles};
}

std::vector<const Aggregate*> points_of(const data::ReportData& data) {
  std::vector<const Aggregate*> points;
  for (const Aggregate& point : data.aggregation.points)
    if (point.axes.value("probe") == "issue" && point.reason.empty() && is_plain(point))
      points.push_back(&point);
  return points;
}

using CopiesKey = std::tuple<std::string, std::string, std::string, std::int64_t>;
using CopiesRow = std::map<std::int64_t, Copies>;  // by bytes in flight: of a tile, one alone

std::map<CopiesKey, CopiesRow> copies_rows(const std::vector<const Aggregate*>& points) {
  std::map<CopiesKey, CopiesRow> rows;
  for (const Aggregate* point : points) {
    const auto one = copies_of(*point);
    if (!one) continue;
    const auto& axes = point->axes;
    const std::int64_t tile = axes.number("payload_bytes"), stages = axes.number("num_stages", 1);
    const std::string swizzle = axes.column("swizzle");
    const char* place = axes.value("resident") == "hbm" ? "memory" : "L2";
    CopiesRow& row = rows[{place, axes.value("mover"), swizzle, tile}];
    const auto [at, is_new] = row.emplace(tile * stages, *one);
    if (!is_new && one->ns < at->second.ns) at->second = *one;
  }
  return rows;
}

Cell rate_cell(const CopiesRow& row, std::int64_t tile, std::int64_t bytes) {
  const auto at = row.find(bytes);
  if (at == row.end()) return {};
  const double rate = static_cast<double>(tile) / at->second.ns;
  return {data::shown(rate, rate * at->second.half_width / at->second.ns), rate, {}};
}

// Little's law: so many bytes must be in flight for the row's highest rate.
Cell needed_cell(const CopiesRow& row, std::int64_t tile) {
  const auto alone = row.find(tile);
  if (alone == row.end()) return {};
  double fastest = alone->second.ns;
  for (const auto& [bytes, one] : row) fastest = std::min(fastest, one.ns);
  const double bytes = alone->second.ns / fastest * static_cast<double>(tile);
  return {fmt::format("{:.0f}", bytes), bytes, {}};
}

std::vector<Cell> cells_of(const CopiesKey& key, const CopiesRow& row) {
  const auto& [place, mover, swizzle, tile] = key;
  std::vector<Cell> cells = {place, mover, swizzle, tile};
  if (const auto alone = row.find(tile); alone != row.end()) {
    for (const double value : {alone->second.cycles, alone->second.ns})
      cells.push_back({fmt::format("{:.0f}", value), value, {}});
  } else {
    cells.insert(cells.end(), 2, Cell{});
  }
  for (const std::int64_t bytes : bytes_in_flight) cells.push_back(rate_cell(row, tile, bytes));
  cells.push_back(needed_cell(row, tile));
  return cells;
}

}  // namespace

CopyLatencies copy_latencies(const data::ReportData& data) {
  CopyLatencies latencies;
  for (const Aggregate* point : points_of(data)) {
    const auto one = copies_of(*point);
    if (!one || point->axes.has("swizzle") || point->axes.number("num_stages") != 1) continue;
    const std::pair key{point->axes.value("resident"),
                        std::int64_t{point->axes.number("payload_bytes")}};
    const auto [at, is_new] = latencies.emplace(key, one->ns);
    if (!is_new) at->second = std::min(at->second, one->ns);
  }
  return latencies;
}

Result<Table> copies_table(const data::ReportData& data, const data::TableArguments& arguments) {
  std::vector<const Aggregate*> points = points_of(data);
  if (points.empty())
    return with_hint(fail(Step::usage, "no measured variant is in this table"),
                     "it is made from the sweeps `bulk` and `memory` of specs/bulk.toml and "
                     "`copies` of specs/tensor.toml");
  PHASEBIT_TRY(keep_wanted(points, arguments));
  Table table;
  table.columns = {{"from", false}, {"mover", false}, {"swizzle", false},
                   {"tile", true},  {"cycles", true}, {"ns", true}};
  for (const std::int64_t bytes : bytes_in_flight)
    table.columns.push_back({fmt::format("{} KiB", bytes >> 10), true});
  table.columns.push_back({"needed", true});
  for (const auto& [key, row] : copies_rows(points)) table.rows.push_back(cells_of(key, row));
  table.notes.emplace_back(
      "Copies of one warp on one SM that waits for nothing but their bytes. Cycles, ns: one copy "
      "alone, from its issue until its bytes are seen. 1 KiB to 128 KiB: GB/s (10^9 bytes a "
      "second) with so many bytes in flight, tile x stages. Needed: bytes in flight that Little's "
      "law asks for, the latency of one copy x the highest rate of the row.");
  return table;
}

}  // namespace phasebit::report::tables::probes
