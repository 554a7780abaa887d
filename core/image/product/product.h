// A slot that holds two matrices which a work multiplies: what a thread's accumulators are after
// some items, on the CPU.
#pragma once

#include <cstdint>

namespace phasebit::image::product {

// A slot is `blocks` blocks, one behind the other: `rows` rows of A, then `columns` rows of B, each
// row_bytes long and swizzled by 128 bytes: row_bytes / 2 elements of bf16 along the depth. An item
// adds A * transposed B of every block to the accumulators. Of a warp's 16 rows (those of its rank,
// from 16 * rank / 32 on) lane l has, for each group of 8 columns, columns 2 * (l % 4) and the next
// of row l / 4, then the same of row l / 4 + 8: the fragment of wgmma and of mma.sync m16n8 (PTX
// ISA, Matrix fragments). Its checksum takes the f32 words in that order.
struct ProductShape {
  int rows = 0;  // 0: no product
  int columns = 0;
  int blocks = 1;
  bool operator==(const ProductShape&) const = default;
  int accumulators() const { return columns / 2; }  // of a thread
};

inline constexpr int row_bytes = 128;
inline constexpr int depth = row_bytes / 2;  // elements of a block's row
inline constexpr int warp_rows = 16;

}  // namespace phasebit::image::product
