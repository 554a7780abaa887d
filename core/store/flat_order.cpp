#include "core/store/flat.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace phasebit::store {

using record::PointRow;
using record::Results;
using record::RunRow;

namespace {

void sort_devices_and_runs(Results& results) {
  std::ranges::sort(results.devices, {}, &record::DeviceRow::uuid);
  std::ranges::sort(results.runs, [](const RunRow& a, const RunRow& b) {
    return std::tie(a.started, a.id) < std::tie(b.started, b.id);
  });
}

// The rows of one run stay as they are among each other; `before` orders the rest.
template <typename Before>
void sort_points(Results& results, const Before& before) {
  std::unordered_map<Word, std::size_t> place;
  for (const RunRow& run : results.runs) place.emplace(run.id, place.size());
  for (const PointRow& point : results.points) place.emplace(point.run_id, place.size());
  const auto in_order = [&](const PointRow& a, const PointRow& b) {
    if (a.run_id != b.run_id) return place[a.run_id] < place[b.run_id];
    return before(a, b);
  };
  if (!std::ranges::is_sorted(results.points, in_order))
    std::ranges::stable_sort(results.points, in_order);
}

bool before_in_file(const PointRow& a, const PointRow& b) {
  return std::tie(a.variant_id, a.device_uuid, a.repetition) <
         std::tie(b.variant_id, b.device_uuid, b.repetition);
}

}  // namespace

Results sorted_by_run(Results results) {
  sort_devices_and_runs(results);
  sort_points(results, [](const PointRow&, const PointRow&) { return false; });
  return results;
}

Results in_file_order(Results results) {
  sort_devices_and_runs(results);
  sort_points(results, before_in_file);
  std::unordered_map<Word, std::size_t> place;
  for (const PointRow& point : results.points) place.emplace(point.variant_id, place.size());
  const auto place_of = [&](const record::VariantRow& variant) {
    const auto at = place.find(variant.id);
    return at == place.end() ? place.size() : at->second;
  };
  std::ranges::stable_sort(results.variants, {}, place_of);
  return results;
}

image::CatalogueFacts facts_of(const Results& results) {
  std::map<std::string, std::map<std::string, std::size_t>> defaults;
  std::map<const image::KeyAxes*, std::size_t> lists;
  for (const record::VariantRow& variant : results.variants)
    if (variant.has_key()) ++lists[variant.defaults.get()];
  for (const auto& [list, variants] : lists)
    for (const auto& [axis, value] : *list) defaults[axis][value] += variants;
  for (const char* component : image::component_axes) defaults.erase(component);
  image::CatalogueFacts facts{{}, results.catalogue.protocols};
  for (const auto& [axis, values] : defaults)
    facts.axes[axis].default_value =
        std::ranges::max_element(values, {}, [](const auto& one) { return one.second; })->first;
  return facts;
}

}  // namespace phasebit::store
