// The words of a tensor map's enumerations, as heads and manifests write them.
#pragma once

#include "core/image/tensor/map.h"

namespace phasebit::image::tensor {

inline const std::string& word_of(TensorElement value) {
  return element_words()[static_cast<std::size_t>(value)];
}
inline const std::string& word_of(TensorInterleave value) {
  return interleave_words()[static_cast<std::size_t>(value)];
}
inline const std::string& word_of(TensorSwizzle value) {
  return swizzle_words()[static_cast<std::size_t>(value)];
}
inline const std::string& word_of(TensorPromotion value) {
  return promotion_words()[static_cast<std::size_t>(value)];
}
inline const std::string& word_of(TensorFill value) {
  return fill_out_words()[static_cast<std::size_t>(value)];
}

}  // namespace phasebit::image::tensor
