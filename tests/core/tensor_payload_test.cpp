// The words of slots that tensor copies fill.
#include "core/launch/launch.h"
#include "tests/core/tensor_maps.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::tensor::TileWord;

namespace {

// One slot of two tiles, by hand: word n of the first tile, then of the second, eight rows on.
TEST(TensorPayload, IsTheTilesOfTheMap) {
  launch::LaunchShape shape;
  shape.tensor_maps = {plain_map()};
  shape.payload.words_per_slot = 512;
  shape.payload.consumer_threads = 512;
  shape.payload.period = 18;
  shape.payload.tile = {"m", {0, 0}, 2};
  const auto words = launch::words_of_slot(shape);
  ASSERT_TRUE(words) << words.error().text();
  ASSERT_EQ(words->size(), 512U);
  EXPECT_EQ((*words)[300], (TileWord{false, 300}));
  // The third item of the thread that reads word 300.
  const std::uint32_t seed = 7, step = launch::payload_item_step;
  const std::uint32_t q = launch::payload_checksum_multiplier;
  std::uint32_t hash = 0;
  for (std::uint32_t item = 0; item < 3; ++item) hash = hash * q + seed + item * step + 300;
  EXPECT_EQ(launch::expected_checksum(shape, seed, 3, 0, 300, *words), hash);
  // Filled words are the same in every item.
  std::vector<TileWord> filled = *words;
  filled[300] = {true, 9};
  EXPECT_EQ(launch::expected_checksum(shape, seed, 2, 0, 300, filled), 9 * q + 9);
  shape.payload.words_per_slot = 256;
  EXPECT_EQ(launch::words_of_slot(shape).error().text(),
            "bundle: tensor map m: 2 tiles have 512 words, a slot has 256");
  shape.payload.tile.map = "other";
  EXPECT_EQ(launch::words_of_slot(shape).error().text(),
            "bundle: the payload is a tile of 'other', which is not a tensor map");
}

// Of data that a grid reads each word of a tile comes once, or its sum would be another.
TEST(TensorPayload, OfDataIsEachWordOnce) {
  launch::LaunchShape shape;
  shape.tensor_maps = {plain_map()};
  shape.data = {4 * 512 * 9, 4 * 512, 1};
  shape.payload.tile = {"m", {0, 0}, 2};
  const auto words = launch::words_of_slot(shape);
  ASSERT_TRUE(words) << words.error().text();
  EXPECT_EQ(words->size(), 512U);
  shape.payload.tile.at = {0, 8};
  EXPECT_EQ(
      launch::words_of_slot(shape).error().text(),
      "bundle: tensor map m: 2 tiles are not each word of the data's first tile (`at` is where "
      "the data begin, and the map's boxes lie one after the other in them)");
  shape.payload.tile = {"m", {0, 0}, 1};
  EXPECT_EQ(launch::words_of_slot(shape).error().text(),
            "bundle: tensor map m: 1 tiles have 256 words, a slot has 512");
}

}  // namespace
}  // namespace phasebit::test
