// Threads that multiply the matrices of their slots: what their checksums must be.
#include "tests/bench/one_point.h"

#include <bit>

#include <gtest/gtest.h>

namespace phasebit::test {

using image::product::ProductShape;

namespace {

constexpr ProductShape tile = {16, 8, 1};

void multiply(image::LaunchShape& launch) {
  launch.payload.words_per_slot = tile.slot_bytes() / 4;
  launch.payload.consumer_threads = 32;
  launch.payload.period = 2;
  launch.payload.product = tile;
}

// Element k of a row of item's slot, where a swizzle of 128 bytes puts it: 1 or -1.
float element(std::uint32_t seed, std::uint32_t item, std::uint32_t row, std::uint32_t k) {
  const std::uint32_t byte = (128 * row + 2 * k) ^ ((row % 8) << 4);
  const std::uint32_t first = seed + item % 2 * image::payload_item_step;
  const std::uint32_t word = image::product::signs_of(first + byte / 4);
  return (word >> (byte % 4 == 0 ? 15 : 31) & 1U) == 0 ? 1.0F : -1.0F;
}

// Item after item, in f32, as the tensor core adds them up.
float accumulated(std::uint32_t seed, std::uint32_t items, std::uint32_t row,
                  std::uint32_t column) {
  float sum = 0;
  for (std::uint32_t item = 0; item < items; ++item)
    for (std::uint32_t k = 0; k < 64; ++k)
      sum += element(seed, item, row, k) * element(seed, item, 16 + column, k);
  return sum;
}

TEST(Product, ChecksumsAreThoseOfItemsOneByOne) {
  image::BundleVariant variant = ring_variant("a");
  multiply(variant.launch);
  const image::RoleSlice* consumer = nullptr;
  for (const image::RoleSlice& slice : variant.launch.slices)
    if (slice.role == image::Role::consumer) consumer = &slice;
  ASSERT_NE(consumer, nullptr);
  bench::point::ExpectedChecksums expected(variant.launch, 77);
  for (const std::uint32_t items : {0U, 1U, 5U})
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      std::uint32_t wanted = 0;
      for (const std::uint32_t row : {lane / 4, lane / 4 + 8})
        for (const std::uint32_t column : {lane % 4 * 2, lane % 4 * 2 + 1})
          wanted = wanted * image::payload_checksum_multiplier +
                   std::bit_cast<std::uint32_t>(accumulated(77, items, row, column));
      const std::size_t thread = 32 * static_cast<std::size_t>(consumer->warp) + lane;
      EXPECT_EQ(expected.after(items).at(thread), wanted) << items << " items, lane " << lane;
    }
}

// Tiles of a grid's data, wherever a launch begins: 257 * 64 KiB are 514 tiles of 32 KiB, and then
// they come again.
TEST(Product, SumsOfAGridAreThoseOfItsTiles) {
  image::LaunchShape shape;
  shape.sms = 2;
  shape.payload.product = {128, 128, 1};
  shape.data = {600 * 32768, 32768, 1};
  shape.buffers = {{"data", 600 * 32768, {image::BufferFill::Kind::signs, 5}}};
  const std::vector<std::uint32_t> words = image::content_of(shape.buffers[0]);
  const auto total = [&](std::uint32_t tile) {
    const auto sign = [&](std::uint32_t row, std::uint32_t k) {
      const std::uint32_t byte = (128 * row + 2 * k) ^ ((row % 8) << 4);
      const std::uint32_t word = words[tile % 600 * 8192 + byte / 4];
      return (word >> (byte % 4 == 0 ? 15 : 31) & 1U) == 0 ? 1 : -1;
    };
    // The sum of a product is that of the products of both matrices' sums, element by element.
    int sum = 0;
    for (std::uint32_t k = 0; k < 64; ++k) {
      int a = 0, b = 0;
      for (std::uint32_t row = 0; row < 128; ++row) {
        a += sign(row, k);
        b += sign(128 + row, k);
      }
      sum += a * b;
    }
    return static_cast<std::uint32_t>(sum);
  };
  bench::point::ExpectedChecksums expected(shape, 0);
  EXPECT_EQ(expected.sum_after(0, 3), 0U);
  EXPECT_EQ(expected.sum_after(1, 512), total(512) + total(513));
  EXPECT_EQ(expected.sum_after(1, 513), total(513) + total(514));
  EXPECT_EQ(total(514), total(0));
  EXPECT_EQ(expected.sum_after(2, 598), total(598) + total(599) + total(0) + total(1));
}

// A tensor copy swizzles what lies row by row in the data, and the product takes that back. Tiles
// of 48 KiB begin at 148 places of what repeats.
TEST(Product, SumsOfATensorCopyAreThoseOfPlainRows) {
  constexpr std::uint32_t tiles = 1100, tile_words = 49152 / 4;
  image::LaunchShape shape;
  shape.sms = 3;
  shape.payload.product = {128, 256, 1};
  shape.payload.tile = {"tiles", {0, 0}, 2};
  shape.data = {std::int64_t{4} * tiles * tile_words, 4 * tile_words, 1};
  shape.buffers = {{"data", 4 * tiles * tile_words, {image::BufferFill::Kind::signs, 5}}};
  image::tensor::TensorMap map;
  map.name = "tiles";
  map.buffer = "data";
  map.element = image::tensor::TensorElement::bf16;
  map.sizes = {64, 384 * tiles};
  map.strides = {128};
  map.box = {64, 192};
  map.swizzle = image::tensor::TensorSwizzle::by_128;
  shape.tensor_maps = {map};
  const std::vector<std::uint32_t> words = image::content_of(shape.buffers[0]);
  const auto total = [&](std::uint32_t tile) {
    int sum = 0;
    for (std::uint32_t k = 0; k < 64; ++k) {
      int a = 0, b = 0;
      for (std::uint32_t row = 0; row < 384; ++row) {
        const std::uint32_t word = words[tile % tiles * tile_words + row * 32 + k / 2];
        (row < 128 ? a : b) += (word >> (k % 2 == 0 ? 15 : 31) & 1U) == 0 ? 1 : -1;
      }
      sum += a * b;
    }
    return static_cast<std::uint32_t>(sum);
  };
  bench::point::ExpectedChecksums expected(shape, 0);
  EXPECT_EQ(total(1028), total(0));
  EXPECT_NE(total(148), total(0));
  for (const std::uint32_t first : {0U, 48U, 1026U, 1098U})
    EXPECT_EQ(expected.sum_after(1, first), total(first) + total(first + 1) + total(first + 2))
        << first;
}

TEST(Product, TotalIsTheSumOfAllElements) {
  std::vector<std::uint32_t> slot;
  for (std::uint32_t word = 0; word < 2 * static_cast<std::uint32_t>(tile.slot_bytes()) / 4; ++word)
    slot.push_back(image::product::signs_of(77 + word));
  float sum = 0;
  for (std::uint32_t block = 0; block < 2; ++block)
    for (std::uint32_t row = 0; row < 16; ++row)
      for (std::uint32_t column = 0; column < 8; ++column)
        for (std::uint32_t k = 0; k < 64; ++k) {
          const std::uint32_t first = 77 + block * 24 * 32;
          const auto sign = [&](std::uint32_t at) {
            const std::uint32_t byte = (128 * at + 2 * k) ^ ((at % 8) << 4);
            const std::uint32_t word = image::product::signs_of(first + byte / 4);
            return (word >> (byte % 4 == 0 ? 15 : 31) & 1U) == 0 ? 1.0F : -1.0F;
          };
          sum += sign(row) * sign(16 + column);
        }
  EXPECT_EQ(static_cast<std::int32_t>(image::product::total_of({16, 8, 2}, slot)),
            static_cast<std::int32_t>(sum));
}

// The fake kernel adds words up, which is no product.
TEST(Product, AnotherChecksumIsAnErrorOfTheThread) {
  Bench bench;
  multiply(bench.variant.launch);
  const auto measured = bench.measure();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().step, Step::verify);
  EXPECT_NE(measured.error().text().find(": payload checksum 0x"), std::string::npos)
      << measured.error().text();
}

TEST(Product, PassesThroughTheManifest) {
  image::Manifest manifest;
  manifest.variants = {ring_variant("a"), ring_variant("b")};
  manifest.variants[0].launch.payload.product = {128, 256, 2};
  const auto read = image::manifest_from_json(image::to_json(manifest), "m");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->variants[0].launch.payload.product, (ProductShape{128, 256, 2}));
  EXPECT_EQ(read->variants[1].launch.payload.product, ProductShape{});
}

}  // namespace
}  // namespace phasebit::test
