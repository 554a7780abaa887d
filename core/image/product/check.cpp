#include "core/image/product/check.h"

#include <fmt/format.h>

namespace phasebit::image::product {

std::string why_unknown(const ProductShape& product, const Slot& slot) {
  if (product.rows == 0) return "";
  if (product.rows % warp_rows != 0 || product.columns % 8 != 0 || product.columns == 0)
    return fmt::format("{} rows and {} columns are not multiples of {} and 8", product.rows,
                       product.columns, warp_rows);
  if (product.slot_bytes() != 4 * slot.words)
    return fmt::format("matrices of {} and {} rows, {} times, take {} words, a slot has {}",
                       product.rows, product.columns, product.blocks, product.slot_bytes() / 4,
                       slot.words);
  if (slot.threads != 2 * product.rows)
    return fmt::format("{} threads multiply {} rows, {} are read", slot.threads, slot.threads / 2,
                       product.rows);
  if (slot.images <= 0) return "its slots have images, whose number is `period`";
  return "";
}

}  // namespace phasebit::image::product
