#include "bench/point/chain.h"

#include <gtest/gtest.h>

namespace phasebit {
namespace {

LaunchShape shape_of(int granule, int least) {
  LaunchShape shape;
  shape.item_granule = granule;
  shape.min_items = least;
  return shape;
}

struct AllowedRow {
  int granule, least;
  std::uint64_t wanted;
  std::uint32_t allowed;
};

constexpr AllowedRow allowed_rows[] = {
    {1, 1, 0, 1}, {1, 1, 7, 7}, {4, 4, 5, 8},    {4, 4, 8, 8},
    {3, 1, 1, 3}, {3, 7, 1, 9}, {32, 32, 0, 32}, {5, 12, 13, 15},
};

TEST(ChainTest, CountsAreMultiplesOfTheGranuleAndNotBelowTheSmallest) {
  for (const AllowedRow& row : allowed_rows)
    EXPECT_EQ(allowed_items(shape_of(row.granule, row.least), row.wanted), row.allowed)
        << row.granule << ' ' << row.least << ' ' << row.wanted;
}

TEST(ChainTest, TheGuardedBuildSeesTheSmallestCountAndOddOnes) {
  EXPECT_EQ(guard_counts(shape_of(1, 1)), (std::vector<std::uint32_t>{1, 2, 3, 18, 41}));
  EXPECT_EQ(guard_counts(shape_of(4, 4)), (std::vector<std::uint32_t>{4, 8, 12, 72, 164}));
}

struct BaseRow {
  int granule;
  Sample shorter, longer;
  std::uint32_t base;
};

constexpr BaseRow base_rows[] = {
    {1, {100, 4300}, {400, 16300}, 409},    // 40 cycles an item: 16384 / 40
    {4, {100, 4300}, {400, 16300}, 412},    // the next multiple of 4
    {1, {32, 320300}, {128, 1280300}, 1},   // 10000 cycles
    {1, {32, 300}, {128, 1500}, 0},         // too short to tell
    {1, {16384, 20}, {65536, 20}, 65536},   // an item costs nothing: the longest there is
    {1, {100, 90000}, {400, 16000}, 1638},  // disturbed: a quarter of 40 cycles is assumed
};

TEST(ChainTest, AShorterItemGivesALongerChain) {
  for (const BaseRow& row : base_rows)
    EXPECT_EQ(chain_base(shape_of(row.granule, 1), row.shorter, row.longer), row.base)
        << row.longer.cycles;
}

TEST(ChainTest, ARoundIsFourLengths) {
  EXPECT_EQ(chain_counts(10, 2), (std::vector<std::uint32_t>{10, 20, 30, 40, 10, 20, 30, 40}));
}

}  // namespace
}  // namespace phasebit
