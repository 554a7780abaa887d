// Threads that multiply the matrices of their slots.
#include "tests/bench/one_point.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::product::ProductShape;

namespace {

constexpr ProductShape tile = {16, 8, 1};

void multiply(launch::LaunchShape& launch) {
  launch.payload.words_per_slot = tile.slot_bytes() / 4;
  launch.payload.consumer_threads = 32;
  launch.payload.period = 2;
  launch.payload.product = tile;
}

// The fake kernel adds words up, which is not a product.
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
  launch::Manifest manifest;
  manifest.variants = {ring_variant("a"), ring_variant("b")};
  manifest.variants[0].launch.payload.product = {128, 256, 2};
  const auto read = launch::manifest_from_json(launch::to_json(manifest), "m");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->variants[0].launch.payload.product, (ProductShape{128, 256, 2}));
  EXPECT_EQ(read->variants[1].launch.payload.product, ProductShape{});
}

}  // namespace
}  // namespace phasebit::test
