#include "analysis/report/tables/products/product.h"

#include "core/image/product/product.h"

#include <algorithm>

namespace phasebit::report::tables::products {

// A slot is rows of A and of B; a slot of several items is as much deeper.
Product product_of(const data::VariantAxes& axes) {
  const int columns = axes.number("tile_n");
  return {axes.number("payload_bytes") / image::product::row_bytes - columns, columns,
          image::product::depth * std::max(1, axes.number("items_a_phase", 1))};
}

bool is_ring(const data::Aggregate& point) {
  return point.reason.empty() && point.axes.value("probe") == "ring" &&
         point.axes.number("tile_n") > 0 && product_of(point.axes).rows > 0;
}

bool waits(const data::Aggregate& point) {
  return point.axes.waited_on() != "-";
}

}  // namespace phasebit::report::tables::products
