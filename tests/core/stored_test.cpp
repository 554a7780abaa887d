// What is in memory after a launch whose consumers store their slots.
#include "core/launch/launch.h"

#include <bit>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::expected_stored;
using launch::LaunchShape;
using launch::stores::stored_word;
using launch::stores::StoreOperation;
using launch::stores::StoreRewrite;

namespace {

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

struct StoredRow {
  StoreOperation operation;
  std::uint32_t old, word, times, expected;
};

// By hand, from the PTX ISA's description of each operation (cp.reduce.async.bulk; inc and dec as
// of atom).
TEST(StoredWord, MeetsTheOneInMemory) {
  const StoredRow rows[] = {
      {StoreOperation::store, 7, 9, 0, 7},
      {StoreOperation::store, 7, 9, 3, 9},
      {StoreOperation::add_u32, 7, 9, 3, 34},
      {StoreOperation::add_u32, 0xffffffff, 2, 1, 1},
      {StoreOperation::add_f32, bits(1), bits(3), 5, bits(16)},
      {StoreOperation::min_u32, 7, 0xffffffff, 2, 7},
      {StoreOperation::min_s32, 7, 0xffffffff, 2, 0xffffffff},
      {StoreOperation::max_u32, 7, 0xffffffff, 2, 0xffffffff},
      {StoreOperation::max_s32, 7, 0xffffffff, 2, 7},
      {StoreOperation::inc_u32, 0, 3, 3, 3},
      {StoreOperation::inc_u32, 0, 3, 4, 0},
      {StoreOperation::inc_u32, 9, 3, 1, 0},
      {StoreOperation::inc_u32, 5, 0xffffffff, 2, 7},
      {StoreOperation::dec_u32, 2, 3, 2, 0},
      {StoreOperation::dec_u32, 2, 3, 3, 3},
      {StoreOperation::dec_u32, 9, 3, 1, 3},
      {StoreOperation::and_b32, 12, 10, 3, 8},
      {StoreOperation::or_b32, 12, 10, 3, 14},
      {StoreOperation::xor_b32, 12, 10, 3, 6},
      {StoreOperation::xor_b32, 12, 10, 4, 12},
  };
  for (const StoredRow& row : rows)
    EXPECT_EQ(stored_word(row.operation, row.old, row.word, row.times), row.expected)
        << base::word_of(row.operation) << " of " << row.word << " on " << row.old << ", "
        << row.times << " times";
}

TEST(StoredWord, SumsAboveWhatAFloatHoldsAreRoundedOneByOne) {
  EXPECT_EQ(stored_word(StoreOperation::add_f32, bits(16777216), bits(1), 3), bits(16777216));
}

LaunchShape storing(StoreOperation operation, StoreRewrite rewrite, int words, int period) {
  LaunchShape shape;
  shape.payload = {words, 32, 1, period};
  shape.stored = {"out", "", operation, rewrite};
  shape.buffers = {{"out",
                    static_cast<std::uint64_t>(shape.payload.images_bytes()),
                    {launch::BufferFill::Kind::word, 100}}};
  return shape;
}

constexpr std::uint32_t step = 0x9E3779B1U;

// Five images of 2 words; 7 items: images 0 and 1 twice, the others once. With 3 items two images
// are as they were.
TEST(ExpectedStored, EachImageTakesTheItemsThatAreItsOwn) {
  const LaunchShape added = storing(StoreOperation::add_u32, StoreRewrite::plus_one, 2, 5);
  const auto seven = expected_stored(added, 10, 7);
  ASSERT_TRUE(seven) << seven.error().text();
  EXPECT_EQ(*seven, (std::vector<std::uint32_t>{
                        100 + 2 * 11, 100 + 2 * 12, 100 + 2 * (11 + step), 100 + 2 * (12 + step),
                        100 + 11 + 2 * step, 100 + 12 + 2 * step, 100 + 11 + 3 * step,
                        100 + 12 + 3 * step, 100 + 11 + 4 * step, 100 + 12 + 4 * step}));
  const auto three =
      expected_stored(storing(StoreOperation::store, StoreRewrite::off, 2, 5), 10, 3);
  ASSERT_TRUE(three);
  EXPECT_EQ(*three, (std::vector<std::uint32_t>{10, 11, 10 + step, 11 + step, 10 + 2 * step,
                                                11 + 2 * step, 100, 100, 100, 100}));
}

// Both carries of the low word, and a sum of pairs.
TEST(ExpectedStored, SixtyFourBitsArePairsOfWords) {
  const auto stored =
      expected_stored(storing(StoreOperation::add_u64, StoreRewrite::off, 2, 1), 0xfffffff0, 2);
  ASSERT_TRUE(stored) << stored.error().text();
  // 100 x 2^32 + 100 + 2 x (0xfffffff1 x 2^32 + 0xfffffff0)
  EXPECT_EQ(*stored,
            (std::vector<std::uint32_t>{100 + 2 * 0xfffffff0U, 100 + 2 * 0xfffffff1U + 2}));
}

TEST(ExpectedStored, LowBytesAreFloatingPointNumbers) {
  const auto stored =
      expected_stored(storing(StoreOperation::store, StoreRewrite::byte_as_f32, 2, 1), 0x1ff, 1);
  ASSERT_TRUE(stored);
  EXPECT_EQ(*stored, (std::vector<std::uint32_t>{bits(255), bits(0)}));
}

// A tensor of 5 words a row, tiles of 8: words 5 to 7 of each row lie outside and stay as they
// were.
TEST(ExpectedStored, WhatLiesOutsideOfTheTensorIsNotWritten) {
  LaunchShape shape = storing(StoreOperation::store, StoreRewrite::off, 16, 3);
  launch::tensor::TensorMap map;
  map.name = "map";
  map.buffer = "out";
  map.sizes = {5, 6};
  map.strides = {32};
  map.box = {8, 2};
  shape.tensor_maps = {map};
  shape.stored.map = "map";
  shape.payload.tile = {"", {0, 0}, 1, {}};
  const auto stored = expected_stored(shape, 10, 3);
  ASSERT_TRUE(stored) << stored.error().text();
  for (std::uint32_t word = 0; word < 48; ++word)
    EXPECT_EQ((*stored)[word], word % 8 < 5 ? 10 + word / 16 * step + word % 16 : 100) << word;
}

TEST(ExpectedStored, NeedsABufferOfAllImages) {
  LaunchShape shape = storing(StoreOperation::store, StoreRewrite::off, 2, 5);
  shape.buffers[0].bytes = 36;
  EXPECT_EQ(expected_stored(shape, 0, 0).error().text(),
            "bundle: slots are stored to 'out' of 36 bytes, their images have 40");
  shape.buffers[0] = {"out", 40, {launch::BufferFill::Kind::index, 0}};
  EXPECT_EQ(expected_stored(shape, 0, 0).error().text(),
            "bundle: slots are stored to 'out', filled with index: one word is known");
  shape.buffers.clear();
  EXPECT_EQ(expected_stored(shape, 0, 0).error().text(),
            "bundle: slots are stored to 'out', which is not a buffer");
  shape = storing(StoreOperation::add_u64, StoreRewrite::off, 3, 5);
  EXPECT_EQ(expected_stored(shape, 0, 0).error().text(),
            "bundle: add_u64 takes slots of whole pairs of words, and no tensor map");
}

// Of each 4 words 2 come from memory: thread 0 of one reads them all, in order.
TEST(ExpectedFold, WordsThatACopyDoesNotBringAreZeros) {
  constexpr std::uint32_t k = 0x01000193U;
  LaunchShape shape;
  shape.payload = {4, 1, 4, 37};
  shape.payload.copy_words = 4;
  shape.payload.kept_words = 2;
  EXPECT_EQ(launch::expected_checksum(shape, 5, 1, 0, 0), ((5U * k + 6U) * k + 0U) * k + 0U);
}

}  // namespace
}  // namespace phasebit::test
