// A slot that holds two matrices which a work multiplies: what a thread's accumulators are after
// some items, on the CPU.
#pragma once

#include "core/base/fields.h"
#include "core/isa/targets.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::launch::product {

inline constexpr int warp_rows = 16;
inline constexpr int most_depth = 64;  // elements of a row of 128 bytes

// A slot is `blocks` blocks, one behind the other: `rows` rows of A, then `columns` rows of B, each
// of `depth` elements of bf16, 64 or 32, and swizzled by its 128 or 64 bytes. An item adds A *
// transposed B of every block to the accumulators. Of a warp's 16 rows (those from 16 * rank / 32
// on) lane l has, for each group of 8 columns, columns 2 * (l % 4) and the next of row l / 4, then
// the same of row l / 4 + 8: the fragment of wgmma and of mma.sync m16n8 (PTX ISA, Matrix
// fragments). Its checksum takes the words of the f32 in that order.
struct ProductShape {
  int rows = 0;  // 0: no product
  int columns = 0;
  int blocks = 1;
  int depth = most_depth;
  bool operator==(const ProductShape&) const = default;
  bool empty() const { return rows == 0; }
  int accumulators() const { return columns / 2; }  // of a thread
  int row_bytes() const { return 2 * depth; }
  int block_bytes() const { return (rows + columns) * row_bytes(); }
  int slot_bytes() const { return blocks * block_bytes(); }
};
template <typename Visit>
void fields(Visit& visit, const ProductShape* /*type*/) {
  constexpr std::int64_t most = isa::most_shared_bytes / (2 * most_depth);
  visit("rows", &ProductShape::rows, {.least = 1, .most = most, .always = true});
  visit("columns", &ProductShape::columns, {.least = 1, .most = most, .always = true});
  visit("blocks", &ProductShape::blocks, {.least = 1, .most = most});
  visit("depth", &ProductShape::depth, {.least = 32, .most = most_depth, .if_set = true});
}

// What a slot holds in place of a payload word: two bf16 of 1 or -1, whose signs are bits 15 and 31
// of the mixed word. Sums of products of such elements are exact in f32 below 2^24.
std::uint32_t signs_of(std::uint32_t word);

// The sum of a slot's product over all rows and columns, modulo 2^32.
std::uint32_t total_of(const ProductShape& shape, const std::vector<std::uint32_t>& slot);

// The products of a few images of a slot, made once for many questions.
class Products {
 public:
  // Adds the next image, from the words of its slot as they are in shared memory.
  void add(const ProductShape& shape, const std::vector<std::uint32_t>& slot);
  // The checksum of thread `rank` of those that share a slot, after item_counts[i] items of image
  // i.
  std::uint32_t checksum(const std::vector<std::uint32_t>& item_counts, int rank,
                         std::uint32_t multiplier) const;
  bool empty() const { return images_.empty(); }

 private:
  ProductShape shape_;
  std::vector<std::vector<int>> images_;  // row by row
};

// What a payload that says `product` must be, before it is checked against one.

// Of a slot: its words, the threads that share it, the images whose words differ.
struct Slot {
  int words = 0, threads = 0, images = 0;
};

// Why the threads' accumulators cannot be known; "" when they can, and without a product.
std::string why_unknown(const ProductShape& product, const Slot& slot);

}  // namespace phasebit::launch::product
