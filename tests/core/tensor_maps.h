// Tensor maps that several tests begin with.
#pragma once

#include "core/launch/tensor/map.h"

namespace phasebit::test {

// Rows of 32 words, 296 of them; a box of 8 rows.
inline launch::tensor::TensorMap plain_map() {
  launch::tensor::TensorMap map;
  map.name = "m";
  map.buffer = "b";
  map.sizes = {32, 296};
  map.strides = {128};
  map.box = {32, 8};
  return map;
}

}  // namespace phasebit::test
