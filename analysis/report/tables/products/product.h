// The product that an item of a ring is, by the axes of its variant.
#pragma once

#include "analysis/report/data/report_data.h"

#include <compare>

namespace phasebit::report::tables::products {

struct Product {
  int rows = 0, columns = 0, depth = 0;
  auto operator<=>(const Product&) const = default;
  double multiply_adds() const { return 1.0 * rows * columns * depth; }
};

// Of an item; of a variant whose axis tile_n says columns.
Product product_of(const data::VariantAxes& axes);

// A ring that multiplies and has a figure: cycles an item, where a stream's are ns.
bool is_ring(const data::Aggregate& point);

// Not a loop in which nobody waits, which is the ceiling of rings.
bool waits(const data::Aggregate& point);

}  // namespace phasebit::report::tables::products
