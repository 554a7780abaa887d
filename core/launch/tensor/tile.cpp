#include "core/launch/tensor/tile.h"

#include <numeric>

namespace phasebit::launch::tensor {
namespace {

// Bits of an offset that are the number of a row within the pattern, and where they are added
// without carry: the atoms of a row change places with the row's number.
struct Pattern {
  int bits = 0;  // as many rows as these count, and as many atoms, change places
  int atom = 4;  // log2 of an atom's bytes
};
constexpr int row_bit = 7;  // a pattern goes by 128 bytes, whatever the span

Pattern pattern_of(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::none: return {};
    case TensorSwizzle::by_32: return {1, 4};
    case TensorSwizzle::by_64: return {2, 4};
    case TensorSwizzle::by_128: return {3, 4};
    case TensorSwizzle::atom_32:
    case TensorSwizzle::atom_32_flip_8: return {2, 5};
    case TensorSwizzle::atom_64: return {1, 6};
  }
  bug("a swizzle without a pattern");
}

Status check_known(const TensorMap& map) {
  if (map.interleave != TensorInterleave::none)
    return fail(Step::bundle, "tensor map {}: the tiles of an interleaved layout are not known",
                map.name);
  if (map.swizzle == TensorSwizzle::atom_32_flip_8)
    return fail(Step::bundle, "tensor map {}: the tiles of swizzle {} are not known", map.name,
                base::word_of(map.swizzle));
  constexpr std::int64_t most = 256 << 10;  // beyond the shared memory of every GPU
  if (tile_bytes(map) > most)
    return fail(Step::bundle, "tensor map {}: a tile of {} bytes, {} at most", map.name,
                tile_bytes(map), most);
  const int span = span_of(map.swizzle);
  const int row = tile_sizes(map).front() * bytes_of(map.element);
  if (span > 0 && row != span)
    return fail(Step::bundle,
                "tensor map {}: rows of {} bytes with a swizzle of {}: the tile is not known",
                map.name, row, span);
  return {};
}

using Place = std::vector<std::int64_t>;  // coordinates, elements

// The tensor's byte at a place, or -1 outside of it.
std::int64_t byte_at(const TensorMap& map, const Place& place) {
  std::int64_t byte = 0;
  for (std::size_t n = 0; n < place.size(); ++n) {
    if (place[n] < 0 || place[n] >= map.sizes[n]) return -1;
    byte += place[n] * (n == 0 ? bytes_of(map.element) : map.strides[n - 1]);
  }
  return byte;
}

// The next of a box, or of im2col's pixels, the inner dimension first.
void count_on(Place& place, const Place& from, const Place& end, const Place& step,
              std::size_t first) {
  for (std::size_t n = first; n < place.size(); ++n) {
    place[n] += step[n];
    if (place[n] < end[n]) return;
    place[n] = from[n];
  }
}

std::vector<Place> places_of_box(const TensorMap& map, const std::vector<int>& at) {
  const Place from(at.begin(), at.end());
  Place end = from, step(at.size(), 1);
  for (std::size_t n = 0; n < at.size(); ++n) {
    end[n] += map.box[n];
    if (n < map.steps.size()) step[n] = map.steps[n];
  }
  step[0] = 1;  // the innermost dimension has no step
  std::vector<Place> places;
  const std::vector<int> sizes = tile_sizes(map);
  const auto count = static_cast<std::size_t>(
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()));
  Place place = from;
  for (std::size_t n = 0; n < count; ++n, count_on(place, from, end, step, 0))
    places.push_back(place);
  return places;
}

// Pixel after pixel of the bounding box, moved by the offsets; all channels of each.
std::vector<Place> places_of_pixels(const TensorMap& map, const std::vector<int>& at,
                                    const std::vector<int>& offsets) {
  const TensorIm2col& pixels = *map.im2col;
  const std::size_t last = at.size() - 1;
  Place place(at.begin(), at.end()), from(at.size(), 0), end(map.sizes), step(at.size(), 1);
  for (std::size_t n = 1; n < last; ++n) {
    from[n] = pixels.lower[n - 1];
    end[n] = map.sizes[n] + pixels.upper[n - 1];
    if (n < map.steps.size()) step[n] = map.steps[n];
  }
  end[last] = INT64_MAX;  // images after the last are filled
  std::vector<Place> places;
  for (int pixel = 0; pixel < pixels.pixels; ++pixel, count_on(place, from, end, step, 1)) {
    Place moved = place;
    for (std::size_t n = 1; n < last && n - 1 < offsets.size(); ++n) moved[n] += offsets[n - 1];
    for (int channel = 0; channel < pixels.channels; ++channel, ++moved[0]) places.push_back(moved);
  }
  return places;
}

// What cuda.h calls NaN is 0x7ff7 in each 16 bits on an H200, of f32 as of f16.
std::uint32_t fill_word(const TensorMap& map) {
  return map.fill == TensorFill::zeros ? 0 : 0x7ff77ff7U;
}

// Elements that are not copied as they are: to tf32 they are rounded, denormal ones are flushed.
bool is_changed(TensorElement element) {
  return element == TensorElement::tf32 || element == TensorElement::tf32_ftz ||
         element == TensorElement::f32_ftz;
}

}  // namespace

std::int64_t swizzled(TensorSwizzle swizzle, std::int64_t offset) {
  const Pattern pattern = pattern_of(swizzle);
  const std::int64_t row = (offset >> row_bit) & ((std::int64_t{1} << pattern.bits) - 1);
  return offset ^ (row << pattern.atom);
}

Result<std::vector<std::int64_t>> tile_of(const TensorMap& map, const std::vector<int>& at,
                                          const std::vector<int>& offsets) {
  PHASEBIT_TRY(check_known(map));
  if (at.size() != map.sizes.size())
    return fail(Step::bundle, "tensor map {}: {} coordinates of {} dimensions", map.name, at.size(),
                map.rank());
  const std::vector<Place> places =
      map.im2col ? places_of_pixels(map, at, offsets) : places_of_box(map, at);
  const int bytes = bytes_of(map.element);
  std::vector<std::int64_t> tile(places.size() * static_cast<std::size_t>(bytes));
  std::int64_t offset = 0;
  for (const Place& place : places) {
    const std::int64_t from = byte_at(map, place);
    for (int byte = 0; byte < bytes; ++byte, ++offset)
      tile[static_cast<std::size_t>(swizzled(map.swizzle, offset))] = from < 0 ? -1 : from + byte;
  }
  return tile;
}

Result<std::vector<TileWord>> words_of_tile(const TensorMap& map, const std::vector<int>& at,
                                            const std::vector<int>& offsets) {
  PHASEBIT_TRY_ASSIGN(tile, tile_of(map, at, offsets));
  if (is_changed(map.element))
    return fail(Step::bundle, "tensor map {}: elements of {} change as they are copied", map.name,
                base::word_of(map.element));
  std::vector<TileWord> words;
  for (std::size_t first = 0; first + 3 < tile.size(); first += 4) {
    const std::int64_t from = tile[first];
    bool whole = from < 0 || from % 4 == 0;
    for (std::size_t n = 1; n < 4; ++n)
      whole = whole && tile[first + n] == (from < 0 ? -1 : from + static_cast<std::int64_t>(n));
    if (!whole)
      return fail(Step::bundle,
                  "tensor map {}: the word at byte {} of its tile is made of parts of others",
                  map.name, first);
    words.push_back(from < 0 ? TileWord{true, fill_word(map)}
                             : TileWord{false, static_cast<std::uint32_t>(from / 4)});
  }
  return words;
}

}  // namespace phasebit::launch::tensor
