#include "analysis/report/claims/claim_rows.h"

#include "analysis/report/data/comparison.h"
#include "analysis/report/data/form_costs.h"
#include "analysis/report/data/without_loop.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace phasebit::report::claims {

using data::Aggregate;
using data::figure_of;
using data::ReportData;

namespace {

constexpr std::string_view cycles_name = "cycles", without_loop_name = "without_loop",
                           without_link_name = "without_link";
constexpr const char* one_size = "measured in one size: its loop is in it";

// How a probe is measured in two sizes: the axis of the size, and whether a figure is of one item
// or of as many as the size says.
struct Sizes {
  std::string_view probe, axis;
  bool of_all;
};
constexpr std::array<Sizes, 7> known_sizes = {{{"verb", "num_stages", true},
                                               {"form", "unroll", true},
                                               {"handoff", "unroll", false},
                                               {"fanin", "unroll", false},
                                               {"entangle", "unroll", false},
                                               {"cluster", "unroll", false},
                                               {"remote", "unroll", false}}};

const Sizes* sizes_of(const data::VariantAxes& axes) {
  const std::string probe = axes.value("probe");
  const auto found = std::find_if(known_sizes.begin(), known_sizes.end(),
                                  [&](const Sizes& one) { return one.probe == probe; });
  return found == known_sizes.end() || !axes.has(std::string(found->axis)) ? nullptr : &*found;
}

// What all rows of some results share.
class Maker {
 public:
  explicit Maker(const ReportData& data) : aggregation_(data.aggregation) {
    for (const record::DeviceRow& device : data.devices) device_ = device.name;
  }

  ClaimRow row(const Aggregate& of, std::string_view without_axis = {}) const {
    ClaimRow row;
    row.ids = {of.id};
    const record::VariantRow& variant = of.axes.variant();
    for (const auto& [axis, value] : variant.axes())
      if (axis != without_axis) row.axes.emplace_back(axis, value);
    if (variant.defaults != nullptr)
      for (const auto& [axis, value] : variant.named)
        if (std::none_of(variant.defaults->begin(), variant.defaults->end(),
                         [&, name = axis](const auto& one) { return one.first == name; }))
          row.own.push_back(axis);
    row.axes.emplace_back("device", device_);
    row.axes.emplace_back(gpu_axis, of.device_uuid);
    if (variant.find("ptxas") == nullptr) row.axes.emplace_back("ptxas", of.run_ptxas);
    if (!of.ran_on.empty()) row.axes.emplace_back(ran_on_axis, of.ran_on);
    std::sort(row.axes.begin(), row.axes.end());
    row.floor = floor_of(of);
    return row;
  }

 private:
  // A/A, cycles: the floor of the row's stratum in cycles or as a share of its figure, whichever is
  // less. A stratum holds figures of 20 and of 8000 cycles, whose differences in cycles say nothing
  // of each other.
  double floor_of(const Aggregate& row) const {
    const data::Floor floor = data::floor_of(aggregation_, row.axes.stratum());
    return std::min(floor.cycles, floor.percent / 100 * std::abs(row.cycles));
  }

  const data::Aggregation& aggregation_;
  Word device_;
};

// Of a text that changed only the newest counts.
std::vector<const Aggregate*> newest(const std::vector<Aggregate>& points) {
  std::vector<const Aggregate*> all;
  for (const Aggregate& point : points) {
    if (!all.empty() && all.back()->id == point.id) all.pop_back();
    all.push_back(&point);
  }
  return all;
}

// One thing by the sizes that it was measured in.
using BySize = std::map<int, const Aggregate*>;

// Of several copies in a row, the difference of two numbers of them.
ClaimRow one_copy(const Maker& maker, const Sizes& sizes, const BySize& found) {
  const auto [few, small] = *found.begin();
  const auto [many, large] = *found.rbegin();
  ClaimRow row = maker.row(*large, sizes.axis);
  if (few == many) {
    row.figure = figure_of(*large);
    if (row.figure.reason.empty()) row.figure.reason = data::unusable(one_size);
    return row;
  }
  row.ids = {large->id, small->id};
  row.figure = data::difference(figure_of(*large), figure_of(*small), many - few);
  row.floor = (row.floor + maker.row(*small).floor) / (many - few);
  return row;
}

// Of an item whose loop is subtracted (data/without_loop.h): `alone` is null where it was not.
ClaimRow one_item(const Maker& maker, const Sizes& sizes, const BySize& found,
                  const Aggregate* alone) {
  ClaimRow row = maker.row(*found.rbegin()->second, sizes.axis);
  row.figure = figure_of(alone == nullptr ? *found.rbegin()->second : *alone);
  if (alone == nullptr && row.figure.reason.empty()) row.figure.reason = data::unusable(one_size);
  if (alone == nullptr) return row;
  row.ids.clear();
  for (auto size = found.rbegin(); size != found.rend() && size->first > 1; ++size)
    row.ids.push_back(size->second->id);
  return row;
}

std::vector<ClaimRow> differences(const ReportData& data, const Maker& maker) {
  std::map<std::string, std::pair<const Sizes*, BySize>> groups;
  for (const Aggregate* point : newest(data.aggregation.points)) {
    const Sizes* sizes = sizes_of(point->axes);
    if (sizes == nullptr) continue;
    const std::string axis(sizes->axis);
    const auto size = base::number_in(point->axes.value(axis));
    if (!size) continue;
    auto& group = groups[point->axes.variant().without(axis).id];
    group.first = sizes;
    group.second[static_cast<int>(*size)] = point;
  }
  std::vector<ClaimRow> rows;
  for (const auto& [id, group] : groups)
    rows.push_back(group.first->of_all ? one_copy(maker, *group.first, group.second)
                                       : one_item(maker, *group.first, group.second,
                                                  data::find_variant(data.aggregation.alone, id)));
  return rows;
}

// Chains of single forms without what leads from a result to the next operand.
std::vector<ClaimRow> without_links(const ReportData& data, const Maker& maker) {
  constexpr double sizes_apart = 4;
  std::vector<ClaimRow> rows;
  for (const data::FormCost& cost : data::form_costs(data.aggregation.points)) {
    if (!cost.has_link) continue;
    ClaimRow row = maker.row(*cost.small, "unroll");
    row.ids = {cost.large->id, cost.small->id};
    row.figure = cost.alone;
    row.floor = (row.floor + maker.row(*cost.large).floor) / sizes_apart;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

namespace {

std::vector<ClaimRow> rows_of(const ReportData& data, const std::string& figure) {
  const Maker maker(data);
  if (figure == without_loop_name) return differences(data, maker);
  if (figure == without_link_name) return without_links(data, maker);
  std::vector<ClaimRow> rows;
  for (const Aggregate* point : newest(data.aggregation.points)) {
    // Several items in a loop's body are measured for their difference alone.
    if (data::is_unrolled_item(point->axes)) continue;
    if (figure == cycles_name) {
      rows.push_back(maker.row(*point));
      rows.back().figure = figure_of(*point);
    } else if (point->reading(figure) != nullptr || !point->reason.empty()) {
      rows.push_back(maker.row(*point));
      rows.back().figure = figure_of(*point, figure);
      // The floor is of cycles; a reading has its interval alone.
      rows.back().floor = 0;
    }
  }
  return rows;
}

}  // namespace

bool joins_gpus(std::string_view figure) {
  return figure == without_link_name;
}

std::vector<ClaimRow> claim_rows(const ReportData& data, const std::string& figure) {
  std::vector<ClaimRow> rows = rows_of(data, figure);
  // What the repetitions changed on purpose must not make a difference.
  for (ClaimRow& row : rows) row.floor = std::max(row.floor, row.figure.spread);
  return rows;
}

}  // namespace phasebit::report::claims
