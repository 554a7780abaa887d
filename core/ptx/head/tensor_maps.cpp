#include "core/ptx/head/tensor_maps.h"

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/image/tensor/words.h"
#include "core/ptx/head/complaint.h"
#include "core/ptx/head/inline_table.h"
#include "core/ptx/head/numbers.h"

#include <algorithm>

namespace phasebit::ptx::head {

using base::TomlReader;
using base::TomlValue;
using image::tensor::TensorMap;

namespace {

template <typename Enum>
Enum word(TomlReader& reader, std::string_view key, const std::vector<std::string>& words,
          Enum fallback) {
  const std::string text = reader.text_or(key, words[static_cast<size_t>(fallback)]);
  const auto at = std::find(words.begin(), words.end(), text);
  if (at != words.end()) return static_cast<Enum>(at - words.begin());
  reader.refuse(key, fmt::format("no {} '{}'", key, text), base::nearest_word_hint(text, words));
  return fallback;
}

// Of each dimension as far as from the one below: a tensor without gaps.
std::vector<std::int64_t> packed_strides(const TensorMap& map) {
  std::vector<std::int64_t> strides;
  std::int64_t bytes = bytes_of(map.element);
  for (size_t n = 0; n + 1 < map.sizes.size(); ++n) strides.push_back(bytes *= map.sizes[n]);
  return strides;
}

}  // namespace

void read_tensor_map(const TomlValue& value, const std::string& file, Status& status, Head& head) {
  namespace tensor = image::tensor;
  TomlReader own(file, value, "tensor_maps",
                 {"name", "buffer", "element", "sizes", "strides", "box", "steps", "interleave",
                  "swizzle", "promotion", "fill", "im2col"},
                 status);
  TensorMap map;
  map.name = own.text("name");
  map.buffer = own.text("buffer");
  if (!head.where.emplace("tensor map " + map.name, own.where()).second)
    own.refuse("name", fmt::format("'{}' stands twice", map.name), "each map has its own name");
  map.element = word(own, "element", tensor::element_words(), map.element);
  map.sizes = numbers<std::int64_t>(own, "sizes");
  map.strides = own.has("strides") ? numbers<std::int64_t>(own, "strides") : packed_strides(map);
  map.box = numbers<int>(own, "box");
  map.steps = numbers<int>(own, "steps");
  map.interleave = word(own, "interleave", tensor::interleave_words(), map.interleave);
  map.swizzle = word(own, "swizzle", tensor::swizzle_words(), map.swizzle);
  map.promotion = word(own, "promotion", tensor::promotion_words(), map.promotion);
  map.fill = word(own, "fill", tensor::fill_out_words(), map.fill);
  if (const TomlValue* table = own.table("im2col")) {
    TomlReader pixels(file, *table, "im2col", {"lower", "upper", "channels", "pixels"}, status);
    map.im2col = tensor::TensorIm2col{numbers<int>(pixels, "lower"), numbers<int>(pixels, "upper"),
                                      number(pixels, "channels", 0), number(pixels, "pixels", 0)};
  }
  head.launch.tensor_maps.push_back(std::move(map));
}

std::string tensor_map_text(const TensorMap& map) {
  namespace tensor = image::tensor;
  Inline one;
  one.text("name", map.name);
  one.text("buffer", map.buffer);
  one.text("element", word_of(map.element));
  one.add("sizes", list(map.sizes));
  if (map.strides != packed_strides(map)) one.add("strides", list(map.strides));
  if (!map.im2col) one.add("box", list(map.box));
  if (!map.steps.empty()) one.add("steps", list(map.steps));
  one.text_if("interleave", word_of(map.interleave), "none");
  one.text_if("swizzle", word_of(map.swizzle), "none");
  one.text_if("promotion", word_of(map.promotion), "none");
  one.text_if("fill", word_of(map.fill), "zeros");
  if (map.im2col) {
    Inline pixels;
    pixels.add("lower", list(map.im2col->lower));
    pixels.add("upper", list(map.im2col->upper));
    pixels.add("channels", std::to_string(map.im2col->channels));
    pixels.add("pixels", std::to_string(map.im2col->pixels));
    one.add("im2col", pixels.take());
  }
  return one.take();
}

Status check_head_tensor_maps(const CheckedHead& checked) {
  const image::LaunchShape& launch = checked.head.launch;
  for (const TensorMap& map : launch.tensor_maps) {
    const std::string key = "tensor map " + map.name;
    const std::int64_t bytes = image::buffer_bytes(launch, map.buffer);
    if (bytes < 0) {
      std::vector<std::string> names = {image::payload_in_buffer};
      for (const image::Buffer& buffer : launch.buffers) names.push_back(buffer.name);
      return checked.complain(key, base::nearest_word_hint(map.buffer, names),
                              "there is no buffer '{}'", map.buffer);
    }
    if (const auto wrong = image::tensor::complaint_about(map, bytes))
      return checked.complain(key, wrong->hint, "{}: {}", wrong->key, wrong->what);
  }
  // A tile is of the data that a grid reads, or of the payload.
  const image::TilePayload& tile = launch.payload.tile;
  const bool of_data = launch.payload.words_per_slot == 0 && launch.data.bytes > 0;
  std::vector<std::string> names;
  for (const TensorMap& map : launch.tensor_maps) names.push_back(map.name);
  if (!tile.map.empty() && !base::contains(names, tile.map))
    return checked.complain(of_data ? "data" : "payload", base::nearest_word_hint(tile.map, names),
                            "there is no tensor map '{}'", tile.map);
  if (const auto words = image::words_of_slot(launch); !words)
    return checked.complain(of_data ? "data" : "payload", words.error().hint, "{}",
                            words.error().message);
  if (const auto stored = image::expected_stored(launch, 0, 0); !stored)
    return checked.complain("stored", stored.error().hint, "{}", stored.error().message);
  return {};
}

}  // namespace phasebit::ptx::head
