// Rows by the variant that they are of.
#pragma once

#include "core/record/record.h"

#include <string>
#include <utility>
#include <vector>

namespace phasebit::report::data {

// Rows of one variant of a kind on a GPU, by their texts in the order in which these first came.
struct VariantRows {
  const record::PointRow* any = nullptr;
  std::vector<std::pair<Word, std::vector<const record::PointRow*>>> texts;
};

// Sorted by kind, variant and GPU. The points must outlive them.
std::vector<VariantRows> rows_by_variant(const record::Rows& points);

}  // namespace phasebit::report::data
