#include "analysis/report/data/without_loop.h"

#include "analysis/report/data/axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/ranges.h>

namespace phasebit::report::data {

namespace {

// On Hopper the loop's branch waits so long for its predicate: what fits costs nothing there.
constexpr double shadow = 13;
// What two slopes that are equal may differ by.
constexpr double tolerance_cycles = 0.5;

// Cycles of an operation between two sizes of its loop.
Figure between(const LoopOfSize& few, const LoopOfSize& many) {
  return difference(many.cycles, few.cycles, many.count - few.count);
}

// Fewest, most and, where there is one, the size between nearest to the middle of their ratio.
struct Sizes {
  const LoopOfSize *few, *many, *middle = nullptr;
};

Sizes choose(const std::vector<LoopOfSize>& sorted) {
  constexpr double enough = 4;  // a loop over fewer is longer than they are
  auto first = std::find_if(sorted.begin(), sorted.end(),
                            [](const LoopOfSize& one) { return one.count >= enough; });
  if (sorted.end() - first < 2) first = sorted.begin();
  Sizes sizes{&*first, &sorted.back()};
  const double middle = std::sqrt(first->count * sorted.back().count);
  const auto off = [&](const LoopOfSize& one) { return std::abs(one.count - middle); };
  for (auto one = first + 1; one < sorted.end() - 1; ++one)
    if (sizes.middle == nullptr || off(*one) < off(*sizes.middle)) sizes.middle = &*one;
  return sizes;
}

// An operation between two neighbouring sizes.
struct Step {
  const LoopOfSize *few, *many;
  Figure item = between(*few, *many);
  double grown() const { return item.value * (many->count - few->count); }
  std::string text() const {
    return fmt::format("{:.2f} from {:.0f} to {:.0f}", item.value, few->count, many->count);
  }
};

// Why the operation cannot be told from its loop; empty when it can.
Reason inseparable(const Figure& item, double left, const std::vector<Step>& steps,
                   double longest) {
  constexpr double least_apart = 1, share_apart = 0.05;
  std::vector<std::string> texts;
  bool some_do_not_grow = false;
  for (const Step& step : steps) {
    texts.push_back(step.text());
    some_do_not_grow = some_do_not_grow || step.grown() <= tolerance_cycles;
  }
  const std::string said =
      fmt::format("{} cycles, in a loop of {:.1f}", fmt::join(texts, ", "), left);
  const double cost = item.value;
  const bool may_lie_there = left >= shadow && std::abs(cost) <= 1;
  if (may_lie_there || (some_do_not_grow && cost > 0 && cost < shadow))
    return {Missing::hidden, "hidden behind the loop's branch: " + said};
  const bool agree = std::abs(steps.front().item.value - steps.back().item.value) <=
                     std::max(least_apart, share_apart * std::abs(cost));
  if (agree && left >= -tolerance_cycles && left <= longest + tolerance_cycles) return {};
  return {Missing::not_separable, "not separable from the loop: " + said};
}

void refuse_wide(Figure& figure) {
  if (!figure.at.empty()) {
    figure.reason = several_values(figure.at);
  } else if (2 * figure.half_width > widest_span(figure.value)) {
    const AtCondition all{
        {}, figure.value, {figure.value - figure.half_width, figure.value + figure.half_width}, 0};
    figure.reason = several_values({all});
  }
}

Aggregate one_item(const std::map<int, const Aggregate*>& sizes) {
  const Aggregate& many = *sizes.rbegin()->second;
  std::vector<LoopOfSize> loops;
  for (const auto& [count, one] : sizes)
    loops.push_back({static_cast<double>(count), scaled(figure_of(*one), count)});
  const Figure item = per_operation(std::move(loops), longest_loop);
  Aggregate out = many;
  auto variant = std::make_shared<const results::VariantRow>(many.axes.variant().without("unroll"));
  out.id = variant->id;
  out.axes = many.axes.of(std::move(variant));
  out.same_as.clear();
  out.readings.clear();
  out.reason = item.reason;
  out.flags = item.flags;
  out.repetitions = item.repetitions;
  out.interval_reached = item.interval_reached;
  out.cycles = item.value;
  out.interval = {item.value - item.half_width, item.value + item.half_width};
  out.spread_cycles = item.spread;
  out.spread_factor = item.factor;
  out.at = item.at, out.at_of_runs.clear();
  return out;
}

}  // namespace

Figure per_operation(std::vector<LoopOfSize> sizes, double longest) {
  if (sizes.empty()) bug("an operation in no loop");
  std::sort(sizes.begin(), sizes.end(),
            [](const LoopOfSize& a, const LoopOfSize& b) { return a.count < b.count; });
  if (sizes.size() == 1) {
    Figure one = sizes.front().cycles;
    if (one.reason.empty()) one.reason = unusable("measured in one size: its loop is in it");
    return one;
  }
  const Sizes chosen = choose(sizes);
  Figure item = between(*chosen.few, *chosen.many);
  if (!item.reason.empty()) return item;
  std::vector<Step> steps;
  if (chosen.middle == nullptr) {
    steps.push_back({chosen.few, chosen.many});
    item.flags.push_back({.kind = results::Flag::Kind::two_sizes});
  } else {
    steps.push_back({chosen.few, chosen.middle});
    steps.push_back({chosen.middle, chosen.many});
  }
  for (const Step& step : steps)
    if (!step.item.reason.empty()) return step.item;
  const Figure left = difference(chosen.few->cycles, scaled(item, chosen.few->count));
  item.reason = inseparable(item, left.value, steps, longest);
  if (item.reason.empty()) refuse_wide(item);
  return item;
}

double longest_loop_of(const VariantAxes& axes) {
  const std::string probe = axes.value("probe");
  const bool alone = (probe == "form" && axes.value("measure") != "latency") ||
                     (probe == "verb" && axes.value("reads") != "completion");
  const double longest = alone ? longest_loop_and_last : longest_loop;
  return axes.value("load") == "busy" ? 2 * longest : longest;
}

bool is_unrolled_item(const VariantAxes& axes) {
  return axes.value("probe") != "form" && axes.names("unroll");
}

std::vector<Aggregate> without_loop(const std::vector<Aggregate>& points) {
  // By id of one item, and device; of a text that changed the newest counts.
  std::map<std::pair<std::string, std::string>, std::map<int, const Aggregate*>> found;
  for (const Aggregate& point : points)
    if (is_unrolled_item(point.axes))
      found[{point.axes.variant().without("unroll").id, point.device_uuid}]
           [point.axes.number("unroll")] = &point;
  std::vector<Aggregate> made;
  for (const auto& [name, sizes] : found)
    if (sizes.size() > 1) made.push_back(one_item(sizes));
  return made;
}

namespace {

using Key = std::tuple<std::string, std::string, std::string, std::string>;

constexpr int unnamed_size = 4;

using FormSizes = std::map<int, const Aggregate*>;

struct Found {
  FormSizes isolated, loaded;
};

std::map<Key, Found> find_points(const std::vector<Aggregate>& points) {
  std::map<Key, Found> found;
  for (const Aggregate& point : points) {
    const VariantAxes& axes = point.axes;
    if (axes.value("probe") != "form" || !axes.value("edit").empty()) continue;
    Found& entry =
        found[{axes.value("form"), axes.value("path"), axes.value("measure"), axes.value("lanes")}];
    FormSizes& sizes = axes.value("load") == "busy" ? entry.loaded : entry.isolated;
    sizes[axes.number("unroll", unnamed_size)] = &point;
  }
  return found;
}

// The link of each code: the newest variant of that code with the operation edited out.
std::map<std::string, const Aggregate*> find_links(const std::vector<Aggregate>& points) {
  std::map<std::string, const Aggregate*> links;
  for (const Aggregate& point : points) {
    if (point.axes.value("probe") != "form" || point.axes.value("edit").empty()) continue;
    const Aggregate* whole = find_variant(points, point.axes.variant().without("edit").id);
    if (whole != nullptr && !whole->sass_class.empty()) links[whole->sass_class] = &point;
  }
  return links;
}

// Of the sizes whose link was measured the smallest and the largest.
void take_link(const std::map<std::string, const Aggregate*>& links, const FormSizes& sizes,
               FormCost& cost) {
  std::vector<LoopOfSize> of;
  for (const auto& [count, point] : sizes)
    if (const auto link = links.find(point->sass_class); link != links.end())
      of.push_back({static_cast<double>(count), figure_of(*link->second)});
  if (of.size() < 2) return;
  cost.has_link = true;
  cost.link = between(of.front(), of.back());
  cost.without_link = difference(cost.isolated, cost.link);
}

// Tries in a row of one warp sleep together and time out together: more of them are one time-out
// more, which is no cost of a try.
bool may_time_out(const FormCost& cost, const Figure& item) {
  constexpr double longest_poll = 500;  // cycles of a try that does not sleep are far below
  return cost.path == "blocked" && cost.measure == "throughput" &&
         cost.form.find("try_wait") != std::string::npos && item.reason.empty() &&
         item.value >= longest_poll;
}

Figure cost_of(const FormSizes& sizes, const FormCost& cost) {
  if (sizes.empty()) return figure_of(nullptr, cost.form);
  std::vector<LoopOfSize> loops;
  for (const auto& [count, point] : sizes)
    loops.push_back({static_cast<double>(count), figure_of(*point)});
  const LoopOfSize &few = loops.front(), &many = loops.back();
  if (loops.size() > 1) {
    Figure raw = between(few, many);
    if (may_time_out(cost, raw)) {
      raw.reason = {Missing::time_out,
                    fmt::format("not_linear:time-outs of {:.0f} cycles more for {:.0f} tries than "
                                "for {:.0f}",
                                (many.count - few.count) * raw.value, many.count, few.count)};
      return raw;
    }
  }
  return per_operation(std::move(loops), longest_loop_of(sizes.begin()->second->axes));
}

}  // namespace

std::vector<FormCost> form_costs(const std::vector<Aggregate>& points) {
  std::vector<FormCost> costs;
  const auto links = find_links(points);
  for (const auto& [key, found] : find_points(points)) {
    FormCost cost;
    std::tie(cost.form, cost.path, cost.measure, cost.lanes) = key;
    cost.isolated = cost_of(found.isolated, cost);
    cost.loaded = cost_of(found.loaded, cost);
    cost.has_loaded = !found.loaded.empty();
    if (found.isolated.size() > 1) {
      cost.small = found.isolated.begin()->second;
      cost.large = found.isolated.rbegin()->second;
      cost.sass_class = cost.small->sass_class;
      cost.text_hashes = cost.small->text_hash + cost.large->text_hash;
      if (cost.measure == "latency") take_link(links, found.isolated, cost);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

std::map<std::string, std::string> measured_forms(const std::vector<Aggregate>& points) {
  std::map<std::string, std::string> forms;
  for (const FormCost& cost : form_costs(points)) {
    const auto at = forms.emplace(cost.form, cost.isolated.reason.text).first;
    if (cost.isolated.reason.is_measured()) at->second.clear();
  }
  return forms;
}

}  // namespace phasebit::report::data
