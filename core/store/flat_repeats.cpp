#include "core/store/flat_repeats.h"

#include <algorithm>

namespace phasebit::store {
namespace {

// Columns without which it is not known whether two rows are of one point.
constexpr std::string_view of_a_point[] = {"aa_control", "sm",        "first_warp", "start_offset",
                                           "padding",    "gap_after", "gap_warps"};

}  // namespace

Status FlatRepeats::add(const FlatRow& row) {
  PHASEBIT_TRY(add_class(row));
  PHASEBIT_TRY(add_figure(row));
  ++rows_;
  return {};
}

Status FlatRepeats::add_class(const FlatRow& row) {
  const record::PointRow& point = row.point;
  if (point.sass_class.empty()) return {};
  class_of_.emplace(row.number, point.sass_class);
  if (row.figure_point) same_code_.push_back({rows_, *row.figure_point, point.sass_class});
  if (point.text_hash.empty()) return {};
  const auto [at, is_new] = classes_.try_emplace(
      {point.run_id, point.variant_id, point.ptx_hash, point.text_hash}, point.sass_class);
  if (at->second == point.sass_class) return {};
  return fail(Step::store,
              "column 'sass_class': {} has {} here and {} in an earlier row of the same code",
              point.variant_id, point.sass_class, at->second);
}

Status FlatRepeats::add_figure(const FlatRow& row) {
  const record::PointRow& point = row.point;
  if (!row.cycles || row.samples > 0) return {};
  if (!point.lacks.empty() &&
      std::ranges::any_of(of_a_point, [&](std::string_view column) { return row.lacks(column); }))
    return {};
  Figures figures = {row.cycles};
  for (std::size_t n = 0; n < most_readings; ++n) figures[n + 1] = row.readings[n].value;
  const record::Conditions& at = point.conditions;
  const auto [known, is_new] =
      figures_.try_emplace({point.run_id, point.variant_id, point.device_uuid, point.text_hash,
                            point.kind, point.repetition, point.aa_control, at.sm, at.first_warp,
                            at.start_offset, at.padding, at.gap_after, at.gap_warps},
                           figures);
  for (std::size_t n = 0; n < figures.size(); ++n) {
    const std::optional<double>&ours = figures[n], &earlier = known->second[n];
    if (ours == earlier || !ours || !earlier) continue;
    return fail(Step::store,
                "column '{}': {} (repetition {}) has {} here and {} in an earlier row of the same "
                "device and conditions, and neither has samples",
                n == 0 ? "cycles" : fmt::format("reading_{}_value", n), point.variant_id,
                point.repetition, *ours, *earlier);
  }
  return {};
}

std::optional<FlatRepeats::Contradiction> FlatRepeats::check_figure_classes() const {
  for (const SameCode& one : same_code_)
    if (const auto of = class_of_.find(one.figure_point);
        of != class_of_.end() && of->second != one.sass_class)
      return Contradiction{
          one.place, fmt::format("column 'sass_class': {}, and point {}, whose figures it has, {}",
                                 one.sass_class.text(), one.figure_point, of->second.text())};
  return std::nullopt;
}

}  // namespace phasebit::store
