#include "analysis/report/tables/probes/probe_tables.h"

#include "analysis/report/data/axes.h"
#include "analysis/report/data/without_loop.h"
#include "analysis/report/tables/probes/figure_grid.h"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

namespace phasebit::report::tables::probes {

using data::Aggregate;
using data::Aggregation;
using data::Figure;
using data::figure_of;
using data::VariantAxes;
using table::Table;

namespace {

struct Point {
  VariantAxes axes;
  const Aggregate* aggregate = nullptr;
};

// The newest of each variant of a probe with these values.
std::vector<Point> points_of(const std::vector<Aggregate>& points, const std::string& probe,
                             const AxisValues& where) {
  std::vector<Point> found;
  for (const Aggregate& aggregate : points) {
    const VariantAxes& axes = aggregate.axes;
    const bool meant = axes.value("probe") == probe &&
                       std::all_of(where.begin(), where.end(), [&](const auto& one) {
                         return axes.column(one.first) == one.second;
                       });
    if (meant && axes.is_as_declared() && !data::is_unrolled_item(axes) &&
        data::find_variant(points, aggregate.id) == &aggregate)
      found.push_back({axes, &aggregate});
  }
  return found;
}

// Whose defaults stand first.
VariantAxes any_of(const std::vector<Point>& points) {
  return points.empty() ? VariantAxes() : points.front().axes;
}

// "arrival=thread, layout=v1": what differs from the defaults beside these axes.
std::string rest_of(const VariantAxes& axes, std::set<std::string> named) {
  named.insert(image::component_axes.begin(), image::component_axes.end());
  std::vector<std::string> words;
  for (const auto& [axis, value] : axes.named())
    if (named.count(axis) == 0) words.push_back(fmt::format("{}={}", axis, value));
  return fmt::format("{}", fmt::join(words, ", "));
}

// One verb by its numbers of copies.
using Sizes = std::map<int, const Aggregate*>;

Figure one_of(const Sizes& sizes) {
  const auto [fewest, few] = *sizes.begin();
  const auto [most, many] = *sizes.rbegin();
  Figure figure = data::difference(figure_of(*many), figure_of(*few), std::max(1, most - fewest));
  if (most == fewest) figure.reason = data::unusable("measured with one number of copies");
  return figure;
}

Result<Table> by_delay(const Aggregation& all, const AxisValues& where,
                       const std::string& reading) {
  const std::vector<Point> found = points_of(all.points, "response", where);
  FigureGrid grid({"protocol", "waited_on", "semantics", "consumers", "counting"},
                  {"0", "256", "1024", "4096", "16384", "65536", "262144", "1048576", "4194304"},
                  any_of(found));
  for (const Point& point : found) {
    if (reading == "polls" && point.axes.value("counting") == "off") continue;
    // A wake-up from behind the commit is another figure: the table closure has it.
    if (point.axes.value("clock") == "behind") continue;
    grid.put({point.axes.value("protocol"), point.axes.waited_on(), point.axes.value("semantics"),
              point.axes.value("consumers"), point.axes.value("counting")},
             point.axes.value("delay_cycles"), figure_of(*point.aggregate, reading));
  }
  return grid.table();
}

std::string work_of(const VariantAxes& axes) {
  return axes.value("victim_work") + " " + axes.value("work_kind");
}

}  // namespace

Result<Table> verbs_table(const Aggregation& all, const AxisValues& where) {
  std::map<std::vector<std::string>, std::map<std::string, Sizes>> verbs;
  const std::vector<Point> found = points_of(all.points, "verb", where);
  for (const Point& point : found) {
    const VariantAxes& axes = point.axes;
    const std::string spelling =
        rest_of(axes, {"verb", "path", "reads", "load", "num_stages", "addressing", "early_token"});
    verbs[{axes.value("protocol"), axes.value("verb"), axes.value("path"), axes.value("reads"),
           spelling}][axes.value("load") == "busy" ? "loaded" : "isolated"]
         [axes.number("num_stages")] = point.aggregate;
  }
  FigureGrid grid({"protocol", "verb", "path", "reads", "spelling"}, {"isolated", "loaded"},
                  any_of(found));
  for (const auto& [key, loads] : verbs)
    for (const auto& [load, sizes] : loads) grid.put(key, load, one_of(sizes));
  return grid.table();
}

Result<Table> response_table(const Aggregation& all, const AxisValues& where) {
  return by_delay(all, where, "wake");
}

Result<Table> polls_table(const Aggregation& all, const AxisValues& where) {
  return by_delay(all, where, "polls");
}

namespace {

// All axes but `waits`, as a name: a control and what it controls have the same.
std::string without_waits(const Point& point) {
  return point.axes.variant().without("waits").id;
}

bool is_control(const VariantAxes& axes) {
  return axes.value("waits") == "0";
}

}  // namespace

Result<Table> interference_table(const Aggregation& all, const AxisValues& where) {
  const std::vector<Point> found = points_of(all.points, "interference", where);
  std::map<std::string, const Aggregate*> controls;
  FigureGrid grid({"victims", "waiters", "placing", "protocol", "waited_on"},
                  {"fma dependent", "fma independent", "shared dependent", "shared independent",
                   "mma dependent", "mma independent"},
                  any_of(found));
  for (const Point& point : found) {
    if (!is_control(point.axes)) continue;
    controls[without_waits(point)] = point.aggregate;
    const bool plainest =
        point.axes.value("waiters") == "1" && point.axes.value("placing") == "same";
    if (plainest && point.axes.waited_on() == "try_wait")
      grid.put({point.axes.value("victims"), "0", "-", "-", "cycles per block"},
               work_of(point.axes), figure_of(*point.aggregate));
  }
  for (const Point& point : found) {
    const VariantAxes& axes = point.axes;
    if (is_control(axes)) continue;
    const auto control = controls.find(without_waits(point));
    const Figure base = figure_of(control == controls.end() ? nullptr : control->second,
                                  point.aggregate->id + "/waits=0");
    grid.put({axes.value("victims"), axes.value("waiters"), axes.value("placing"),
              axes.value("protocol"), axes.waited_on()},
             work_of(axes), data::change_percent(figure_of(*point.aggregate), base));
  }
  return grid.table();
}

namespace {

// A probe's points twice: the operation alone, and with its loop.
struct Window {
  const char* title;
  std::vector<Point> points;
};

std::vector<Window> windows_of(const Aggregation& all, const std::string& probe,
                               const AxisValues& where) {
  return {{"subtracted", points_of(all.alone, probe, where)},
          {"with", points_of(all.points, probe, where)}};
}

}  // namespace

Result<Table> fanin_table(const Aggregation& all, const AxisValues& where) {
  const std::vector<Window> windows = windows_of(all, "fanin", where);
  FigureGrid grid({"loop", "protocol", "waited_on", "arrival", "spelling"},
                  {"1", "2", "3", "4", "6", "8", "12", "16", "24", "32"},
                  any_of(windows.back().points));
  for (const auto& [window, points] : windows)
    for (const auto& [axes, aggregate] : points)
      grid.put({window, axes.value("protocol"), axes.waited_on(), axes.column("arrival"),
                rest_of(axes, {"num_stages", "roles", "producers", "consumers", "wait", "operand",
                               "arrival", "hint_ns", "backoff_ns"})},
               axes.value("producers"), figure_of(*aggregate));
  return grid.table();
}

namespace {

struct Arrivals {
  const Aggregate *together = nullptr, *apart = nullptr;
};

}  // namespace

Result<Table> entangle_table(const Aggregation& all, const AxisValues& where) {
  const std::vector<Window> windows = windows_of(all, "entangle", where);
  FigureGrid grid({"loop", "protocol", "waited_on", "semantics", "arrive"},
                  {"1", "2", "4", "8", "16", "32"}, any_of(windows.back().points));
  std::map<std::pair<std::vector<std::string>, std::string>, Arrivals> pairs;
  for (const auto& [window, points] : windows)
    for (const auto& [axes, aggregate] : points) {
      const bool together = axes.value("reconverge") == "on";
      std::vector<std::string> row = {window, axes.value("protocol"), axes.waited_on(),
                                      axes.value("semantics")};
      Arrivals& pair = pairs[{row, axes.value("groups")}];
      (together ? pair.together : pair.apart) = aggregate;
      row.emplace_back(together ? "after bar.warp.sync" : "apart");
      grid.put(row, axes.value("groups"), figure_of(*aggregate));
    }
  for (const auto& [key, pair] : pairs) {
    if (pair.together == nullptr || pair.apart == nullptr) continue;
    std::vector<std::string> row = key.first;
    row.emplace_back("difference");
    grid.put(row, key.second, data::difference(figure_of(*pair.apart), figure_of(*pair.together)));
  }
  return grid.table();
}

}  // namespace phasebit::report::tables::probes
