#include "analysis/report/tables/peers.h"

#include "analysis/report/data/difference.h"
#include "analysis/report/data/row_flags.h"
#include "core/base/hash.h"
#include "core/record/origin.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/ranges.h>

namespace phasebit::report::tables {

using data::Aggregate;
using data::Aggregation;
using data::VariantAxes;
using record::Origin;
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

bool is_peer(const VariantAxes& axes) {
  return record::origin_of(axes.variant().named) == Origin::nvcc;
}

// One unit a role, and a payload of that size.
bool is_comparable(const VariantAxes& axes, const Wanted& wanted) {
  return axes.value("probe") == "ring" && axes.value("payload_bytes") == wanted.payload &&
         axes.value("work") == "none" && axes.value("producers") == "1" &&
         axes.value("consumers") == "1" && axes.value("granularity") == "warp" &&
         axes.value("ctas_per_sm") == "1";
}

bool is_wanted_of_ours(const VariantAxes& axes, const Wanted& wanted) {
  return std::all_of(wanted.where.begin(), wanted.where.end(),
                     [&](const auto& one) { return axes.value(one.first) == one.second; });
}

// A row is the fastest of these.
struct Group {
  bool peer = false;
  std::string protocol, mover, roles;
  auto operator<=>(const Group&) const = default;
};

// Protocols of ours whatever their mover: the ring is what is compared.
Group group_of(const VariantAxes& axes) {
  const bool peer = is_peer(axes);
  return {peer, axes.value("protocol"), peer ? axes.value("mover") : "", axes.value("roles")};
}

using Fastest = std::map<Group, const Aggregate*>;

Fastest fastest_of(const Aggregation& aggregation, const Wanted& wanted) {
  Fastest fastest;
  for (const Aggregate& point : aggregation.points) {
    if (!point.reason.empty() || !is_comparable(point.axes, wanted)) continue;
    if (!is_peer(point.axes) && !is_wanted_of_ours(point.axes, wanted)) continue;
    const Aggregate*& best = fastest[group_of(point.axes)];
    if (best == nullptr || point.cycles < best->cycles) best = &point;
  }
  return fastest;
}

// Our fastest of these roles, of one protocol or of any; null without one.
const Aggregate* ours(const Fastest& fastest, const std::string& roles,
                      const std::string& protocol) {
  const Aggregate* best = nullptr;
  for (const auto& [group, point] : fastest)
    if (!group.peer && group.roles == roles && (protocol.empty() || group.protocol == protocol) &&
        (best == nullptr || point->cycles < best->cycles))
      best = point;
  return best;
}

Cell ratio_cell(const Aggregate* own, const Aggregate& peer) {
  if (own == nullptr || peer.cycles <= 0) return "-";
  const double ratio = own->cycles / peer.cycles;
  return {fmt::format("{:.2f}", ratio), ratio, std::nullopt};
}

// What was chosen, without what every kernel of the table has alike or another column says.
std::string choice_of(const Aggregate& point) {
  static const std::set<std::string> elsewhere = {
      "num_stages", "probe",     "protocol", "mover", "work",  "payload_bytes", "roles",
      "producers",  "consumers", "library",  "nvcc",  "flags", "file"};
  std::vector<std::string> words = {point.axes.value("num_stages") + " stages"};
  for (const auto& [axis, value] : point.axes.variant().named)
    if (!elsewhere.contains(axis)) words.push_back(fmt::format("{}={}", axis, value));
  return fmt::format("{}", fmt::join(words, ", "));
}

// "nvcc 13.5.37 -O3 -DNDEBUG, cccl-3.5.0"
std::string built_by(const VariantAxes& axes) {
  if (!is_peer(axes)) return "phasebit";
  std::string flags = axes.value("flags");
  std::replace(flags.begin(), flags.end(), ',', ' ');
  return fmt::format("nvcc {} {}, {}", axes.value("nvcc"), flags, axes.value("library"));
}

std::vector<Cell> row_of(const Group& group, const Aggregate& point, const Fastest& fastest,
                         const Wanted& wanted, std::vector<std::string>& flags, Table& table) {
  data::RowFlags row_flags;
  const Cell cycles =
      data::flagged_cell("cycles an item", data::figure_of(point), row_flags, table.notes);
  flags.push_back(row_flags.text());
  std::vector<Cell> row = {record::to_string(record::origin_of(point.axes.variant().axes())),
                           group.protocol,
                           point.axes.value("mover"),
                           group.roles,
                           choice_of(point),
                           cycles};
  if (!wanted.protocol.empty())
    row.push_back(group.peer ? ratio_cell(ours(fastest, group.roles, wanted.protocol), point)
                             : Cell("-"));
  row.push_back(group.peer ? ratio_cell(ours(fastest, group.roles, {}), point) : Cell("-"));
  row.insert(row.end(), {built_by(point.axes), base::short_hash(point.id)});
  return row;
}

}  // namespace

Result<Table> peers_table(const data::ReportData& data, const data::TableArguments& arguments) {
  const Wanted wanted = wanted_of(arguments);
  const Aggregation aggregation = data::of_runs_with(data, is_peer);
  const Fastest fastest = fastest_of(aggregation, wanted);
  std::vector<std::pair<Group, const Aggregate*>> rows(fastest.begin(), fastest.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.peer, a.second->cycles) < std::pair(b.first.peer, b.second->cycles);
  });
  if (rows.empty() || !rows.back().first.peer)
    return with_hint(
        fail(Step::usage, "no peer with slots of {} bytes was measured", wanted.payload),
        "tools/peers makes a bundle of them and of our rings");
  Table table;
  table.columns = {{"origin", false}, {"protocol", false}, {"mover", false},
                   {"roles", false},  {"at", false},       {"cycles an item", true}};
  if (!wanted.protocol.empty())
    table.columns.push_back({fmt::format("{} / it", wanted.protocol), true});
  table.columns.insert(table.columns.end(),
                       {{"ours / it", true}, {"made by", false}, {"variant", false}});
  std::vector<std::string> flags;
  for (const auto& [group, point] : rows)
    table.rows.push_back(row_of(group, *point, fastest, wanted, flags, table));
  data::add_flags_column(table, flags);
  return table;
}

}  // namespace phasebit::report::tables
