// What consumers store back to global memory, and how it meets what is there.
#pragma once

#include "core/base/fields.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::launch::stores {

// What a stored word does to the one in memory: it takes its place, or meets it by an operation of
// cp.reduce.async.bulk (PTX ISA).
enum class StoreOperation {
  store,
  add_u32,
  add_u64,
  add_f32,
  min_u32,
  min_s32,
  max_u32,
  max_s32,
  inc_u32,
  dec_u32,
  and_b32,
  or_b32,
  xor_b32
};
// What a consumer makes of a word in the slot before it is stored: nothing; one more; its low byte
// as a floating-point number, so that sums are exact.
enum class StoreRewrite { off, plus_one, byte_as_f32 };

// The words of heads, manifests and axes, in the order of the enumerations: "add_u32".
const std::vector<std::string>& words_of(StoreOperation operation);
const std::vector<std::string>& words_of(StoreRewrite rewrite);

// Item i is stored to image i modulo the payload's period of a buffer, which holds a slot's bytes
// for each image. Word w of the slot is word w of the image, or where the tile of a tensor map has
// it (at 0 in each dimension, one image after another in the outermost, as launch.h says of tiles).
struct StoreShape {
  std::string buffer;  // one of the launch's; "": nothing is stored
  std::string map;     // "": word for word
  StoreOperation operation = StoreOperation::store;
  StoreRewrite rewrite = StoreRewrite::off;
  bool operator==(const StoreShape&) const = default;
  bool empty() const { return buffer.empty(); }
};
template <typename Visit>
void fields(Visit& visit, const StoreShape* /*type*/) {
  visit("buffer", &StoreShape::buffer, {.must = ""});
  visit("map", &StoreShape::map);
  visit("operation", &StoreShape::operation);
  visit("rewrite", &StoreShape::rewrite);
}

// What is in memory after `word` was stored `times` times where `old` was. Not of add_u64,
// which takes words in pairs.
std::uint32_t stored_word(StoreOperation operation, std::uint32_t old, std::uint32_t word,
                          std::uint32_t times);
std::uint32_t rewritten(StoreRewrite rewrite, std::uint32_t word);

}  // namespace phasebit::launch::stores
