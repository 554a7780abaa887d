// The layout of a tile in shared memory as the copy engine makes it, on the CPU: what the payload
// of a tensor copy is checked against.
#pragma once

#include "core/base/error.h"
#include "core/launch/tensor/map.h"

#include <cstdint>
#include <vector>

namespace phasebit::launch::tensor {

// Where a byte of the swizzled tile is that would be at `offset` without a swizzle. The tile
// begins at a multiple of alignment_of(map).
std::int64_t swizzled(TensorSwizzle swizzle, std::int64_t offset);

// For each byte of the tile in shared memory: the byte of the tensor's buffer, counted from the
// tensor's first, or -1 where the map's fill is. `at` are the copy's coordinates, elements, the
// innermost first; `offsets` those of an im2col copy. Step::bundle for a layout that is not known:
// interleaved ones, and a swizzle whose rows are shorter than its span.
Result<std::vector<std::int64_t>> tile_of(const TensorMap& map, const std::vector<int>& at,
                                          const std::vector<int>& offsets = {});

// A 32-bit word of the tile: `index`, the word of the buffer that it is; or a word of the fill.
struct TileWord {
  bool is_fill = false;
  std::uint32_t value = 0;
  bool operator==(const TileWord&) const = default;
};

// The tile's words. Step::bundle where one is made of parts of several, and for elements that the
// copy changes (tf32, and those whose denormal values it flushes).
Result<std::vector<TileWord>> words_of_tile(const TensorMap& map, const std::vector<int>& at,
                                            const std::vector<int>& offsets = {});

}  // namespace phasebit::launch::tensor
