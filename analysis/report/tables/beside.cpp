#include "analysis/report/tables/beside.h"

#include "analysis/report/data/axes.h"
#include "analysis/report/data/comparison.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace phasebit::report::tables {

using data::TableArguments;
using table::Table;

namespace {

std::string argument(const TableArguments& arguments, const std::string& wanted) {
  for (const auto& [name, value] : arguments)
    if (name == wanted) return value;
  return {};
}

bool is_wanted(const data::VariantAxes& axes, const TableArguments& arguments) {
  for (const auto& [name, value] : arguments) {
    if (name == "axis" || name == "least" || name == "value") continue;
    if (name == "variant" ? value != axes.variant().id : axes.value(name) != value) return false;
  }
  return true;
}

std::vector<table::Cell> row_of(const std::string& base, const std::string& value,
                                const data::Comparison& made, Table& table) {
  std::vector<table::Cell> row = {base, value};
  data::add_comparison(row, made, table.notes);
  row.emplace_back(made.verdict);
  return row;
}

}  // namespace

Result<double> least_percent(const TableArguments& arguments) {
  const std::string word = argument(arguments, "least");
  if (word.empty()) return 0;
  double percent = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), percent);
  if (error != std::errc() || end != word.data() + word.size() || !(percent >= 0))
    return fail(Step::usage, "least={}: no percentage", word);
  return percent;
}

Result<Table> beside_table(const data::ReportData& data, const TableArguments& arguments) {
  const std::string axis = argument(arguments, "axis");
  if (axis.empty())
    return with_hint(fail(Step::usage, "beside needs an axis"), "such as axis=edit");
  PHASEBIT_TRY_ASSIGN(least, least_percent(arguments));
  const std::string value = argument(arguments, "value");
  Table table;
  table.columns = {{"variant", false},   {axis, false},    {"without", true},   {"with", true},
                   {"difference", true}, {"change", true}, {"A/A floor", true}, {"verdict", false}};
  for (const data::Aggregate& point : data.aggregation.points) {
    if (!point.axes.names(axis)) continue;
    const record::VariantRow base = point.axes.variant().without(axis);
    const std::string own = point.axes.value(axis);
    const data::VariantAxes base_axes(std::make_shared<const record::VariantRow>(base),
                                      data.keys.catalogue());
    if (!is_wanted(base_axes, arguments)) continue;
    if (!value.empty() && own != value) continue;
    const data::Comparison made = data::compare(data.aggregation, base.id, point.id);
    const bool small = made.difference.reason.empty() &&
                       std::abs(made.difference.value) < least / 100 * made.before.value;
    if (!small) table.rows.push_back(row_of(base.id, own, made, table));
  }
  if (table.rows.empty())
    return fail(Step::usage, "no variant with the axis '{}' was measured", axis);
  return table;
}

}  // namespace phasebit::report::tables
