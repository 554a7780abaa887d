// A tensor map: what a tensor copy reads of global memory, and how it lays a tile into shared
// memory. The bench has the driver encode it; core/launch/tensor/tile.h is the same on the CPU.
#pragma once

#include "core/base/fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::launch::tensor {

// Each in the order of the driver's enumeration (cuda.h, CUtensorMapDataType and those after it).
enum class TensorElement {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz
};
enum class TensorInterleave { none, by_16, by_32 };
enum class TensorSwizzle { none, by_32, by_64, by_128, atom_32, atom_32_flip_8, atom_64 };
enum class TensorPromotion { none, to_64, to_128, to_256 };
enum class TensorFill { zeros, nan };

// The words of heads and manifests, in the order of the enumerations: "f16", "128B".
const std::vector<std::string>& words_of(TensorElement element);
const std::vector<std::string>& words_of(TensorInterleave interleave);
const std::vector<std::string>& words_of(TensorSwizzle swizzle);
const std::vector<std::string>& words_of(TensorPromotion promotion);
const std::vector<std::string>& words_of(TensorFill fill);

// Instead of a box: the pixels that a filter goes over.
struct TensorIm2col {
  // Corners of the bounding box, of the dimensions between the first (channels) and the last
  // (images): offsets from the tensor's first and from its last element.
  std::vector<int> lower, upper;
  int channels = 0;  // of a pixel
  int pixels = 0;    // of a copy
  bool operator==(const TensorIm2col&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const TensorIm2col* /*type*/) {
  visit("lower", &TensorIm2col::lower, {.always = true});
  visit("upper", &TensorIm2col::upper, {.always = true});
  visit("channels", &TensorIm2col::channels, {.always = true});
  visit("pixels", &TensorIm2col::pixels, {.always = true});
}

struct TensorMap {
  std::string name;    // of the entry's parameter: 128 bytes at a multiple of 64
  std::string buffer;  // that the tensor lies in: one of the launch's, or "payload_in"
  TensorElement element = TensorElement::u32;
  std::vector<std::int64_t> sizes;    // elements, the innermost dimension first; so many dimensions
  std::vector<std::int64_t> strides;  // bytes, of all dimensions but the innermost
  std::vector<int> box;               // elements of a tile; none of im2col
  std::vector<int> steps;             // every how many elements of the box; empty: every one
  TensorInterleave interleave = TensorInterleave::none;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorPromotion promotion = TensorPromotion::none;
  TensorFill fill = TensorFill::zeros;
  std::optional<TensorIm2col> im2col = {};
  int rank() const { return static_cast<int>(sizes.size()); }
  bool operator==(const TensorMap&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const TensorMap* /*type*/) {
  visit("name", &TensorMap::name, {.must = ""});
  visit("buffer", &TensorMap::buffer, {.must = ""});
  visit("element", &TensorMap::element, {.always = true});
  visit("sizes", &TensorMap::sizes, {.always = true});
  visit("strides", &TensorMap::strides);
  visit("box", &TensorMap::box);
  visit("steps", &TensorMap::steps);
  visit("interleave", &TensorMap::interleave);
  visit("swizzle", &TensorMap::swizzle);
  visit("promotion", &TensorMap::promotion);
  visit("fill", &TensorMap::fill);
  visit("im2col", &TensorMap::im2col, {.if_set = true});
}
// Strides of a tensor without gaps.
TensorMap usual(const TensorMap& map);

int bytes_of(TensorElement element);
bool is_float(TensorElement element);
// Bytes in which the swizzle moves its atoms: those of a row of the tile. 0 without one.
int span_of(TensorSwizzle swizzle);
// Of the place in shared memory, so that the pattern begins with the tile.
int alignment_of(const TensorMap& map);
// Elements of a tile in each dimension, and its bytes in shared memory.
std::vector<int> tile_sizes(const TensorMap& map);
std::int64_t tile_bytes(const TensorMap& map);
// Elements of the outermost dimension from one tile to the next: those of the box, or one image.
int tile_step(const TensorMap& map);
// From the first byte of the tensor to after its last.
std::int64_t tensor_bytes(const TensorMap& map);

// "a tensor of 32 x 296 u32, a box of 32 x 8, swizzle 128B", for messages.
std::string describe(const TensorMap& map);

// What a map cannot be, by its key in a head: "box", "300 elements in dimension 1: 256 at most".
struct TensorComplaint {
  std::string key, what, hint;
};
// Nothing for one that the driver should take (CUDA driver API, cuTensorMapEncodeTiled and
// cuTensorMapEncodeIm2col). `buffer_bytes`: of the buffer that the tensor lies in.
std::optional<TensorComplaint> complaint_about(const TensorMap& map, std::int64_t buffer_bytes);

}  // namespace phasebit::launch::tensor
