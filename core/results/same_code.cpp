#include "core/results/same_code.h"

namespace phasebit::results {

void set_same_code(PointRow& row, const Word& measured) {
  row.verdict = Verdict::same_code;
  row.same_as = measured;
}

std::size_t MeasuredCode::Hash::operator()(const Key& key) const {
  const std::hash<Word> of;
  const auto& [variant, gpu, repetition] = key;
  return (of(variant) * 31 + of(gpu)) * 31 + static_cast<std::size_t>(repetition);
}

MeasuredCode::Key MeasuredCode::key_of(const PointRow& row, const Word& variant) const {
  return {variant, row.device_uuid, repetition_ == Repetition::same ? row.repetition : 0};
}

const PointRow* MeasuredCode::find(const PointRow& row, const Word& same_as) const {
  const auto at = rows_.find(key_of(row, same_as));
  return at == rows_.end() || at->second->sass_class != row.sass_class ? nullptr : at->second;
}

MeasuredCode measured_code(const Results& results) {
  MeasuredCode measured(MeasuredCode::Repetition::same);
  for (const PointRow& row : results.points)
    if (row.measured() && !row.error && !row.aa_control && row.kind == PointKind::point)
      measured.add(row);
  return measured;
}

std::set<VariantOnGpu> measured_for(const Rows& points) {
  std::set<VariantOnGpu> measured;
  for (const PointRow* point : points)
    if (!point->same_as.empty()) measured.emplace(point->device_uuid, point->same_as);
  return measured;
}

std::unordered_set<Word> with_measured(const std::vector<PointRow>& points,
                                       std::unordered_set<Word> variants) {
  std::unordered_set<Word> others;
  for (const PointRow& point : points)
    if (!point.same_as.empty() && variants.contains(point.variant_id)) others.insert(point.same_as);
  variants.merge(others);
  return variants;
}

}  // namespace phasebit::results
