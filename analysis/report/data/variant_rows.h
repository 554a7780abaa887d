// Rows by the variant that they are of.
#pragma once

#include "core/results/record.h"

#include <string>
#include <utility>
#include <vector>

namespace phasebit::report::data {

// Rows of one variant of a kind on a GPU, by their texts in the order in which these first came.
struct VariantRows {
  const results::PointRow* any = nullptr;
  std::vector<std::pair<Word, std::vector<const results::PointRow*>>> texts;
};

// Sorted by kind, variant and GPU. The points must outlive them.
std::vector<VariantRows> rows_by_variant(const results::Rows& points);

}  // namespace phasebit::report::data
