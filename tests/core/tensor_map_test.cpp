// Tensor maps: what they cannot be, and where a tile's bytes are in shared memory.
#include "core/launch/tensor/tile.h"
#include "tests/core/tensor_maps.h"

#include <functional>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::tensor::complaint_about;
using launch::tensor::TensorElement;
using launch::tensor::TensorFill;
using launch::tensor::TensorInterleave;
using launch::tensor::TensorMap;
using launch::tensor::TensorSwizzle;
using launch::tensor::tile_of;
using launch::tensor::TileWord;
using launch::tensor::words_of_tile;

namespace {

constexpr std::int64_t plain_bytes = 32 * 296 * 4;

struct ComplaintRow {
  std::function<void(TensorMap&)> change;
  const char *key, *what, *hint;
};

// Limits: CUDA driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
TEST(TensorMap, SaysWhichValueIsAboveWhichLimit) {
  const ComplaintRow rows[] = {
      {[](TensorMap& m) { m.box[1] = 300; }, "box", "300 elements in dimension 1", "1 to 256"},
      {[](TensorMap& m) { m.box = {32}; }, "box", "1 of 2 dimensions",
       "one for each dimension, elements"},
      {[](TensorMap& m) { m.box[0] = 6; }, "box", "24 bytes in the innermost dimension",
       "a multiple of 16"},
      {[](TensorMap& m) { m.swizzle = TensorSwizzle::by_64; }, "box",
       "128 bytes in the innermost dimension", "64 at most with swizzle = \"64B\""},
      {[](TensorMap& m) { m.strides = {120}; }, "strides", "120 bytes in dimension 1",
       "a multiple of 16, below 1099511627776"},
      {[](TensorMap& m) { m.strides = {}; }, "strides", "0 of 2 dimensions",
       "one for each dimension but the innermost, bytes"},
      {[](TensorMap& m) { m.sizes[1] = 0; }, "sizes", "0 elements in dimension 1",
       "1 to 4294967296"},
      {[](TensorMap& m) { m.sizes = {1, 1, 1, 1, 1, 1}; }, "sizes", "6 dimensions", "1 to 5"},
      {[](TensorMap& m) { m.interleave = TensorInterleave::by_16; }, "sizes", "2 dimensions",
       "3 to 5 of such a map"},
      {[](TensorMap& m) { m.steps = {1, 9}; }, "steps", "9 in dimension 1", "1 to 8"},
      {[](TensorMap& m) { m.fill = TensorFill::nan; }, "fill", "nan of u32 elements",
       "fill = \"zeros\", or elements that are floating-point numbers"},
      {[](TensorMap& m) { m.sizes[1] = 297; }, "buffer", "'b' has 37888 bytes, the tensor 38016",
       "write `bytes = 38016` or more, or smaller sizes"},
      // 2^30 strides of 2^34 bytes: 0 modulo 2^64.
      {[](TensorMap& m) {
         m.sizes[1] = (1 << 30) + 1;
         m.strides = {std::int64_t{1} << 34};
       },
       "buffer", "'b' has 37888 bytes, the tensor 9223372036854775807",
       "write `bytes = 9223372036854775807` or more, or smaller sizes"},
  };
  EXPECT_FALSE(complaint_about(plain_map(), plain_bytes));
  for (const ComplaintRow& row : rows) {
    TensorMap map = plain_map();
    row.change(map);
    const auto complaint = complaint_about(map, plain_bytes);
    ASSERT_TRUE(complaint) << row.what;
    EXPECT_EQ(complaint->key, row.key);
    EXPECT_EQ(complaint->what, row.what);
    EXPECT_EQ(complaint->hint, row.hint);
  }
}

// By hand: rows of 4 words in a tensor of 8 a row; the box begins at word 4 of row 1.
TEST(TensorTile, WithoutSwizzleRowsStandInARow) {
  TensorMap map = plain_map();
  map.sizes = {8, 4};
  map.strides = {32};
  map.box = {4, 2};
  const auto words = words_of_tile(map, {4, 1});
  ASSERT_TRUE(words) << words.error().text();
  std::vector<TileWord> expected;
  for (const std::uint32_t word : {12, 13, 14, 15, 20, 21, 22, 23})
    expected.push_back({false, word});
  EXPECT_EQ(*words, expected);
}

// The 16-byte chunks of a row after the other, as PTX ISA draws swizzling modes ("Swizzling
// modes"): chunk c of row r of 128 bytes is at c ^ (r mod 8) with 128B, the pairs of bits less
// with 64B and 32B.
TEST(TensorTile, SwizzlesMoveChunksAsTheManualDraws) {
  struct Row {
    TensorSwizzle swizzle;
    int row_words;
    std::vector<std::vector<int>> chunks;  // of each 128 bytes: which chunk of them is where
  };
  const Row rows[] = {
      {TensorSwizzle::by_128,
       32,
       {{0, 1, 2, 3, 4, 5, 6, 7},
        {1, 0, 3, 2, 5, 4, 7, 6},
        {2, 3, 0, 1, 6, 7, 4, 5},
        {3, 2, 1, 0, 7, 6, 5, 4},
        {4, 5, 6, 7, 0, 1, 2, 3},
        {5, 4, 7, 6, 1, 0, 3, 2},
        {6, 7, 4, 5, 2, 3, 0, 1},
        {7, 6, 5, 4, 3, 2, 1, 0}}},
      {TensorSwizzle::by_64,
       16,
       {{0, 1, 2, 3, 4, 5, 6, 7},
        {1, 0, 3, 2, 5, 4, 7, 6},
        {2, 3, 0, 1, 6, 7, 4, 5},
        {3, 2, 1, 0, 7, 6, 5, 4}}},
      {TensorSwizzle::by_32, 8, {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}}},
      {TensorSwizzle::atom_32,
       32,
       {{0, 1, 2, 3, 4, 5, 6, 7},
        {2, 3, 0, 1, 6, 7, 4, 5},
        {4, 5, 6, 7, 0, 1, 2, 3},
        {6, 7, 4, 5, 2, 3, 0, 1}}},
      {TensorSwizzle::atom_64, 32, {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}}},
  };
  for (const Row& row : rows) {
    TensorMap map = plain_map();
    map.swizzle = row.swizzle;
    const auto lines = static_cast<int>(row.chunks.size());
    map.box = {row.row_words, 32 * lines / row.row_words};
    map.sizes = {row.row_words, 64};
    map.strides = {4 * row.row_words};
    ASSERT_FALSE(complaint_about(map, 1 << 20));
    const auto tile = tile_of(map, {0, 0});
    ASSERT_TRUE(tile) << tile.error().text();
    for (std::size_t line = 0; line < row.chunks.size(); ++line)
      for (std::size_t chunk = 0; chunk < 8; ++chunk)
        EXPECT_EQ((*tile)[128 * line + 16 * chunk],
                  static_cast<std::int64_t>(128 * line) + 16 * row.chunks[line][chunk])
            << "line " << line << ", chunk " << chunk;
  }
}

// Whatever the swizzle, a tile holds each byte once.
TEST(TensorTile, ASwizzleLosesNothing) {
  for (const auto& [swizzle, row] :
       {std::pair{TensorSwizzle::none, 64}, std::pair{TensorSwizzle::by_32, 8},
        std::pair{TensorSwizzle::by_64, 16}, std::pair{TensorSwizzle::by_128, 32},
        std::pair{TensorSwizzle::atom_32, 32}, std::pair{TensorSwizzle::atom_64, 32}}) {
    TensorMap map = plain_map();
    map.swizzle = swizzle;
    map.sizes = {row, 64};
    map.strides = {4 * row};
    map.box = {row, 64};
    const auto tile = tile_of(map, {0, 0});
    ASSERT_TRUE(tile) << tile.error().text();
    const std::set<std::int64_t> bytes(tile->begin(), tile->end());
    EXPECT_EQ(bytes.size(), static_cast<std::size_t>(4 * row * 64));
    EXPECT_EQ(*bytes.rbegin(), 4 * row * 64 - 1);
  }
}

// By hand: a tensor of 6 x 2 halves-of-rows; what lies outside in either direction is filled.
TEST(TensorTile, OutsideOfTheTensorStandsTheFill) {
  TensorMap map = plain_map();
  map.element = TensorElement::f16;
  map.sizes = {12, 3};
  map.strides = {32};
  map.box = {8, 2};
  map.fill = TensorFill::nan;
  const auto words = words_of_tile(map, {8, -1});
  ASSERT_TRUE(words) << words.error().text();
  const TileWord nan{true, 0x7ff77ff7U};
  EXPECT_EQ(*words, (std::vector<TileWord>{nan, nan, nan, nan, {false, 4}, {false, 5}, nan, nan}));
  map.fill = TensorFill::zeros;
  EXPECT_EQ((*words_of_tile(map, {8, -1}))[0], (TileWord{true, 0}));
  // A word of which one half is outside.
  map.sizes = {11, 3};
  EXPECT_EQ(words_of_tile(map, {8, 0}).error().text(),
            "bundle: tensor map m: the word at byte 4 of its tile is made of parts of others");
}

// Every second row of six: three rows of the box are there.
TEST(TensorTile, StepsLeaveElementsOut) {
  TensorMap map = plain_map();
  map.box = {4, 6};
  map.steps = {1, 2};
  EXPECT_EQ(tile_sizes(map), (std::vector<int>{4, 3}));
  const auto words = words_of_tile(map, {0, 1});
  ASSERT_TRUE(words) << words.error().text();
  ASSERT_EQ(words->size(), 12U);
  EXPECT_EQ((*words)[0], (TileWord{false, 32}));
  EXPECT_EQ((*words)[4], (TileWord{false, 96}));
  EXPECT_EQ((*words)[8], (TileWord{false, 160}));
}

// A 3 x 3 filter over images of 4 x 4 pixels of 4 words: the bounding box is the 2 x 2 pixels in
// the middle, moved by the filter's offset; five pixels reach into the next image.
TEST(TensorTile, Im2colGoesOverPixels) {
  TensorMap map = plain_map();
  map.sizes = {4, 4, 4, 8};
  map.strides = {16, 64, 256};
  map.box = {};
  map.im2col = launch::tensor::TensorIm2col{{-1, -1}, {-1, -1}, 4, 5};
  ASSERT_FALSE(complaint_about(map, 8 * 256));
  map.im2col->lower = {0, 0};
  map.im2col->upper = {-2, -2};
  const auto words = words_of_tile(map, {0, 0, 0, 0}, {2, 1});
  ASSERT_TRUE(words) << words.error().text();
  ASSERT_EQ(words->size(), 20U);
  // Pixels (w, h, n): (2,1,0) (3,1,0) (2,2,0) (3,2,0) (2,1,1).
  const std::uint32_t first[] = {4 * (2 + 4), 4 * (3 + 4), 4 * (2 + 8), 4 * (3 + 8),
                                 4 * (2 + 4 + 16)};
  for (std::size_t pixel = 0; pixel < 5; ++pixel)
    EXPECT_EQ((*words)[4 * pixel], (TileWord{false, first[pixel]})) << pixel;
}

struct CornerRow {
  std::vector<int> lower, upper;
  const char *what, *hint;
};

// Corners have 16 bits in 3 dimensions, 8 in 4, 5 in 5 (driver API, cuTensorMapEncodeIm2col).
TEST(TensorMap, CornersThatAMapHasNoBitsForAreRefused) {
  const CornerRow rows[] = {
      {{-32769}, {0}, "corner -32769 in dimension 1", "-32768 to 32767 of 3 dimensions"},
      {{0, 0}, {0, 128}, "corner 128 in dimension 2", "-128 to 127 of 4 dimensions"},
      {{0, -17, 0}, {0, 0, 0}, "corner -17 in dimension 2", "-16 to 15 of 5 dimensions"},
      {{2},
       {-2},
       "corners 2 and -2 leave nothing of 4 elements in dimension 1",
       "the size, with upper and less lower, is at least 1"},
  };
  for (const CornerRow& row : rows) {
    TensorMap map = plain_map();
    const std::size_t between = row.lower.size();
    map.sizes.assign(between + 2, 4);
    map.strides.assign(between + 1, 16);
    map.box = {};
    map.im2col = launch::tensor::TensorIm2col{row.lower, row.upper, 4, 4};
    const auto wrong = complaint_about(map, 1 << 20);
    ASSERT_TRUE(wrong) << row.what;
    EXPECT_EQ(wrong->key, "im2col");
    EXPECT_EQ(wrong->what, row.what);
    EXPECT_EQ(wrong->hint, row.hint);
  }
}

TEST(TensorTile, WhatIsNotKnownIsSaid) {
  TensorMap map = plain_map();
  map.swizzle = TensorSwizzle::by_128;
  map.box = {16, 8};
  EXPECT_EQ(tile_of(map, {0, 0}).error().text(),
            "bundle: tensor map m: rows of 64 bytes with a swizzle of 128: the tile is not known");
  map = plain_map();
  map.element = TensorElement::tf32;
  EXPECT_EQ(words_of_tile(map, {0, 0}).error().text(),
            "bundle: tensor map m: elements of tf32 change as they are copied");
  map = plain_map();
  EXPECT_EQ(tile_of(map, {0}).error().text(),
            "bundle: tensor map m: 1 coordinates of 2 dimensions");
}

}  // namespace
}  // namespace phasebit::test
