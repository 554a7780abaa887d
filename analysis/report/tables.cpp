#include "analysis/report/tables.h"

#include "analysis/report/data/arguments.h"
#include "analysis/report/data/axes.h"
#include "analysis/report/data/figures.h"
#include "analysis/report/data/pivot.h"
#include "analysis/report/quality.h"
#include "analysis/report/tables/beside.h"
#include "analysis/report/tables/counts.h"
#include "analysis/report/tables/devices.h"
#include "analysis/report/tables/forms.h"
#include "analysis/report/tables/history.h"
#include "analysis/report/tables/modes_table.h"
#include "analysis/report/tables/origins/llvm_tables.h"
#include "analysis/report/tables/origins/origins_table.h"
#include "analysis/report/tables/peers/peers_table.h"
#include "analysis/report/tables/peers/tiles_table.h"
#include "analysis/report/tables/probes/barrier_word.h"
#include "analysis/report/tables/probes/copies.h"
#include "analysis/report/tables/probes/group_tables.h"
#include "analysis/report/tables/probes/stream_table.h"
#include "analysis/report/tables/products/products_table.h"
#include "analysis/report/tables/products/roles.h"
#include "analysis/report/tables/tuned.h"
#include "core/base/nearest.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::report {

using base::nearest_word_hint;
using data::no_arguments;
using data::PivotRequest;
using data::ReportData;
using data::TableArguments;
using table::Table;
using tables::probes::group_tables;

namespace {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(by, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// The axes that any variant of the results has, those at their default too, and the columns that
// stand for several.
std::vector<std::string> known_columns(const ReportData& data) {
  std::set<std::string> names = {"warp_layout", "waited_on"};
  std::set<const image::KeyAxes*> seen;
  for (const data::Aggregate& point : data.aggregation.points) {
    const record::VariantRow& row = point.axes.variant();
    for (const auto& [axis, value] : row.named) names.insert(axis);
    if (row.defaults == nullptr || !seen.insert(row.defaults.get()).second) continue;
    for (const auto& [axis, value] : *row.defaults) names.insert(axis);
  }
  return {names.begin(), names.end()};
}

Status check_column(const ReportData& data, const std::string& name,
                    const std::vector<std::string>& others) {
  auto known = known_columns(data);
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  known.insert(known.begin(), others.begin(), others.end());
  return with_hint(fail(Step::usage, "no axis or argument '{}'", name),
                   nearest_word_hint(name, known));
}

Status check_value(const ReportData& data, const std::string& axis, const std::string& value) {
  std::set<std::string> values;
  for (const data::Aggregate& point : data.aggregation.points)
    values.insert(point.axes.column(axis));
  if (values.count(value) != 0 || values.empty()) return {};
  const size_t bar = value.find('|');  // one of several
  if (bar != std::string::npos) {
    PHASEBIT_TRY(check_value(data, axis, value.substr(0, bar)));
    return check_value(data, axis, value.substr(bar + 1));
  }
  return with_hint(fail(Step::usage, "no measured variant has {}={}", axis, value),
                   nearest_word_hint(value, {values.begin(), values.end()}));
}

// Arguments that are axes go to `where`; an axis named in the arguments is no row any more.
Result<PivotRequest> with_arguments(const ReportData& data, PivotRequest request,
                                    const TableArguments& arguments) {
  for (const auto& [name, value] : arguments) {
    if (name == "rows") {
      request.rows = split(value, ',');
      for (const std::string& row : request.rows) PHASEBIT_TRY(check_column(data, row, {}));
    } else if (name == "across") {
      const auto parts = split(value, ':');
      if (parts.size() != 2)
        return with_hint(fail(Step::usage, "across={}", value), "across=AXIS:VALUE,VALUE");
      PHASEBIT_TRY(check_column(data, parts[0], {}));
      request.across = parts[0];
      request.across_values = split(parts[1], ',');
      request.class_of.clear();
    } else if (name == "loop") {
      if (value != "with" && value != "subtracted")
        return with_hint(fail(Step::usage, "loop={}", value), "loop=with or loop=subtracted");
      request.without_loop = value == "subtracted";
    } else if (name == "probe") {
      PHASEBIT_TRY(check_value(data, name, value));
      request.probe = value;
    } else {
      PHASEBIT_TRY(check_column(data, name, {"rows", "across"}));
      PHASEBIT_TRY(check_value(data, name, value));
      request.where[name] = value;
      std::erase(request.rows, name);
    }
  }
  return request;
}

Result<Table> pivot_table(const ReportData& data, const PivotRequest& request,
                          const TableArguments& arguments) {
  PHASEBIT_TRY_ASSIGN(whole, with_arguments(data, request, arguments));
  PHASEBIT_TRY_ASSIGN(table, data::pivot(data.aggregation, whole));
  if (table.rows.empty())
    return with_hint(fail(Step::usage, "no measured variant is in this table"),
                     "axes that are neither rows nor across nor named are at their default");
  return table;
}

// What the numbers of a pivot are.
Result<Table> with_legend(Result<Table> table, const std::string& what) {
  if (table)
    table->notes.insert(table->notes.begin(),
                        what +
                            " ± is how far the 95 % interval reaches from the median over "
                            "repetitions that differ in start offset, SM, sub-partitions and "
                            "where the code lies.");
  return table;
}

Result<Table> core_table(const ReportData& data, const TableArguments& arguments) {
  PivotRequest request;
  request.rows = {"protocol", "mover", "waited_on", "arrival", "warp_layout"};
  request.where = {{"work", "none"}, {"warp_layout", "1 x 1 warps"}};
  request.round_trip = true;
  request.class_of = "4";
  return with_legend(
      pivot_table(data, request, arguments),
      "Cycles per item by number of stages, the ring's loop in it; round trip: cycles of "
      "a token to the consumer and back, alone and with its loop. The SASS class is "
      "that of 4 stages.");
}

Result<Table> layouts_table(const ReportData& data, const TableArguments& arguments) {
  PivotRequest request;
  request.rows = {"protocol", "mover", "warp_layout", "payload_bytes"};
  request.where = {{"work", "none"}};
  request.class_of = "4";
  return with_legend(pivot_table(data, request, arguments),
                     "Cycles per item by number of stages. The SASS class is that of 4 stages.");
}

Result<Table> any_pivot(const ReportData& data, const TableArguments& arguments) {
  PivotRequest request;
  request.rows = {"protocol", "mover", "work"};
  return pivot_table(data, request, arguments);
}

Result<Table> counts(const ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY(no_arguments(arguments));
  return tables::counts_table(data);
}

Result<Table> modes_pass_table(const ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY(no_arguments(arguments));
  return tables::modes_table(data.results.points);
}

// The arguments are axes that its points have these values of.
Result<Table> group_table(const ReportData& data, const tables::probes::GroupTable& group,
                          const TableArguments& arguments) {
  tables::probes::AxisValues where;
  for (const auto& [name, value] : arguments) {
    PHASEBIT_TRY(check_column(data, name, {}));
    PHASEBIT_TRY(check_value(data, name, value));
    where[name] = value;
  }
  PHASEBIT_TRY_ASSIGN(table, group.make(data.aggregation, where));
  if (table.rows.empty())
    return with_hint(fail(Step::usage, "no measured variant is in this table"),
                     fmt::format("it is made from a sweep of {}", group.spec));
  return with_legend(std::move(table), group.legend);
}

Result<Table> word_table(const ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY(no_arguments(arguments));
  return tables::probes::barrier_word_table(data.results.points, data.keys);
}

using Maker = Result<Table> (*)(const ReportData&, const TableArguments&);
struct MadeTable {
  ReportTable what;
  Maker make;
};

const std::vector<MadeTable>& made_tables() {
  constexpr const char *axes = "axis=value", *none = "", *text = "variant=ID axis=value";
  static const std::vector<MadeTable> tables = {
      {{"core", axes, "protocols: round trip and cycles per item by number of stages"}, core_table},
      {{"layouts", axes, "the same by warp layout"}, layouts_table},
      {{"pivot",
        "rows=AXIS,AXIS across=AXIS:VALUE,VALUE probe=PROBE loop=with|subtracted axis=value",
        "any other cut"},
       any_pivot},
      {{"counts", none, "what was measured, where and how well"}, counts},
      {{"anchors", none, "the measurements that show that the set-up is sound"}, anchors_table},
      {{"aa", none, "how far two measurements of the same code differ"}, aa_table},
      {{"devices", none, "the same figures on several GPUs: how many agree, by class"},
       tables::devices_table},
      {{"errors", none, "variants without a figure, with the reason"}, errors_table},
      {{"modes", none, "what the modes pass found in each variant"}, modes_pass_table},
      {{"tuned", "parent=ID tuned=NAME axis=value", "forks and snippets beside their parents"},
       tables::tuned_table},
      {{"peers", "payload_bytes=BYTES ours=PROTOCOL axis=value",
        "rings that nvcc made of other libraries beside ours, each at its best"},
       tables::peers::peers_table},
      {{"peer_tiles", "payload_bytes=BYTES axis=value",
        "rings that bulk copies fill beside those that nvcc made, tile by tile, and what the SM "
        "can issue"},
       tables::peers::tiles_table},
      {{"llvm", "axis=value",
        "variants by LLVM beside the same by the templates: ratios, by class"},
       tables::origins::llvm_table},
      {{"llvm_levels", "axis=value", "variants by LLVM at -O0 to -O3 and with 64-bit addresses"},
       tables::origins::llvm_levels_table},
      {{"origins", "payload_bytes=BYTES num_stages=N ours=PROTOCOL",
        "one ring by every origin, each at its best: templates, forks, LLVM, nvcc's"},
       tables::origins::origins_table},
      {{"barrier_word", none, "where the fields of an mbarrier stand"}, word_table},
      {{"stream", "most=N axis=value", "data read by 1 to all SMs: GB/s, bytes in flight, clocks"},
       tables::probes::stream_table},
      {{"copies", axes, "copies of one SM: latency, and GB/s by bytes in flight"},
       tables::probes::copies_table},
      {{"products", axes, "rings that feed tensor cores: share of the same loop without waits"},
       tables::products::products_table},
      {{"roles", axes, "rings that feed products beside the same loop without waits"},
       tables::products::roles_table},
      {{"forms", "path=WORD measure=WORD lanes=WORD family=PATTERN", "what single PTX forms cost"},
       tables::forms_table},
      {{"coverage", "target=TARGET", "PTX forms by family: taken and measured"},
       tables::coverage_table},
      {{"beside", "axis=AXIS value=VALUE least=PERCENT variant=ID axis=value",
        "variants beside what they are without an axis"},
       tables::beside_table},
      {{"history", text, "each text by every version of ptxas"}, tables::history_table},
      {{"steps", "least=PERCENT variant=ID axis=value",
        "the versions of ptxas between which a figure moved"},
       tables::steps_table},
  };
  return tables;
}

}  // namespace

std::vector<ReportTable> report_tables() {
  std::vector<ReportTable> tables;
  for (const MadeTable& one : made_tables()) tables.push_back(one.what);
  for (const auto& [name, group] : group_tables())
    tables.push_back({name, "axis=value", group.doc});
  return tables;
}

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const ReportTable& table : report_tables()) names.push_back(table.name);
  return names;
}

Result<Table> make_table(const ReportData& data, const std::string& name,
                         const TableArguments& arguments) {
  for (const MadeTable& one : made_tables())
    if (one.what.name == name) return one.make(data, arguments);
  const auto group = group_tables().find(name);
  if (group != group_tables().end()) return group_table(data, group->second, arguments);
  return with_hint(fail(Step::usage, "no table '{}'", name),
                   nearest_word_hint(name, table_names()));
}

}  // namespace phasebit::report
