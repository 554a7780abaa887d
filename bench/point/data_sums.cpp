#include "bench/point/data_sums.h"

#include "core/image/buffer.h"

#include <numeric>
#include <random>

namespace phasebit::bench::point {

DataSums::DataSums(std::uint32_t seed, std::int64_t bytes, int tile_bytes)
    : tiles_(static_cast<std::uint64_t>(bytes / tile_bytes)),
      tile_words_(static_cast<std::uint64_t>(tile_bytes) / 4) {
  below_.reserve(image::block_words + 1);
  std::mt19937 draw(seed);
  std::uint32_t sum = 0;
  below_.push_back(sum);
  for (std::size_t word = 0; word < image::block_words; ++word)
    below_.push_back(sum += static_cast<std::uint32_t>(draw()));
}

std::uint32_t DataSums::of_words(std::uint64_t words) const {
  const std::uint64_t blocks = words / image::block_words, rest = words % image::block_words;
  // Block b is the first one, with b steps added to each word.
  const std::uint64_t steps = image::block_words * (blocks * (blocks - 1) / 2) + rest * blocks;
  return static_cast<std::uint32_t>(blocks) * below_.back() + below_[rest] +
         static_cast<std::uint32_t>(steps) * image::payload_item_step;
}

// From the data's begin.
std::uint32_t DataSums::before(std::uint64_t tile) const {
  return static_cast<std::uint32_t>(tile / tiles_) * of_words(tiles_ * tile_words_) +
         of_words(tile % tiles_ * tile_words_);
}

ProductSums::ProductSums(std::uint32_t seed, const image::DataShape& data,
                         const image::product::ProductShape& product,
                         const std::vector<image::tensor::TileWord>& words)
    : tiles_(static_cast<std::uint64_t>(data.bytes / data.tile_bytes)) {
  const std::size_t tile_words = static_cast<std::size_t>(data.tile_bytes) / 4;
  // Tiles begin at so many places of what repeats, and the last may end behind it.
  const std::size_t places = image::sign_words / std::gcd(image::sign_words, tile_words);
  const std::vector<std::uint32_t> content = image::content_of(
      {"", 4 * (image::sign_words + tile_words), {image::BufferFill::Kind::signs, seed}});
  std::vector<std::uint32_t> slot(tile_words);
  for (std::size_t tile = 0; tile < places; ++tile) {
    const std::size_t first = tile * tile_words % image::sign_words;
    for (std::size_t n = 0; n < tile_words; ++n)
      slot[n] = content[first + (words.empty() ? n : words[n].value)];
    totals_.push_back(image::product::total_of(product, slot));
  }
}

std::uint32_t ProductSums::of_tiles(std::uint64_t first, std::uint64_t count) const {
  std::uint32_t sum = 0;
  for (std::uint64_t tile = first; tile < first + count; ++tile)
    sum += totals_[tile % tiles_ % totals_.size()];
  return sum;
}

}  // namespace phasebit::bench::point
