#include "core/image/tensor/json.h"

#include "core/image/tensor/words.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit::image::tensor {

using nlohmann::json;

namespace {

template <typename Enum>
Enum read_word(const json& value, const std::vector<std::string>& words) {
  const auto at = std::find(words.begin(), words.end(), value.get<std::string>());
  if (at == words.end())
    throw json::other_error::create(501, "unknown word " + value.dump(), &value);
  return static_cast<Enum>(at - words.begin());
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorIm2col, lower, upper, channels, pixels)

void to_json(json& value, const TensorMap& map) {
  value = {{"name", map.name},
           {"buffer", map.buffer},
           {"element", word_of(map.element)},
           {"sizes", map.sizes},
           {"strides", map.strides},
           {"box", map.box},
           {"steps", map.steps},
           {"interleave", word_of(map.interleave)},
           {"swizzle", word_of(map.swizzle)},
           {"promotion", word_of(map.promotion)},
           {"fill", word_of(map.fill)}};
  if (map.im2col) value["im2col"] = *map.im2col;
}

void from_json(const json& value, TensorMap& map) {
  value.at("name").get_to(map.name);
  value.at("buffer").get_to(map.buffer);
  value.at("sizes").get_to(map.sizes);
  value.at("strides").get_to(map.strides);
  value.at("box").get_to(map.box);
  value.at("steps").get_to(map.steps);
  map.element = read_word<TensorElement>(value.at("element"), element_words());
  map.interleave = read_word<TensorInterleave>(value.at("interleave"), interleave_words());
  map.swizzle = read_word<TensorSwizzle>(value.at("swizzle"), swizzle_words());
  map.promotion = read_word<TensorPromotion>(value.at("promotion"), promotion_words());
  map.fill = read_word<TensorFill>(value.at("fill"), fill_out_words());
  if (value.contains("im2col")) map.im2col = value.at("im2col").get<TensorIm2col>();
}

}  // namespace phasebit::image::tensor
