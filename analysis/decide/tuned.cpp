#include "analysis/decide/tuned.h"

#include "analysis/decide/axes.h"
#include "analysis/decide/difference.h"
#include "analysis/decide/figures.h"
#include "core/base/nearest.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace phasebit {
namespace {

// The points of the runs that measured something made by hand: a parent's figure of another day
// is no neighbour of a fork's.
Aggregation of_same_runs(const ReportData& data) {
  std::set<std::string> runs;
  for (const PointRow& point : data.results.points)
    if (!hand_made_from(point.variant_id).empty()) runs.insert(point.run_id);
  std::vector<PointRow> points;
  for (const PointRow& point : data.results.points)
    if (runs.contains(point.run_id)) points.push_back(point);
  return aggregate(points);
}

std::string stratum_of(const std::string& id) {
  const VariantAxes axes = axes_of_id(id);
  return axes.value("probe") + "/" + axes.value("protocol");
}

// Of all pairs when there are too few of the stratum for a 95th percentile to mean anything.
double floor_of(const Aggregation& aggregation, const std::string& id) {
  constexpr size_t enough = 20;
  std::vector<AaPair> pairs;
  for (const AaPair& pair : aggregation.aa)
    if (stratum_of(pair.id) == stratum_of(id)) pairs.push_back(pair);
  return summarise_aa(pairs.size() < enough ? aggregation.aa : pairs).p95_cycles;
}

std::string verdict_of(const Figure& difference, const Aggregation& aggregation, double floor) {
  if (!difference.reason.empty()) return "no figure";
  if (aggregation.aa.empty()) return "AMBIGUOUS (no A/A control)";
  if (std::abs(difference.value) <= std::max(floor, difference.half_width)) return "AMBIGUOUS";
  return difference.value < 0 ? "faster" : "slower";
}

Cell difference_cell(const Figure& difference) {
  if (!difference.reason.empty()) return {"", {}, {}};
  return {shown_with_interval(difference.value, difference.half_width), difference.value,
          difference.half_width};
}

Cell percent_cell(const Figure& difference, const Figure& parent) {
  if (!difference.reason.empty() || parent.value == 0) return {"", {}, {}};
  const double percent = 100 * difference.value / parent.value;
  return {fmt::format("{:+.1f} %", percent), percent, {}};
}

Cell class_cell(const Aggregate* point) {
  constexpr size_t digits = 8;
  return {point == nullptr ? "" : point->sass_class.substr(0, digits), {}, {}};
}

std::vector<Cell> row_of(const Aggregation& aggregation, const Aggregate& fork, Table& table) {
  const std::string parent_id = hand_made_from(fork.id);
  const Aggregate* parent = find_variant(aggregation.points, parent_id);
  const Figure before = figure_of(parent, parent_id), after = figure_of(fork);
  const Figure change = difference(after, before);
  const double floor = floor_of(aggregation, parent_id);
  return {{fork.id.substr(parent_id.size() + 1), {}, {}},
          {parent_id, {}, {}},
          figure_cell(before, table.notes),
          figure_cell(after, table.notes),
          difference_cell(change),
          percent_cell(change, before),
          {fmt::format("{:.2f}", floor), floor, {}},
          {verdict_of(change, aggregation, floor), {}, {}},
          class_cell(parent),
          class_cell(&fork)};
}

// parent=ID, tuned=NAME
Result<bool> is_wanted(const std::string& id, const TableArguments& arguments) {
  const std::string parent = hand_made_from(id);
  for (const auto& [name, value] : arguments) {
    if (name != "parent" && name != "tuned")
      return with_hint(fail(Step::usage, "no argument '{}'", name),
                       nearest_word_hint(name, {"parent", "tuned"}));
    if (name == "parent" && value != parent) return false;
    if (name == "tuned" && id != fmt::format("{}/tuned={}", parent, value)) return false;
  }
  return true;
}

}  // namespace

std::string hand_made_from(const std::string& id) {
  const size_t at = std::min(id.find("/tuned="), id.find("/snippet."));
  return at == std::string::npos ? "" : id.substr(0, at);
}

Result<Table> tuned_table(const ReportData& data, const TableArguments& arguments) {
  const Aggregation aggregation = of_same_runs(data);
  Table table;
  table.columns = {{"by hand", false},           {"from", false},      {"cycles before", true},
                   {"cycles by hand", true},     {"difference", true}, {"change", true},
                   {"A/A floor", true},          {"verdict", false},   {"SASS class before", false},
                   {"SASS class by hand", false}};
  for (const Aggregate& point : aggregation.points) {
    if (hand_made_from(point.id).empty()) continue;
    PHASEBIT_TRY_ASSIGN(wanted, is_wanted(point.id, arguments));
    if (wanted) table.rows.push_back(row_of(aggregation, point, table));
  }
  if (table.rows.empty())
    return with_hint(fail(Step::usage, "nothing made by hand was measured"),
                     "phasebit pack --tuned, then phasebit-bench");
  return table;
}

}  // namespace phasebit
