#include "analysis/report/tables/origins/origins_table.h"

#include "analysis/report/data/row_flags.h"
#include "analysis/report/tables/origins/llvm_pairs.h"
#include "analysis/report/tables/peers/kernels.h"
#include "core/base/hash.h"
#include "core/record/origin.h"

#include <algorithm>
#include <map>

namespace phasebit::report::tables::origins {

using data::Aggregate;
using data::Aggregation;
using data::VariantAxes;
using record::Origin;
using table::Cell;
using table::Table;

namespace {

struct Wanted {
  std::string payload = "512", stages = "4", protocol;
};

Result<Wanted> wanted_of(const data::TableArguments& arguments) {
  Wanted wanted;
  for (const auto& [name, value] : arguments) {
    if (name == "payload_bytes")
      wanted.payload = value;
    else if (name == "num_stages")
      wanted.stages = value;
    else if (name == "ours")
      wanted.protocol = value;
    else
      return with_hint(fail(Step::usage, "origins has no argument '{}'", name),
                       "payload_bytes=, num_stages=, ours=");
  }
  if (wanted.protocol.empty())
    return with_hint(fail(Step::usage, "origins needs a protocol of the templates"),
                     "such as ours=mbarrier: peers stand beside its fastest ring");
  return wanted;
}

Origin origin_of(const Aggregate& point) {
  return record::origin_of(point.axes.variant().axes());
}

bool is_wanted(const VariantAxes& axes, const Wanted& wanted) {
  return axes.value("num_stages") == wanted.stages && peers::is_one_to_one(axes, wanted.payload) &&
         peers::items_of_phase(axes) == 1;
}

struct OriginGroup {
  Origin origin = Origin::template_;
  std::string protocol, mover, roles, scope, fork;
  auto operator<=>(const OriginGroup&) const = default;
};

OriginGroup group_of(const Aggregate& point) {
  const VariantAxes& axes = point.axes;
  return {origin_of(point),
          axes.value("protocol"),
          axes.value("mover"),
          axes.value("roles"),
          peers::is_peer(axes) ? axes.value("scope") : "",
          axes.value("tuned")};
}

using Fastest = std::map<OriginGroup, const Aggregate*>;

Fastest fastest_of(const Aggregation& figures, const Wanted& wanted) {
  Fastest fastest;
  for (const Aggregate& point : figures.points) {
    if (!point.reason.empty() || !is_wanted(point.axes, wanted)) continue;
    const Aggregate*& best = fastest[group_of(point)];
    if (best == nullptr || peers::is_faster(point, *best)) best = &point;
  }
  return fastest;
}

// What stands beside a row; null: nothing does.
const Aggregate* beside(const Aggregate& point, const Fastest& fastest, const Aggregation& figures,
                        const Wanted& wanted) {
  const Origin origin = origin_of(point);
  if (origin == Origin::template_) return nullptr;
  if (origin == Origin::nvcc) {
    const Aggregate* best = nullptr;
    for (const auto& [group, one] : fastest)
      if (group.origin == Origin::template_ && group.protocol == wanted.protocol &&
          group.roles == point.axes.value("roles") &&
          (best == nullptr || peers::is_faster(*one, *best)))
        best = one;
    return best;
  }
  record::VariantRow twin = without_llvm(point.axes.variant());
  if (twin.find("tuned") != nullptr) twin = twin.without("tuned");
  return data::find_variant(figures.points, twin.id);
}

// Over that; "-" where there is none.
Cell ratio_of(const Aggregate& point, const Aggregate* other) {
  if (other == nullptr || !other->reason.empty() || other->cycles <= 0) return "-";
  const double ratio = peers::an_item(point).value / peers::an_item(*other).value;
  return {fmt::format("{:.2f}", ratio), ratio, std::nullopt};
}

std::vector<const Aggregate*> in_order(const Fastest& fastest) {
  std::vector<const Aggregate*> rows;
  for (const auto& [group, point] : fastest) rows.push_back(point);
  std::stable_sort(rows.begin(), rows.end(), [](const Aggregate* a, const Aggregate* b) {
    const Origin one = origin_of(*a), other = origin_of(*b);
    return one != other ? one < other : peers::is_faster(*a, *b);
  });
  return rows;
}

}  // namespace

Result<Table> origins_table(const data::ReportData& data, const data::TableArguments& arguments) {
  PHASEBIT_TRY_ASSIGN(wanted, wanted_of(arguments));
  const Aggregation figures = data::of_runs_with(data, peers::is_peer);
  const Fastest fastest = fastest_of(figures, wanted);
  if (std::none_of(fastest.begin(), fastest.end(),
                   [](const auto& one) { return one.first.origin == Origin::nvcc; }))
    return with_hint(fail(Step::usage, "no peer with {} slots of {} bytes was measured",
                          wanted.stages, wanted.payload),
                     "docs/llvm.md has the commands that pack one");
  Table table;
  table.columns = {{"origin"},       {"protocol"},         {"mover"},   {"roles"},  {"at"},
                   {"cycles", true}, {"/ template", true}, {"made by"}, {"variant"}};
  std::vector<std::string> flags;
  for (const Aggregate* point : in_order(fastest)) {
    const VariantAxes& axes = point->axes;
    data::RowFlags row_flags;
    const Cell cycles =
        data::flagged_cell("cycles", peers::an_item(*point), row_flags, table.notes);
    flags.push_back(row_flags.text());
    table.rows.push_back({record::to_string(origin_of(*point)), axes.value("protocol"),
                          axes.value("mover"), axes.value("roles"),
                          peers::choice_of(axes, {"roles", "llvm"}), cycles,
                          ratio_of(*point, beside(*point, fastest, figures, wanted)),
                          peers::built_by(axes), base::short_hash(point->id)});
  }
  data::add_flags_column(table, flags);
  return table;
}

}  // namespace phasebit::report::tables::origins
