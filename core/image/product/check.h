// What a payload that says `product` must be, before it is held against one.
#pragma once

#include "core/image/product/product.h"

#include <string>

namespace phasebit::image::product {

// Of a slot: its words, the threads that share it, the images whose words differ.
struct Slot {
  int words = 0, threads = 0, images = 0;
};

// Why the threads' accumulators cannot be known; "" when they can, and without a product.
std::string why_unknown(const ProductShape& product, const Slot& slot);

}  // namespace phasebit::image::product
