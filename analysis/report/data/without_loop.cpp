#include "analysis/report/data/without_loop.h"

#include "analysis/report/data/axes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace phasebit::report::data {

namespace {

constexpr double few_items = 4, many_items = 8;

struct UnrolledPair {
  const Aggregate *few = nullptr, *many = nullptr;
};

// The sum of what both have, by the weights that the difference gives them.
double added(double few, double many) {
  return (many_items * many + few_items * few) / (many_items - few_items);
}

double subtracted(double few, double many) {
  return (many_items * many - few_items * few) / (many_items - few_items);
}

Aggregate one_item(const UnrolledPair& sizes) {
  const Aggregate &few = *sizes.few, &many = *sizes.many;
  Aggregate out = many;
  auto variant = std::make_shared<const results::VariantRow>(many.axes.variant().without("unroll"));
  out.id = variant->id;
  out.axes = many.axes.of(std::move(variant));
  out.same_as.clear();
  for (const Aggregate* part : {&few, &many})
    if (out.reason.empty()) out.reason = part->reason;
  for (const results::Flag& flag : few.flags)
    if (std::find(out.flags.begin(), out.flags.end(), flag) == out.flags.end())
      out.flags.push_back(flag);
  out.repetitions = std::min(few.repetitions, many.repetitions);
  out.interval_reached = few.interval_reached && many.interval_reached;
  if (!out.reason.empty()) return out;
  out.cycles = subtracted(few.cycles, many.cycles);
  out.interval = {subtracted(few.interval.high, many.interval.low),
                  subtracted(few.interval.low, many.interval.high)};
  out.spread_cycles = added(few.spread_cycles, many.spread_cycles);
  if (few.spread_cycles > many.spread_cycles) out.spread_factor = few.spread_factor;
  return out;
}

}  // namespace

bool is_unrolled_item(const VariantAxes& axes) {
  return axes.value("probe") != "form" && axes.names("unroll");
}

std::vector<Aggregate> without_loop(const std::vector<Aggregate>& points) {
  std::map<std::pair<std::string, std::string>, UnrolledPair>
      found;  // by id of one item, and device
  for (const Aggregate& point : points) {
    if (!is_unrolled_item(point.axes)) continue;
    UnrolledPair& sizes = found[{point.axes.variant().without("unroll").id, point.device_uuid}];
    const std::string copies = point.axes.value("unroll");
    if (copies == "4") sizes.few = &point;
    if (copies == "8") sizes.many = &point;
  }
  std::vector<Aggregate> made;
  for (const auto& [name, sizes] : found)
    if (sizes.few != nullptr && sizes.many != nullptr) made.push_back(one_item(sizes));
  return made;
}

namespace {

constexpr int small_unroll = 4, large_unroll = 8;

using Key = std::tuple<std::string, std::string, std::string, std::string>;

struct FormSizes {
  const Aggregate* small = nullptr;
  const Aggregate* large = nullptr;
  bool any() const { return small != nullptr || large != nullptr; }
};

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
    const std::string unroll = axes.value("unroll");
    if (unroll == "8") sizes.large = &point;
    if (!axes.names("unroll") || unroll == "4") sizes.small = &point;
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

void take_link(const std::map<std::string, const Aggregate*>& links, const FormSizes& sizes,
               FormCost& cost) {
  const auto small = links.find(sizes.small->sass_class);
  const auto large = links.find(sizes.large->sass_class);
  if (small == links.end() || large == links.end()) return;
  cost.has_link = true;
  cost.link =
      difference(figure_of(*large->second), figure_of(*small->second), large_unroll - small_unroll);
  cost.without_link = difference(cost.isolated, cost.link);
}

Figure cost_of(const FormSizes& sizes, const std::string& form) {
  return difference(figure_of(sizes.large, form + " x8"), figure_of(sizes.small, form + " x4"),
                    large_unroll - small_unroll);
}

// Tries in a row of one warp sleep together and time out together: four more of them are one
// time-out more, which is not a cost of a try.
void say_time_out(const FormCost& cost, Figure& figure) {
  constexpr double longest_poll = 500;  // cycles of a try that does not sleep are far below
  const bool may_sleep = cost.path == "blocked" && cost.measure == "throughput" &&
                         cost.form.find("try_wait") != std::string::npos;
  if (!may_sleep || !figure.reason.empty() || figure.value < longest_poll) return;
  figure.reason = {
      data::Missing::time_out,
      fmt::format("not_linear:a time-out of {:.0f} cycles for four tries, two for eight",
                  (large_unroll - small_unroll) * figure.value)};
}

}  // namespace

std::vector<FormCost> form_costs(const std::vector<Aggregate>& points) {
  std::vector<FormCost> costs;
  const auto links = find_links(points);
  for (const auto& [key, found] : find_points(points)) {
    FormCost cost;
    std::tie(cost.form, cost.path, cost.measure, cost.lanes) = key;
    cost.isolated = cost_of(found.isolated, cost.form);
    cost.loaded = cost_of(found.loaded, cost.form);
    for (Figure* figure : {&cost.isolated, &cost.loaded}) say_time_out(cost, *figure);
    cost.has_loaded = found.loaded.any();
    if (found.isolated.small != nullptr && found.isolated.large != nullptr) {
      cost.small = found.isolated.small;
      cost.large = found.isolated.large;
      cost.sass_class = found.isolated.small->sass_class;
      cost.text_hashes = found.isolated.small->text_hash + found.isolated.large->text_hash;
      if (cost.measure == "latency") take_link(links, found.isolated, cost);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

std::map<std::string, std::string> measured_forms(const std::vector<Aggregate>& points) {
  std::map<std::string, std::string> forms;
  for (const FormCost& cost : form_costs(points)) {
    const auto [at, is_new] = forms.emplace(cost.form, cost.isolated.reason.text);
    if (!is_new && cost.isolated.reason.empty()) at->second.clear();
  }
  return forms;
}

}  // namespace phasebit::report::data
