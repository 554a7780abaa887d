#include "analysis/decide/comparison.h"

#include "analysis/decide/axes.h"
#include "analysis/decide/figures.h"

#include <algorithm>
#include <cmath>

namespace phasebit {
namespace {

std::string stratum_of(const std::string& id) {
  const VariantAxes axes = axes_of_id(id);
  return axes.value("probe") + "/" + axes.value("protocol");
}

std::string verdict_of(const Figure& difference, const Aggregation& aggregation, double floor) {
  if (!difference.reason.empty()) return "no figure";
  if (aggregation.aa.empty()) return "AMBIGUOUS (no A/A control)";
  if (std::abs(difference.value) <= std::max(floor, difference.half_width)) return "AMBIGUOUS";
  return difference.value < 0 ? "faster" : "slower";
}

}  // namespace

double noise_floor(const Aggregation& aggregation, const std::string& id) {
  constexpr size_t enough = 20;
  const std::string stratum = stratum_of(id);
  std::vector<AaPair> pairs;
  for (const AaPair& pair : aggregation.aa)
    if (stratum_of(pair.id) == stratum) pairs.push_back(pair);
  return summarise_aa(pairs.size() < enough ? aggregation.aa : pairs).p95_cycles;
}

Comparison compare(const Aggregation& aggregation, const std::string& before,
                   const std::string& after) {
  Comparison made;
  made.before = figure_of(find_variant(aggregation.points, before), before);
  made.after = figure_of(find_variant(aggregation.points, after), after);
  made.difference = difference(made.after, made.before);
  made.floor = noise_floor(aggregation, before);
  made.verdict = verdict_of(made.difference, aggregation, made.floor);
  return made;
}

Cell difference_cell(const Figure& difference) {
  if (!difference.reason.empty()) return {"", {}, {}};
  return {shown_with_interval(difference.value, difference.half_width), difference.value,
          difference.half_width};
}

Cell percent_cell(const Comparison& comparison) {
  if (!comparison.difference.reason.empty() || comparison.before.value == 0) return {"", {}, {}};
  const double percent = 100 * comparison.difference.value / comparison.before.value;
  return {fmt::format("{:+.1f} %", percent), percent, {}};
}

}  // namespace phasebit
