#include "bench/point/chain.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::point::chain_base;
using bench::point::guard_counts;
using image::LaunchShape;

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
    EXPECT_EQ(bench::point::allowed_items(shape_of(row.granule, row.least), row.wanted),
              row.allowed)
        << row.granule << ' ' << row.least << ' ' << row.wanted;
}

TEST(ChainTest, TheGuardedBuildSeesTheSmallestCountAndOddOnes) {
  EXPECT_EQ(guard_counts(shape_of(1, 1)), (std::vector<std::uint32_t>{1, 2, 3, 18, 41}));
  EXPECT_EQ(guard_counts(shape_of(4, 4)), (std::vector<std::uint32_t>{4, 8, 12, 72, 164}));
}

struct BaseRow {
  int granule;
  record::Sample shorter, longer;
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

struct CappedRow {
  int granule, least, most;
  std::uint64_t wanted;
  std::uint32_t allowed;
  std::vector<std::uint32_t> guard;
};

TEST(ChainTest, ACapHoldsForTheLongestOfFourAndForTheGuardedBuild) {
  const CappedRow rows[] = {
      {1, 1, 40, 1000, 10, {1, 2, 3, 18}},  // 4 * 10
      {1, 1, 43, 1000, 10, {1, 2, 3, 18, 41}},
      {4, 4, 40, 1000, 8, {4, 8, 12}},  // 12 would be 48 items
      {1, 1, 4, 1000, 1, {1, 2, 3}},
      {1, 1, 0, 1000, 1000, {1, 2, 3, 18, 41}},  // no cap
  };
  for (const CappedRow& row : rows) {
    LaunchShape shape = shape_of(row.granule, row.least);
    shape.max_items = row.most;
    EXPECT_TRUE(bench::point::check_chain(shape));
    EXPECT_EQ(bench::point::allowed_items(shape, row.wanted), row.allowed) << row.most;
    EXPECT_EQ(guard_counts(shape), row.guard) << row.most;
    EXPECT_EQ(bench::point::trial_counts(shape, row.wanted)[1], 4 * row.allowed) << row.most;
  }
}

TEST(ChainTest, ATrialThatCannotGrowIsLongEnough) {
  LaunchShape shape = shape_of(1, 1);
  shape.max_items = 64;
  EXPECT_EQ(chain_base(shape, {8, 30}, {32, 90}), 0U);     // may still grow to 16 and 64
  EXPECT_EQ(chain_base(shape, {16, 50}, {64, 170}), 16U);  // 2.5 cycles an item: as many as allowed
}

TEST(ChainTest, ARoundIsFourLengths) {
  EXPECT_EQ(bench::point::chain_counts(10, 2),
            (std::vector<std::uint32_t>{10, 20, 30, 40, 10, 20, 30, 40}));
}

}  // namespace
}  // namespace phasebit::test
