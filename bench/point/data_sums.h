// Sums over data filled with `blocks` (BufferFill), wherever in it one begins.
#pragma once

#include "core/image/launch.h"

#include <cstdint>
#include <vector>

namespace phasebit::bench::point {

// Made once for many questions: it draws the words of one block.
class DataSums {
 public:
  // Data of whole tiles, whose blocks are drawn from the seed.
  DataSums(std::uint32_t seed, std::int64_t bytes, int tile_bytes);
  // Of `count` tiles from `first` on, round and round, modulo 2^32.
  std::uint32_t of_tiles(std::uint64_t first, std::uint64_t count) const {
    return before(first + count) - before(first);
  }

 private:
  std::uint32_t of_words(std::uint64_t words) const;
  std::uint32_t before(std::uint64_t tile) const;

  std::uint64_t tiles_, tile_words_;
  std::vector<std::uint32_t> below_;  // at n: the sum of the block's first n words
};

// The same of tiles of `signs` data whose matrices are multiplied: what all accumulators add up to.
class ProductSums {
 public:
  // `words`: which word of its tile each word of a slot is; none where copies keep their order.
  ProductSums(std::uint32_t seed, const image::DataShape& data,
              const image::product::ProductShape& product,
              const std::vector<image::tensor::TileWord>& words);
  std::uint32_t of_tiles(std::uint64_t first, std::uint64_t count) const;

 private:
  std::uint64_t tiles_;
  std::vector<std::uint32_t> totals_;  // of each tile until the data repeat
};

}  // namespace phasebit::bench::point
