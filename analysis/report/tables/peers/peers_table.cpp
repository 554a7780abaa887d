#include "analysis/report/tables/peers/peers_table.h"

#include "analysis/report/data/row_flags.h"
#include "analysis/report/tables/peers/kernels.h"
#include "core/base/hash.h"
#include "core/record/origin.h"

#include <algorithm>
#include <map>

namespace phasebit::report::tables::peers {

using data::Aggregate;
using data::Aggregation;
using data::VariantAxes;
using table::Cell;
using table::Table;

namespace {

constexpr const char* default_payload = "128";

struct Wanted {
  std::string payload = default_payload;
  std::string protocol;                      // whose ratio has a column of its own
  std::map<std::string, std::string> where;  // of our rings
};

Wanted wanted_of(const data::TableArguments& arguments) {
  Wanted wanted;
  for (const auto& [name, value] : arguments) {
    if (name == "payload_bytes")
      wanted.payload = value;
    else if (name == "ours")
      wanted.protocol = value;
    else
      wanted.where[name] = value;
  }
  return wanted;
}

bool is_wanted_of_ours(const VariantAxes& axes, const Wanted& wanted) {
  return std::all_of(wanted.where.begin(), wanted.where.end(),
                     [&](const auto& one) { return axes.value(one.first) == one.second; });
}

// A row is the fastest of these.
struct Group {
  bool peer = false, several = false;  // several items a phase
  std::string protocol, mover, roles, scope;
  auto operator<=>(const Group&) const = default;
};

// Protocols of ours whatever their mover: the ring is what is compared.
Group group_of(const VariantAxes& axes) {
  const bool peer = is_peer(axes);
  return {peer,
          items_of_phase(axes) > 1,
          axes.value("protocol"),
          peer ? axes.value("mover") : "",
          axes.value("roles"),
          peer ? axes.value("scope") : ""};
}

using Fastest = std::map<Group, const Aggregate*>;

Fastest fastest_of(const Aggregation& aggregation, const Wanted& wanted) {
  Fastest fastest;
  for (const Aggregate& point : aggregation.points) {
    if (!point.reason.empty() || !is_one_to_one(point.axes, wanted.payload)) continue;
    if (!is_peer(point.axes) && !is_wanted_of_ours(point.axes, wanted)) continue;
    const Aggregate*& best = fastest[group_of(point.axes)];
    if (best == nullptr || is_faster(point, *best)) best = &point;
  }
  return fastest;
}

// Our fastest of these roles, of one protocol or of any; null without one.
const Aggregate* ours(const Fastest& fastest, const std::string& roles, bool several,
                      const std::string& protocol) {
  const Aggregate* best = nullptr;
  for (const auto& [group, point] : fastest)
    if (!group.peer && group.roles == roles && group.several == several &&
        (protocol.empty() || group.protocol == protocol) &&
        (best == nullptr || is_faster(*point, *best)))
      best = point;
  return best;
}

struct Row {
  Group group;
  const Aggregate* point;
};

// What has a column only where it is asked for or measured.
struct Columns {
  bool several = false;  // a ring of `ours=` that hands over several items at once
};

// Ratios of a peer's row; of ours "-".
std::vector<Cell> ratios_of(const Row& row, const Fastest& fastest, const Wanted& wanted,
                            const Columns& columns) {
  const Group& group = row.group;
  const auto ratio = [&](bool several, const std::string& protocol) -> Cell {
    if (!group.peer) return "-";
    return ratio_cell(ours(fastest, group.roles, several, protocol), row.point);
  };
  std::vector<Cell> cells;
  if (!wanted.protocol.empty()) cells.push_back(ratio(group.several, wanted.protocol));
  if (columns.several) cells.push_back(group.several ? Cell("-") : ratio(true, wanted.protocol));
  cells.push_back(ratio(group.several, {}));
  return cells;
}

std::vector<Cell> row_of(const Row& row, const Fastest& fastest, const Wanted& wanted,
                         const Columns& columns, std::vector<std::string>& flags, Table& table) {
  const VariantAxes& axes = row.point->axes;
  data::RowFlags row_flags;
  const Cell cycles =
      data::flagged_cell("cycles an item", an_item(*row.point), row_flags, table.notes);
  flags.push_back(row_flags.text());
  std::vector<Cell> cells = {record::to_string(record::origin_of(axes.variant().axes())),
                             row.group.protocol,
                             axes.value("mover"),
                             row.group.roles,
                             choice_of(axes, {"roles"}),
                             items_of_phase(axes),
                             cycles};
  for (Cell& cell : ratios_of(row, fastest, wanted, columns)) cells.push_back(std::move(cell));
  cells.insert(cells.end(), {built_by(axes), base::short_hash(row.point->id)});
  return cells;
}

std::vector<Row> rows_of(const Fastest& fastest) {
  std::vector<Row> rows;
  for (const auto& [group, point] : fastest) rows.push_back({group, point});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.group.peer != b.group.peer ? b.group.peer : is_faster(*a.point, *b.point);
  });
  return rows;
}

}  // namespace

Result<Table> peers_table(const data::ReportData& data, const data::TableArguments& arguments) {
  const Wanted wanted = wanted_of(arguments);
  const Aggregation aggregation = data::of_runs_with(data, is_peer);
  const Fastest fastest = fastest_of(aggregation, wanted);
  const std::vector<Row> rows = rows_of(fastest);
  if (rows.empty() || !rows.back().group.peer)
    return with_hint(
        fail(Step::usage, "no peer with slots of {} bytes was measured", wanted.payload),
        "tools/peers makes a bundle of them and of our rings");
  Columns columns;
  columns.several =
      !wanted.protocol.empty() && std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
        return row.group.several && row.group.protocol == wanted.protocol;
      });
  Table table;
  table.columns = {{"origin", false},       {"protocol", false}, {"mover", false},
                   {"roles", false},        {"at", false},       {"items a phase", true},
                   {"cycles an item", true}};
  if (!wanted.protocol.empty())
    table.columns.push_back({fmt::format("{} / it", wanted.protocol), true});
  if (columns.several)
    table.columns.push_back({fmt::format("{}, several a phase / it", wanted.protocol), true});
  table.columns.insert(table.columns.end(),
                       {{"ours / it", true}, {"made by", false}, {"variant", false}});
  std::vector<std::string> flags;
  for (const Row& row : rows)
    table.rows.push_back(row_of(row, fastest, wanted, columns, flags, table));
  data::add_flags_column(table, flags);
  return table;
}

}  // namespace phasebit::report::tables::peers
