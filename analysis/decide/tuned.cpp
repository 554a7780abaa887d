#include "analysis/decide/tuned.h"

#include "analysis/decide/comparison.h"
#include "core/base/nearest.h"

#include <algorithm>
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

Cell class_cell(const Aggregate* point) {
  constexpr size_t digits = 8;
  return {point == nullptr ? "" : point->sass_class.substr(0, digits), {}, {}};
}

std::vector<Cell> row_of(const Aggregation& aggregation, const Aggregate& fork, Table& table) {
  const std::string parent_id = hand_made_from(fork.id);
  const Comparison made = compare(aggregation, parent_id, fork.id);
  return {{fork.id.substr(parent_id.size() + 1), {}, {}},
          {parent_id, {}, {}},
          figure_cell(made.before, table.notes),
          figure_cell(made.after, table.notes),
          difference_cell(made.difference),
          percent_cell(made),
          {fmt::format("{:.2f}", made.floor), made.floor, {}},
          {made.verdict, {}, {}},
          class_cell(find_variant(aggregation.points, parent_id)),
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
