#include "analysis/report/tables/probes/cluster_table.h"

#include "analysis/report/data/axes.h"
#include "analysis/report/data/figures.h"
#include "analysis/report/data/pivot.h"
#include "analysis/report/data/without_loop.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/ranges.h>

namespace phasebit::report::tables::probes {

using data::Aggregate;
using data::VariantAxes;
using table::Cell;
using table::Table;

namespace {

std::string written(const std::string& word) {
  if (word == "default") return "not written";
  std::string text = word;
  std::replace(text.begin(), text.end(), '_', '.');
  return text;
}

// Axes with a column of their own, or that every round trip has.
bool has_a_column(const VariantAxes& axes, const std::string& axis, const std::string& value) {
  static const std::set<std::string> named = {"probe",          "protocol",     "mover",
                                              "work",           "cluster_size", "first_rank",
                                              "second_rank",    "roles",        "arrive_semantics",
                                              "wait_semantics", "fenced"};
  if (named.count(axis) != 0 || axis == "num_stages") return true;
  if (axis == "consumers") return axes.value("producers") == value;
  return axis == "semantics" && !axes.has("arrive_semantics");
}

// "st_async, payload_bytes=128": what else differs from the defaults.
std::string rest_of(const VariantAxes& axes) {
  std::vector<std::string> words;
  if (axes.value("mover") != "none") words.push_back(axes.value("mover"));
  if (axes.value("mover") != "none" && !axes.names("payload_bytes"))
    words.push_back("payload_bytes=" + axes.value("payload_bytes"));
  if (axes.value("num_stages") != "1") words.push_back(axes.value("num_stages") + " stages");
  for (const auto& [axis, value] : axes.named()) {
    if (axis == "producers" && axes.value("consumers") == value)
      words.push_back(axes.value("roles") == "unified" ? fmt::format("{} warps", value)
                                                       : fmt::format("{0} x {0} warps", value));
    else if (!has_a_column(axes, axis, value))
      words.push_back(fmt::format("{}={}", axis, value));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

struct Pair {
  int first = 0, second = 0;
  const Aggregate* point = nullptr;
};

// Everything of one row.
struct Group {
  std::vector<Pair> apart, inside;  // with a figure: two CTAs, one CTA
  int failed = 0;
  data::Reason reason;
  std::string unit;
};

// Loop, protocol, semantics, what else differs, size.
using GroupKey = std::tuple<std::string, std::string, std::string, std::string, int>;

std::string pair_name(const Pair& pair) {
  return fmt::format("{}→{}", pair.first, pair.second);
}

Cell cell_of(double value, double half_width, const std::string& suffix = {}) {
  return {data::shown_with_interval(value, half_width) + suffix, value, half_width};
}

// The half width is the widest of them.
Cell median_cell(std::vector<Pair> pairs) {
  if (pairs.empty()) return "";
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.point->cycles < b.point->cycles; });
  const size_t middle = pairs.size() / 2;
  const double value = pairs.size() % 2 == 1
                           ? pairs[middle].point->cycles
                           : (pairs[middle - 1].point->cycles + pairs[middle].point->cycles) / 2;
  double half_width = 0;
  for (const Pair& pair : pairs) half_width = std::max(half_width, pair.point->half_width());
  return cell_of(value, half_width);
}

Cell extreme_cell(const std::vector<Pair>& pairs, bool lowest) {
  if (pairs.size() < 2) return "";
  const auto less = [](const Pair& a, const Pair& b) { return a.point->cycles < b.point->cycles; };
  const Pair& found = lowest ? *std::min_element(pairs.begin(), pairs.end(), less)
                             : *std::max_element(pairs.begin(), pairs.end(), less);
  return cell_of(found.point->cycles, found.point->half_width(),
                 fmt::format(" ({})", pair_name(found)));
}

void take(Group& group, const Aggregate& point, const VariantAxes& axes) {
  group.unit = point.unit;
  const Pair pair{axes.number("first_rank"), axes.number("second_rank"), &point};
  if (!point.reason.empty()) {
    ++group.failed;
    group.reason = point.reason;
  } else {
    (pair.first == pair.second ? group.inside : group.apart).push_back(pair);
  }
}

bool matches(const VariantAxes& axes, const AxisValues& where) {
  if (axes.value("probe") != "cluster" || !axes.is_as_declared()) return false;
  return std::all_of(where.begin(), where.end(),
                     [&](const auto& one) { return axes.value(one.first) == one.second; });
}

// A word or two of it.
std::string what_failed(const data::Reason& reason) {
  switch (reason.what) {
    case data::Missing::failed:
    case data::Missing::ungated: return std::string(base::to_string(reason.step));
    case data::Missing::not_linear: return "not_linear";
    case data::Missing::nothing:
    case data::Missing::not_measured:
    case data::Missing::time_out:
    case data::Missing::unusable: return reason.text;
  }
  bug("no such Missing");
}

void add_row(Table& table, const GroupKey& key, const Group& group) {
  const auto& [loop, protocol, semantics, rest, size] = key;
  const bool none = group.apart.empty() && group.inside.empty();
  Cell median = median_cell(group.apart);
  if (none) median.text = "failed: " + what_failed(group.reason);
  table.rows.push_back({loop, protocol, semantics, rest, size, group.apart.size(), median,
                        extreme_cell(group.apart, true), extreme_cell(group.apart, false),
                        median_cell(group.inside), group.unit});
  if (group.failed > 0)
    table.notes.push_back(fmt::format("{}, {}, cluster of {}: {} without a figure, the last: {}.",
                                      protocol, semantics, size, group.failed, group.reason.text));
}

// Of which most pairs of ranks were measured.
std::string most_frequent_protocol(const std::vector<Aggregate>& points) {
  std::map<std::string, int> counts;
  for (const Aggregate& point : points)
    if (point.axes.value("probe") == "cluster") ++counts[point.axes.value("protocol")];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::string() : most->first;
}

}  // namespace

std::string cluster_semantics(const VariantAxes& axes) {
  if (!axes.has("arrive_semantics")) {
    const std::string word = axes.value("semantics");
    if (word == "explicit") return "release / acquire";
    return word == "relaxed" ? "relaxed / not written" : "not written";
  }
  const std::string fence = axes.value("fenced") == "on" ? ", fenced" : "";
  return fmt::format("{} / {}{}", written(axes.value("arrive_semantics")),
                     written(axes.value("wait_semantics")), fence);
}

Result<Table> cluster_table(const data::Aggregation& all, const AxisValues& where) {
  std::map<GroupKey, Group> groups;
  const auto add = [&](const std::string& loop, const std::vector<Aggregate>& points) {
    for (const Aggregate& point : points) {
      const VariantAxes& axes = point.axes;
      if (!matches(axes, where) || data::is_unrolled_item(axes)) continue;
      take(groups[{loop, axes.value("protocol"), cluster_semantics(axes), rest_of(axes),
                   axes.number("cluster_size")}],
           point, axes);
    }
  };
  add("subtracted", all.alone);
  add("with", all.points);
  Table table;
  table.columns = {{"loop", false},          {"protocol", false}, {"arrive / wait", false},
                   {"else", false},          {"CTAs", true},      {"pairs", true},
                   {"median", true},         {"lowest", true},    {"highest", true},
                   {"inside one CTA", true}, {"unit", false}};
  for (const auto& [key, group] : groups) add_row(table, key, group);
  return table;
}

Result<Table> cluster_pairs_table(const data::Aggregation& all, const AxisValues& where) {
  const std::vector<Aggregate>& points = all.points;
  data::PivotRequest request;
  request.probe = "cluster";
  request.without_loop = true;
  request.rows = {"first_rank"};
  request.across = "second_rank";
  request.where = {{"protocol", most_frequent_protocol(points)},
                   {"mover", "none"},
                   {"work", "none"},
                   {"num_stages", "1"}};
  for (const auto& [axis, value] : where) request.where[axis] = value;
  int size = 0;
  for (const Aggregate& point : points) {
    const VariantAxes& axes = point.axes;
    if (matches(axes, where) && axes.value("protocol") == request.where["protocol"])
      size = std::max(size, axes.number("cluster_size"));
  }
  request.where["cluster_size"] = std::to_string(size);
  request.across_values.clear();
  for (int rank = 0; rank < size; ++rank) request.across_values.push_back(std::to_string(rank));
  PHASEBIT_TRY_ASSIGN(table, data::pivot(all, request));
  for (table::Column& column : table.columns)
    column.title = column.title == "first rank"
                       ? fmt::format("from, of {}", size)
                       : "to " + column.title.substr(column.title.find('=') + 1);
  return table;
}

}  // namespace phasebit::report::tables::probes
