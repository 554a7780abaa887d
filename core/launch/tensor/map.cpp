#include "core/launch/tensor/map.h"

#include "core/base/saturated.h"

#include <fmt/format.h>

namespace phasebit::launch::tensor {

using base::saturated_product;
using base::saturated_sum;

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 32;  // of a dimension
constexpr std::int64_t most_stride = std::int64_t{1} << 40;
constexpr int most_dimensions = 5;
constexpr int most_box = 256, most_step = 8;
constexpr int most_channels = 256, most_pixels = 1024;
// Bits of a corner, by dimensions (driver API, cuTensorMapEncodeIm2col): 3, 4, 5.
constexpr int corner_bits[] = {16, 8, 5};

using Complaint = std::optional<TensorComplaint>;

Complaint complaint_about_tensor(const TensorMap& map) {
  const int least = map.im2col || map.interleave != TensorInterleave::none ? 3 : 1;
  if (map.rank() < least || map.rank() > most_dimensions)
    return TensorComplaint{
        "sizes", fmt::format("{} dimensions", map.rank()),
        fmt::format("{} to {}{}", least, most_dimensions, least == 3 ? " of such a map" : "")};
  for (std::size_t n = 0; n < map.sizes.size(); ++n)
    if (map.sizes[n] < 1 || map.sizes[n] > most_elements)
      return TensorComplaint{"sizes", fmt::format("{} elements in dimension {}", map.sizes[n], n),
                             fmt::format("1 to {}", most_elements)};
  if (map.strides.size() + 1 != map.sizes.size())
    return TensorComplaint{"strides",
                           fmt::format("{} of {} dimensions", map.strides.size(), map.rank()),
                           "one for each dimension but the innermost, bytes"};
  const int unit = map.interleave == TensorInterleave::by_32 ? 32 : 16;
  for (std::size_t n = 0; n < map.strides.size(); ++n)
    if (map.strides[n] <= 0 || map.strides[n] % unit != 0 || map.strides[n] >= most_stride)
      return TensorComplaint{"strides",
                             fmt::format("{} bytes in dimension {}", map.strides[n], n + 1),
                             fmt::format("a multiple of {}, below {}", unit, most_stride)};
  return {};
}

Complaint complaint_about_row(const TensorMap& map, int elements, const char* key) {
  const int bytes = elements * bytes_of(map.element);
  if (map.interleave == TensorInterleave::none && bytes % 16 != 0)
    return TensorComplaint{key, fmt::format("{} bytes in the innermost dimension", bytes),
                           "a multiple of 16"};
  const int span = span_of(map.swizzle);
  if (map.interleave == TensorInterleave::none && span > 0 && bytes > span)
    return TensorComplaint{
        key, fmt::format("{} bytes in the innermost dimension", bytes),
        fmt::format("{} at most with swizzle = \"{}\"", span, base::word_of(map.swizzle))};
  return {};
}

Complaint complaint_about_box(const TensorMap& map) {
  if (map.box.size() != map.sizes.size())
    return TensorComplaint{"box", fmt::format("{} of {} dimensions", map.box.size(), map.rank()),
                           "one for each dimension, elements"};
  for (std::size_t n = 0; n < map.box.size(); ++n)
    if (map.box[n] < 1 || map.box[n] > most_box)
      return TensorComplaint{"box", fmt::format("{} elements in dimension {}", map.box[n], n),
                             fmt::format("1 to {}", most_box)};
  if (!map.steps.empty() && map.steps.size() != map.sizes.size())
    return TensorComplaint{"steps",
                           fmt::format("{} of {} dimensions", map.steps.size(), map.rank()),
                           "one for each dimension, or none"};
  for (std::size_t n = 0; n < map.steps.size(); ++n)
    if (map.steps[n] < 1 || map.steps[n] > most_step)
      return TensorComplaint{"steps", fmt::format("{} in dimension {}", map.steps[n], n),
                             fmt::format("1 to {}", most_step)};
  return complaint_about_row(map, map.box.front(), "box");
}

// A corner that the map has no bits for, and a bounding box without a pixel.
Complaint complaint_about_corners(const TensorMap& map) {
  const TensorIm2col& pixels = *map.im2col;
  const int end = 1 << (corner_bits[map.rank() - 3] - 1);
  for (std::size_t n = 0; n < pixels.lower.size(); ++n) {
    for (const int corner : {pixels.lower[n], pixels.upper[n]})
      if (corner < -end || corner >= end)
        return TensorComplaint{"im2col", fmt::format("corner {} in dimension {}", corner, n + 1),
                               fmt::format("{} to {} of {} dimensions", -end, end - 1, map.rank())};
    if (map.sizes[n + 1] + pixels.upper[n] - pixels.lower[n] < 1)
      return TensorComplaint{"im2col",
                             fmt::format("corners {} and {} leave nothing of {} elements in "
                                         "dimension {}",
                                         pixels.lower[n], pixels.upper[n], map.sizes[n + 1], n + 1),
                             "the size, with upper and less lower, is at least 1"};
  }
  return {};
}

Complaint complaint_about_im2col(const TensorMap& map) {
  const TensorIm2col& pixels = *map.im2col;
  const std::size_t between = map.sizes.size() - 2;
  if (pixels.lower.size() != between || pixels.upper.size() != between)
    return TensorComplaint{
        "im2col",
        fmt::format("corners of {} and {} dimensions", pixels.lower.size(), pixels.upper.size()),
        fmt::format("{} each: all but the first and the last", between)};
  if (!map.box.empty())
    return TensorComplaint{"box", "of an im2col map", "leave it out: channels and pixels say it"};
  if (pixels.channels < 1 || pixels.channels > most_channels)
    return TensorComplaint{"im2col", fmt::format("{} channels", pixels.channels),
                           fmt::format("1 to {}", most_channels)};
  if (pixels.pixels < 1 || pixels.pixels > most_pixels)
    return TensorComplaint{"im2col", fmt::format("{} pixels", pixels.pixels),
                           fmt::format("1 to {}", most_pixels)};
  if (auto corners = complaint_about_corners(map)) return corners;
  return complaint_about_row(map, pixels.channels, "im2col");
}

}  // namespace

const std::vector<std::string>& words_of(TensorElement /*element*/) {
  static const std::vector<std::string> words = {"u8",      "u16",  "u32",     "s32", "u64",
                                                 "s64",     "f16",  "f32",     "f64", "bf16",
                                                 "f32_ftz", "tf32", "tf32_ftz"};
  return words;
}

const std::vector<std::string>& words_of(TensorInterleave /*interleave*/) {
  static const std::vector<std::string> words = {"none", "16B", "32B"};
  return words;
}

const std::vector<std::string>& words_of(TensorSwizzle /*swizzle*/) {
  static const std::vector<std::string> words = {
      "none", "32B", "64B", "128B", "128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B"};
  return words;
}

const std::vector<std::string>& words_of(TensorPromotion /*promotion*/) {
  static const std::vector<std::string> words = {"none", "64B", "128B", "256B"};
  return words;
}

const std::vector<std::string>& words_of(TensorFill /*fill*/) {
  static const std::vector<std::string> words = {"zeros", "nan"};
  return words;
}

TensorMap usual(const TensorMap& map) {
  TensorMap out;
  std::int64_t bytes = bytes_of(map.element);
  for (std::size_t n = 0; n + 1 < map.sizes.size(); ++n)
    out.strides.push_back(bytes = saturated_product(bytes, map.sizes[n]));
  return out;
}

int bytes_of(TensorElement element) {
  switch (element) {
    case TensorElement::u8: return 1;
    case TensorElement::u16:
    case TensorElement::f16:
    case TensorElement::bf16: return 2;
    case TensorElement::u32:
    case TensorElement::s32:
    case TensorElement::f32:
    case TensorElement::f32_ftz:
    case TensorElement::tf32:
    case TensorElement::tf32_ftz: return 4;
    case TensorElement::u64:
    case TensorElement::s64:
    case TensorElement::f64: return 8;
  }
  return 0;
}

bool is_float(TensorElement element) {
  return element >= TensorElement::f16;
}

int span_of(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::none: return 0;
    case TensorSwizzle::by_32: return 32;
    case TensorSwizzle::by_64: return 64;
    case TensorSwizzle::by_128:
    case TensorSwizzle::atom_32:
    case TensorSwizzle::atom_32_flip_8:
    case TensorSwizzle::atom_64: return 128;
  }
  return 0;
}

int alignment_of(const TensorMap& map) {
  // Eight rows at most repeat a pattern; without one a copy's place is a multiple of 128 bytes.
  return map.swizzle == TensorSwizzle::none ? 128 : 8 * span_of(map.swizzle);
}

std::vector<int> tile_sizes(const TensorMap& map) {
  if (map.im2col) return {map.im2col->channels, map.im2col->pixels};
  std::vector<int> sizes = map.box;
  for (std::size_t n = 0; n < sizes.size() && n < map.steps.size(); ++n)
    sizes[n] = (sizes[n] + map.steps[n] - 1) / map.steps[n];
  return sizes;
}

std::int64_t tile_bytes(const TensorMap& map) {
  std::int64_t bytes = bytes_of(map.element);
  for (const int size : tile_sizes(map)) bytes = saturated_product(bytes, size);
  return bytes;
}

int tile_step(const TensorMap& map) {
  return map.im2col ? 1 : tile_sizes(map).back();
}

std::int64_t tensor_bytes(const TensorMap& map) {
  std::int64_t bytes = saturated_product(map.sizes.front(), bytes_of(map.element));
  for (std::size_t n = 1; n < map.sizes.size(); ++n)
    bytes = saturated_sum(bytes, saturated_product(map.sizes[n] - 1, map.strides[n - 1]));
  return bytes;
}

std::string describe(const TensorMap& map) {
  std::string text =
      fmt::format("a tensor of {} {}", fmt::join(map.sizes, " x "), base::word_of(map.element));
  if (!map.strides.empty()) text += fmt::format(", strides {} bytes", fmt::join(map.strides, ", "));
  if (map.im2col)
    text += fmt::format(", {} channels of {} pixels", map.im2col->channels, map.im2col->pixels);
  else
    text += fmt::format(", a box of {}", fmt::join(map.box, " x "));
  if (map.swizzle != TensorSwizzle::none) text += ", swizzle " + base::word_of(map.swizzle);
  if (map.interleave != TensorInterleave::none)
    text += ", interleave " + base::word_of(map.interleave);
  return text;
}

std::optional<TensorComplaint> complaint_about(const TensorMap& map, std::int64_t buffer_bytes) {
  if (auto tensor = complaint_about_tensor(map)) return tensor;
  if (auto tile = map.im2col ? complaint_about_im2col(map) : complaint_about_box(map)) return tile;
  if (map.interleave == TensorInterleave::by_32 && map.swizzle != TensorSwizzle::by_32)
    return TensorComplaint{"swizzle", base::word_of(map.swizzle),
                           "interleave = \"32B\" takes swizzle = \"32B\""};
  if (map.fill == TensorFill::nan && !is_float(map.element))
    return TensorComplaint{"fill", fmt::format("nan of {} elements", base::word_of(map.element)),
                           "fill = \"zeros\", or elements that are floating-point numbers"};
  if (const std::int64_t bytes = tensor_bytes(map); bytes > buffer_bytes)
    return TensorComplaint{
        "buffer", fmt::format("'{}' has {} bytes, the tensor {}", map.buffer, buffer_bytes, bytes),
        fmt::format("write `bytes = {}` or more, or smaller sizes", bytes)};
  return {};
}

}  // namespace phasebit::launch::tensor
