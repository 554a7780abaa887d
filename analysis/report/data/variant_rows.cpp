#include "analysis/report/data/variant_rows.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace phasebit::report::data {

using results::PointRow;

namespace {

void add_row(VariantRows& rows, const PointRow& point) {
  rows.any = &point;
  auto text = std::find_if(rows.texts.begin(), rows.texts.end(),
                           [&](const auto& one) { return one.first == point.text_hash; });
  if (text == rows.texts.end()) text = rows.texts.insert(text, {point.text_hash, {}});
  text->second.push_back(&point);
}

}  // namespace

std::vector<VariantRows> rows_by_variant(const results::Rows& points) {
  struct Hash {
    size_t operator()(const PointRow* row) const {
      const std::hash<Word> of;
      return of(row->variant_id) * 31 + of(row->device_uuid) + static_cast<size_t>(row->kind);
    }
  };
  struct Same {
    bool operator()(const PointRow* a, const PointRow* b) const {
      return a->kind == b->kind && a->variant_id == b->variant_id &&
             a->device_uuid == b->device_uuid;
    }
  };
  std::unordered_map<const PointRow*, VariantRows, Hash, Same> found;
  found.reserve(points.size());
  for (const PointRow* point : points) add_row(found[point], *point);
  std::vector<VariantRows> rows;
  rows.reserve(found.size());
  for (auto& [first, of_variant] : found) rows.push_back(std::move(of_variant));
  std::sort(rows.begin(), rows.end(), [](const VariantRows& a, const VariantRows& b) {
    return std::tie(a.any->kind, a.any->variant_id, a.any->device_uuid) <
           std::tie(b.any->kind, b.any->variant_id, b.any->device_uuid);
  });
  return rows;
}

}  // namespace phasebit::report::data
