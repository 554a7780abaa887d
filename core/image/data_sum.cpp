// The sum of what a grid reads: from the draws of one block, whatever the data's size.
#include "core/base/error.h"
#include "core/image/launch.h"

#include <numeric>
#include <random>

namespace phasebit::image {
namespace {

// Sums of the first words of a buffer filled with `blocks`.
class BlockSums {
 public:
  explicit BlockSums(std::uint32_t seed) : draws_(block_words) {
    std::mt19937 draw(seed);
    for (std::uint32_t& word : draws_) word = static_cast<std::uint32_t>(draw());
    whole_ = std::accumulate(draws_.begin(), draws_.end(), 0U);
  }

  std::uint32_t first(std::uint64_t words) const {
    const std::uint64_t blocks = words / block_words, rest = words % block_words;
    const auto end = draws_.begin() + static_cast<std::ptrdiff_t>(rest);
    // Block b is the first one, with b steps added to each word.
    const std::uint64_t steps = block_words * (blocks * (blocks - 1) / 2) + rest * blocks;
    return static_cast<std::uint32_t>(blocks) * whole_ + std::accumulate(draws_.begin(), end, 0U) +
           static_cast<std::uint32_t>(steps) * payload_item_step;
  }

 private:
  std::vector<std::uint32_t> draws_;
  std::uint32_t whole_ = 0;
};

}  // namespace

std::uint32_t expected_sum(const LaunchShape& shape, std::uint32_t items) {
  const DataShape& data = shape.data;
  if (shape.buffers.empty() || shape.buffers.front().fill.kind != BufferFill::Kind::blocks)
    bug("data that is not in a buffer of blocks");
  const BlockSums sums(shape.buffers.front().fill.word);
  const auto tiles = static_cast<std::uint64_t>(data.bytes / data.tile_bytes);
  const auto words = static_cast<std::uint64_t>(data.tile_bytes) / 4;
  const std::uint64_t read = std::uint64_t{items} * static_cast<std::uint64_t>(data.readers) *
                             static_cast<std::uint64_t>(shape.ctas());
  return static_cast<std::uint32_t>(read / tiles) * sums.first(tiles * words) +
         sums.first(read % tiles * words);
}

}  // namespace phasebit::image
