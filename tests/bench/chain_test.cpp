#include "bench/point/chain.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::point::chain_base;
using launch::LaunchShape;

namespace {

LaunchShape shape_of(int granule, int least) {
  LaunchShape shape;
  shape.item_granule = granule;
  shape.min_items = least;
  return shape;
}

struct BaseRow {
  int granule;
  results::Sample shorter, longer;
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

TEST(ChainTest, ATrialIsALengthAndFourTimesIt) {
  EXPECT_EQ(bench::point::trial_counts(shape_of(4, 4), 5), (std::vector<std::uint32_t>{8, 32}));
  LaunchShape capped = shape_of(4, 4);
  capped.max_items = 40;
  EXPECT_EQ(bench::point::trial_counts(capped, 1000), (std::vector<std::uint32_t>{8, 32}));
}

TEST(ChainTest, ATrialThatCannotGrowIsLongEnough) {
  LaunchShape shape = shape_of(1, 1);
  shape.max_items = 64;
  EXPECT_EQ(chain_base(shape, {8, 30}, {32, 90}), 0U);     // may still grow to 16 and 64
  EXPECT_EQ(chain_base(shape, {16, 50}, {64, 170}), 16U);  // 2.5 cycles an item: as many as allowed
}

TEST(ChainTest, AGridLastsAsLongAsManyCopiesOfItsStart) {
  LaunchShape shape;
  shape.sms = 2;
  // 400 ns an item: half a millisecond is 1250 items.
  EXPECT_EQ(chain_base(shape, {32, 20000, {}}, {128, 58400, {}}), 1250U);
}

TEST(ChainTest, ARoundIsFourLengths) {
  EXPECT_EQ(bench::point::chain_counts(10, 2),
            (std::vector<std::uint32_t>{10, 20, 30, 40, 10, 20, 30, 40}));
}

}  // namespace
}  // namespace phasebit::test
