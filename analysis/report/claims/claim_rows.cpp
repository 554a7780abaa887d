#include "analysis/report/claims/claim_rows.h"

#include "analysis/report/data/comparison.h"
#include "analysis/report/data/without_loop.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace phasebit::report::claims {

using base::contains;
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
    for (const results::DeviceRow& device : data.devices) device_ = device.name;
  }

  ClaimRow row(const Aggregate& of, std::string_view without_axis = {}) const {
    ClaimRow row;
    row.ids = {of.id};
    row.code = of.sass_class.empty() ? of.id : of.sass_class;
    const results::VariantRow& variant = of.axes.variant();
    for (const auto& [axis, value] : variant.axes())
      if (axis != without_axis) row.axes.emplace_back(axis, value);
    if (variant.defaults != nullptr)
      for (const auto& [axis, value] : variant.named)
        if (std::none_of(variant.defaults->begin(), variant.defaults->end(),
                         [&, name = axis](const auto& one) { return one.first == name; }))
          row.own.push_back(axis);
    for (const auto& [axis, value] : variant.named)
      if (axis != without_axis) row.set.push_back(axis);
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
  std::vector<data::LoopOfSize> loops;
  row.code.clear();
  for (const auto& [size, one] : found) {
    loops.push_back({static_cast<double>(size), figure_of(*one)});
    row.code += maker.row(*one).code + " ";
  }
  row.figure = data::per_operation(std::move(loops), data::longest_loop_of(large->axes));
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
  row.code.clear();
  for (auto size = found.rbegin(); size != found.rend() && size->first > 1; ++size) {
    row.ids.push_back(size->second->id);
    row.code += maker.row(*size->second).code + " ";
  }
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
    rows.push_back(group.first->of_all
                       ? one_copy(maker, *group.first, group.second)
                       : one_item(maker, *group.first, group.second,
                                  data::find_variant(data.aggregation.without_loop, id)));
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
    row.code += " " + maker.row(*cost.large).code;
    row.figure = cost.without_link;
    row.floor = (row.floor + maker.row(*cost.large).floor) / sizes_apart;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ClaimRow> rows_of(const ReportData& data, const std::string& figure) {
  const Maker maker(data);
  if (figure == without_loop_name) return differences(data, maker);
  if (figure == without_link_name) return without_links(data, maker);
  std::vector<ClaimRow> rows;
  for (const Aggregate* point : newest(data.aggregation.points)) {
    const bool unrolled = data::is_unrolled_item(point->axes);
    if (figure == cycles_name) {
      rows.push_back(maker.row(*point));
      rows.back().figure = figure_of(*point);
      rows.back().unrolled = unrolled;
    } else if (unrolled) {
      continue;
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

namespace {

// A control is meant by what else the claim selects.
bool is_control(const Claim& claim, const ClaimRow& row) {
  return claim.against.matches(row.axes) &&
         std::all_of(
             claim.where.tests().begin(), claim.where.tests().end(), [&](const AxisTest& test) {
               const std::string* value = axis_of(row.axes, test.axis);
               return value != nullptr && (claim.against.names(test.axis) || test.holds(*value));
             });
}

std::string key_of(const Claim& claim, const ClaimRow& row) {
  std::string key;
  for (const auto& [axis, value] : row.axes)
    if (!claim.against.names(axis))
      key.append(axis.text()).append("=").append(value.text()).append("\n");
  return key;
}

ClaimRow joined(const Claim& claim, const ClaimRow& row, const ClaimRow& control) {
  ClaimRow out = row;
  const double base = std::abs(control.figure.value);
  out.floor = row.floor + control.floor;
  if (claim.against_as == AgainstAs::difference) {
    out.figure = data::difference(row.figure, control.figure);
  } else {
    out.figure = data::change_percent(row.figure, control.figure);
    if (base > 0) out.floor = 100 * out.floor / base;
  }
  out.ids.insert(out.ids.end(), control.ids.begin(), control.ids.end());
  out.control_has_equal_code = row.code == control.code;
  out.code += " " + control.code;
  return out;
}

}  // namespace

std::vector<ClaimRow> against_control(const Claim& claim, const std::vector<ClaimRow>& rows) {
  std::vector<ClaimRow> out;
  std::unordered_map<std::string, const ClaimRow*> controls;
  for (const ClaimRow& row : rows)
    if (is_control(claim, row)) controls[key_of(claim, row)] = &row;
  for (const ClaimRow& row : rows) {
    if (!claim.where.matches(row.axes) || claim.against.matches(row.axes)) continue;
    const auto control = controls.find(key_of(claim, row));
    if (control != controls.end()) {
      out.push_back(joined(claim, row, *control->second));
      continue;
    }
    out.push_back(row);
    if (out.back().figure.reason.empty())
      out.back().figure.reason = data::unusable("its control is not there");
  }
  return out;
}

bool holds_when(const Claim& claim, const ClaimRow& row) {
  if (claim.when.empty()) return true;
  const auto value = claim.when.value([&](const std::string& axis) -> std::optional<double> {
    const std::string* word = axis_of(row.axes, axis);
    return word == nullptr ? std::nullopt : base::number_in(*word);
  });
  return value && *value > 0;
}

namespace {

bool names(const Claim& claim, const std::string& axis) {
  return claim.where.names(axis) || claim.a.names(axis) || claim.b.names(axis);
}

bool is_meant(const Claim& claim, const ClaimRow& row, bool every_device) {
  static const Word device("device"), ptxas("ptxas");
  if (!every_device && !claim.speaks_of(*axis_of(row.axes, device))) return false;
  if (!axis_of(row.axes, ptxas)->starts_with(claim.ptxas)) return false;
  if (row.unrolled && !claim.unrolled && !names(claim, "unroll")) return false;
  return std::all_of(row.own.begin(), row.own.end(), [&](const std::string& axis) {
    return names(claim, axis) || (axis == "ptxas" && !claim.ptxas.empty());
  });
}

// Why a row that is meant cannot be used; "" when it can. One of several values has them by
// condition, which pairs compare.
std::string unusable(const Claim& claim, const data::Figure& figure) {
  const bool several = figure.reason.what == data::Missing::several_values &&
                       contains(claim.accepts, std::string("several_values"));
  if (!figure.reason.empty() && !several) return figure.reason.text;
  using Kind = results::Flag::Kind;
  for (const results::Flag& flag : figure.flags) {
    const bool spoils = flag.kind == Kind::not_linear || flag.kind == Kind::modes ||
                        flag.kind == Kind::interval_too_wide;
    // Of another figure of the row than the one that is spoken of.
    const bool of_this = flag.of.empty() || flag.of == claim.figure;
    if (spoils && of_this && !contains(claim.accepts, std::string(results::word_of(flag.kind))))
      return "flagged " + results::word_of(flag);
  }
  return {};
}

bool is_free(const Claim& claim, const std::string& axis) {
  if (axis == ran_on_axis && !contains(claim.equal, axis)) return true;
  if (axis == gpu_axis && claim.a.names("device")) return true;
  return contains(claim.free, axis) || claim.a.names(axis) || claim.b.names(axis);
}

// The axes in which two rows that are compared must agree: those that both have. An axis that no
// component declares is there, empty, in all.
std::vector<std::string> common_axes(const Claim& claim, const ClaimRow& a, const ClaimRow& b) {
  std::vector<std::string> common;
  for (const auto& [axis, value] : a.axes)
    if (!is_free(claim, axis) && (axis_of(b.axes, axis) != nullptr || contains(a.own, axis)))
      common.push_back(axis);
  for (const std::vector<std::string>* more : {&b.own, &claim.equal})
    for (const std::string& axis : *more)
      if (!contains(common, axis) && !is_free(claim, axis)) common.push_back(axis);
  return common;
}

// Where rows of one shape have these axes.
using Positions = std::vector<std::optional<size_t>>;

Positions positions_of(const ClaimRow& row, const std::vector<std::string>& axes) {
  Positions places;
  for (const std::string& axis : axes) {
    const auto at = std::find_if(row.axes.begin(), row.axes.end(),
                                 [&](const auto& one) { return one.first == axis; });
    places.push_back(at == row.axes.end() ? std::nullopt
                                          : std::optional<size_t>(at - row.axes.begin()));
  }
  return places;
}

std::string key_of(const ClaimRow& row, const Positions& places) {
  std::string key;
  for (const std::optional<size_t>& place : places) {
    if (place) key += row.axes[*place].second.text();
    key += '\n';
  }
  return key;
}

// Rows that have the same axes, whatever their values, agree in the same ones with others.
std::string shape_of(const ClaimRow& row) {
  std::string shape;
  for (const auto& [axis, value] : row.axes) shape.append(axis.text()).append("\n");
  return shape;
}

using Rows = std::vector<size_t>;

std::map<std::string, Rows> by_shape(const std::vector<ClaimRow>& rows, const Rows& chosen) {
  std::map<std::string, Rows> shapes;
  for (const size_t row : chosen) shapes[shape_of(rows[row])].push_back(row);
  return shapes;
}

// `no_figure`: rows that are left out already, of which a comparison is counted alone.
void compare_all(const Claim& claim, const Rows& of_a, const Rows& of_b,
                 const std::set<size_t>& no_figure, ClaimCases& out) {
  std::set<size_t> compared = no_figure;
  const auto shapes_a = by_shape(out.rows, of_a), shapes_b = by_shape(out.rows, of_b);
  for (const auto& [shape, some_a] : shapes_a)
    for (const auto& [other, some_b] : shapes_b) {
      const ClaimRow &first_a = out.rows[some_a.front()], &first_b = out.rows[some_b.front()];
      const auto axes = common_axes(claim, first_a, first_b);
      const Positions in_a = positions_of(first_a, axes), in_b = positions_of(first_b, axes);
      std::unordered_map<std::string, Rows> found;
      for (const size_t b : some_b) found[key_of(out.rows[b], in_b)].push_back(b);
      for (const size_t a : some_a) {
        const auto partners = found.find(key_of(out.rows[a], in_a));
        if (partners == found.end()) continue;
        for (const size_t b : partners->second) {
          if (a == b) continue;
          if (no_figure.contains(a) || no_figure.contains(b)) {
            out.without_figure.push_back({a, b});
            continue;
          }
          out.cases.push_back({a, b});
          compared.insert({a, b});
        }
      }
    }
  for (const Rows* rows : {&of_a, &of_b})
    for (const size_t row : *rows)
      if (compared.insert(row).second) out.left_out.push_back({row, "nothing to compare with"});
}

}  // namespace

ClaimCases cases_of(const Claim& claim, const std::vector<ClaimRow>& rows, bool every_device) {
  ClaimCases out;
  Rows of_a, of_b;
  std::set<size_t> no_figure;
  for (size_t place = 0; place < rows.size(); ++place) {
    const ClaimRow& row = rows[place];
    if (!claim.where.matches(row.axes) || !is_meant(claim, row, every_device)) continue;
    const bool in_a = claim.a.matches(row.axes) && holds_when(claim, row);
    const bool in_b = claim.pairs && claim.b.matches(row.axes);
    if (!in_a && !in_b) continue;
    const size_t number = out.rows.size();
    out.rows.push_back(row);
    out.from.push_back(place);
    if (const std::string why = unusable(claim, row.figure); !why.empty()) {
      out.left_out.push_back({number, why});
      if (row.figure.reason.empty()) continue;  // of a flag
      no_figure.insert(number);
    }
    if (in_a) of_a.push_back(number);
    if (in_b) of_b.push_back(number);
  }
  if (claim.pairs)
    compare_all(claim, of_a, of_b, no_figure, out);
  else
    for (const size_t row : of_a)
      (no_figure.contains(row) ? out.without_figure : out.cases).push_back({row, std::nullopt});
  return out;
}

}  // namespace phasebit::report::claims
