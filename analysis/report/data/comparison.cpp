#include "analysis/report/data/comparison.h"

#include "analysis/report/data/figures.h"

#include <algorithm>
#include <cmath>

namespace phasebit::report::data {

using table::Cell;

std::string verdict_of(const Figure& difference, bool has_pairs, double floor) {
  if (!difference.reason.empty()) return "no figure";
  if (!has_pairs) return "AMBIGUOUS (no A/A control)";
  if (std::abs(difference.value) <= std::max(floor, difference.half_width)) return "AMBIGUOUS";
  return difference.value < 0 ? "faster" : "slower";
}

Floor floor_of(const Aggregation& aggregation, const std::string& stratum) {
  auto own = aggregation.floors.find(stratum);
  if (own == aggregation.floors.end()) own = aggregation.floors.find("");
  return own == aggregation.floors.end() ? Floor() : own->second;
}

Comparison compare(const Aggregation& aggregation, const std::string& before,
                   const std::string& after) {
  Comparison made;
  const Aggregate *first = find_variant(aggregation.points, before),
                  *second = find_variant(aggregation.points, after);
  made.before = figure_of(first, before);
  made.after = figure_of(second, after);
  made.difference = difference(made.after, made.before);
  const Aggregate* any = first == nullptr ? second : first;
  made.floor = floor_of(aggregation, any == nullptr ? "" : any->axes.stratum()).cycles;
  for (const Aggregate* one : {first, second})
    if (one != nullptr) made.floor = std::max(made.floor, one->spread_cycles);
  made.verdict = verdict_of(made.difference, !aggregation.floors.empty(), made.floor);
  return made;
}

Cell difference_cell(const Figure& difference) {
  if (!difference.reason.empty()) return "";
  return {shown_with_interval(difference.value, difference.half_width), difference.value,
          difference.half_width};
}

Cell percent_cell(const Comparison& comparison) {
  if (!comparison.difference.reason.empty() || comparison.before.value == 0) return "";
  const double percent = 100 * comparison.difference.value / comparison.before.value;
  return {fmt::format("{:+.1f} %", percent), percent, {}};
}

void add_comparison(std::vector<Cell>& row, const Comparison& comparison,
                    std::vector<std::string>& notes) {
  row.push_back(figure_cell(comparison.before, notes));
  row.push_back(figure_cell(comparison.after, notes));
  row.push_back(difference_cell(comparison.difference));
  row.push_back(percent_cell(comparison));
  row.push_back({fmt::format("{:.2f}", comparison.floor), comparison.floor, {}});
}

}  // namespace phasebit::report::data
