#include "analysis/report/data/without_loop.h"

#include <algorithm>
#include <map>

namespace phasebit::report::data {
namespace {

constexpr double few_items = 4, many_items = 8;

struct Sizes {
  const Aggregate *few = nullptr, *many = nullptr;
};

// The sum of what both have, by the weights that the difference gives them.
double added(double few, double many) {
  return (many_items * many + few_items * few) / (many_items - few_items);
}

double subtracted(double few, double many) {
  return (many_items * many - few_items * few) / (many_items - few_items);
}

Aggregate alone(const Sizes& sizes) {
  const Aggregate &few = *sizes.few, &many = *sizes.many;
  Aggregate out = many;
  auto variant = std::make_shared<const record::VariantRow>(many.axes.variant().without("unroll"));
  out.id = variant->id;
  out.axes = many.axes.of(std::move(variant));
  out.same_as.clear();
  for (const Aggregate* part : {&few, &many})
    if (out.reason.empty()) out.reason = part->reason;
  for (const record::Flag& flag : few.flags)
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
  std::map<std::pair<std::string, std::string>, Sizes> found;  // by id of one item, and device
  for (const Aggregate& point : points) {
    if (!is_unrolled_item(point.axes)) continue;
    Sizes& sizes = found[{point.axes.variant().without("unroll").id, point.device_uuid}];
    const std::string copies = point.axes.value("unroll");
    if (copies == "4") sizes.few = &point;
    if (copies == "8") sizes.many = &point;
  }
  std::vector<Aggregate> made;
  for (const auto& [name, sizes] : found)
    if (sizes.few != nullptr && sizes.many != nullptr) made.push_back(alone(sizes));
  return made;
}

}  // namespace phasebit::report::data
