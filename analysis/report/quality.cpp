#include "analysis/report/quality.h"

#include "analysis/report/data/arguments.h"
#include "analysis/report/data/difference.h"
#include "analysis/report/data/figures.h"

#include <map>

namespace phasebit::report {

using data::AaPair;
using data::no_arguments;
using data::ReportData;
using data::TableArguments;
using table::Cell;
using table::Table;

namespace {

Cell percent_cell(double value) {
  return {data::shown_percent(value), value, {}};
}
Cell cycles_cell(double value) {
  return {fmt::format("{:.3f}", value), value, {}};
}

std::vector<Cell> aa_row(const std::string& stratum, const std::string& between,
                         const std::vector<AaPair>& pairs) {
  const data::AaSummary sum = data::summarise_aa(pairs);
  return {stratum,
          between,
          sum.pairs,
          cycles_cell(sum.median_cycles),
          percent_cell(sum.median_percent),
          cycles_cell(sum.p95_cycles),
          percent_cell(sum.p95_percent)};
}

}  // namespace

Result<Table> anchors_table(const ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY(no_arguments(arguments));
  Table table;
  table.columns = {
      {"anchor", false}, {"unit", false}, {"slope", true}, {"intercept", true}, {"MHz", true}};
  for (const data::Aggregate& anchor : data.aggregation.anchors) {
    const bool good = anchor.reason.empty();
    Cell intercept{"", {}, {}}, clock{"", {}, {}};
    if (good) {
      intercept = {data::shown(anchor.intercept_cycles, anchor.worst_residual_cycles == 0 ? 0 : 1),
                   anchor.intercept_cycles,
                   {}};
      clock = {data::shown(anchor.megahertz, 1), anchor.megahertz, {}};
    }
    table.rows.push_back({anchor.axes.value("anchor"), anchor.unit,
                          data::figure_cell(data::figure_of(anchor), table.notes), intercept,
                          clock});
  }
  return table;
}

Result<Table> aa_table(const ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY(no_arguments(arguments));
  std::map<std::pair<std::string, std::string>, std::vector<AaPair>> strata;
  for (const AaPair& pair : data.aggregation.aa) {
    const bool control = pair.between == AaPair::Between::control;
    strata[{pair.stratum, control ? "control, same repetition" : "repetitions"}].push_back(pair);
  }
  Table table;
  table.columns = {{"stratum", false},      {"between", false},       {"pairs", true},
                   {"median cycles", true}, {"median percent", true}, {"p95 cycles", true},
                   {"p95 percent", true}};
  for (const auto& [key, pairs] : strata)
    table.rows.push_back(aa_row(key.first, key.second, pairs));
  if (!data.aggregation.aa.empty())
    table.rows.push_back(aa_row("all", "both", data.aggregation.aa));
  return table;
}

Result<Table> errors_table(const ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY(no_arguments(arguments));
  Table table;
  table.columns = {{"variant", false}, {"why it has no figure", false}};
  for (const data::Aggregate& point : data.aggregation.points)
    if (!point.reason.empty()) table.rows.push_back({point.id, point.reason.text});
  return table;
}

}  // namespace phasebit::report
