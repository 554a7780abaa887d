#include "core/launch/launch.h"

#include <random>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::expected_checksum;
using launch::guard_counts;
using launch::LaunchShape;
using launch::Role;
using launch::RoleSlice;

namespace {

TEST(ItemsOfUnit, CountsWhatFallsToAUnit) {
  for (int turns = 1; turns <= 5; ++turns)
    for (std::uint32_t items = 0; items <= 23; ++items)
      for (int unit = 0; unit < turns; ++unit) {
        std::uint32_t counted = 0;
        for (std::uint32_t item = 0; item < items; ++item)
          if (item % static_cast<std::uint32_t>(turns) == static_cast<std::uint32_t>(unit))
            ++counted;
        EXPECT_EQ(launch::items_of_unit(items, unit, turns), counted)
            << items << " items, unit " << unit << " of " << turns;
      }
}

// Units that share every slot handle every item, whatever their number.
TEST(ItemsOfUnit, WithoutTurnsEveryUnitHandlesEveryItem) {
  EXPECT_EQ(launch::items_of_unit(100, 3, 1), 100U);
}

LaunchShape of_granule(int granule, int least) {
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

TEST(Items, CountsAreMultiplesOfTheGranuleAndNotBelowTheSmallest) {
  for (const AllowedRow& row : allowed_rows)
    EXPECT_EQ(launch::allowed_items(of_granule(row.granule, row.least), row.wanted), row.allowed)
        << row.granule << ' ' << row.least << ' ' << row.wanted;
}

TEST(Items, TheGuardedBuildSeesTheSmallestCountAndOddOnes) {
  EXPECT_EQ(guard_counts(of_granule(1, 1)), (std::vector<std::uint32_t>{1, 2, 3, 18, 41}));
  EXPECT_EQ(guard_counts(of_granule(4, 4)), (std::vector<std::uint32_t>{4, 8, 12, 72, 164}));
}

struct CappedRow {
  int granule, least, most;
  std::uint64_t wanted;
  std::uint32_t allowed;
  std::vector<std::uint32_t> guard;
};

TEST(Items, ACapHoldsForTheLongestOfFourAndForTheGuardedBuild) {
  const CappedRow rows[] = {
      {1, 1, 40, 1000, 10, {1, 2, 3, 18}},  // 4 * 10
      {1, 1, 43, 1000, 10, {1, 2, 3, 18, 41}},
      {4, 4, 40, 1000, 8, {4, 8, 12}},  // 12 would be 48 items
      {1, 1, 4, 1000, 1, {1, 2, 3}},
      {1, 1, 0, 1000, 1000, {1, 2, 3, 18, 41}},  // no cap
  };
  for (const CappedRow& row : rows) {
    LaunchShape shape = of_granule(row.granule, row.least);
    shape.max_items = row.most;
    EXPECT_TRUE(launch::check_chain(shape));
    EXPECT_EQ(launch::allowed_items(shape, row.wanted), row.allowed) << row.most;
    EXPECT_EQ(guard_counts(shape), row.guard) << row.most;
  }
}

// The slots as a kernel sees them: word by word, in the order that launch.h states.
std::uint32_t checksum_by_reading(const LaunchShape& shape, std::uint32_t seed, std::uint32_t items,
                                  std::uint32_t unit, std::uint32_t rank) {
  const auto words = static_cast<std::uint32_t>(shape.payload.words_per_slot);
  const auto threads = static_cast<std::uint32_t>(shape.payload.consumer_threads);
  const auto vector = static_cast<std::uint32_t>(shape.payload.consumer_vector_words);
  const auto turns = static_cast<std::uint32_t>(shape.consumer_turns);
  std::uint32_t hash = 0;
  for (std::uint32_t item = 0; item < items; ++item) {
    if (turns > 1 && item % turns != unit) continue;
    const auto period = static_cast<std::uint32_t>(shape.payload.period);
    const std::uint32_t image = period > 0 ? item % period : item;
    std::vector<std::uint32_t> slot(words);
    for (std::uint32_t w = 0; w < words; ++w) slot[w] = seed + image * 0x9E3779B1U + w;
    for (std::uint32_t m = 0; (m * threads + rank) * vector < words; ++m)
      for (std::uint32_t v = 0; v < vector; ++v)
        hash = hash * 0x01000193U + slot.at((m * threads + rank) * vector + v);
  }
  return hash;
}

LaunchShape shape_of(int threads, int vector, int rounds, int turns) {
  LaunchShape shape;
  shape.consumer_turns = turns;
  shape.payload = {threads * vector * rounds, threads, vector};
  return shape;
}

TEST(ExpectedFold, AgreesWithReadingEverySlot) {
  std::minstd_rand random(1);
  for (const int threads : {1, 16, 32, 64, 96, 128})
    for (const int vector : {1, 4})
      for (const int rounds : {1, 2, 3, 8})
        for (const int turns : {1, 2, 3, 4})
          for (const std::uint32_t items : {0U, 1U, 2U, 3U, 7U, 64U, 101U}) {
            const LaunchShape shape = shape_of(threads, vector, rounds, turns);
            const auto seed = static_cast<std::uint32_t>(random());
            const auto unit = static_cast<int>(random() % static_cast<unsigned>(turns));
            const auto rank = static_cast<int>(random() % static_cast<unsigned>(threads));
            ASSERT_EQ(expected_checksum(shape, seed, items, unit, rank),
                      checksum_by_reading(shape, seed, items, static_cast<std::uint32_t>(unit),
                                          static_cast<std::uint32_t>(rank)))
                << threads << " threads, vectors of " << vector << ", " << rounds
                << " rounds, unit " << unit << " of " << turns << ", rank " << rank << ", " << items
                << " items";
          }
}

// Whole periods and what is left of one, for units that take turns too.
TEST(ExpectedFold, AgreesWithReadingCopiesOfAPeriodOfImages) {
  for (const int period : {1, 5, 37})
    for (const int turns : {1, 2, 4})
      for (const std::uint32_t items : {0U, 1U, 36U, 37U, 38U, 74U, 500U}) {
        LaunchShape shape = shape_of(32, 4, 2, turns);
        shape.payload.period = period;
        for (int unit = 0; unit < turns; ++unit)
          ASSERT_EQ(expected_checksum(shape, 77, items, unit, 3),
                    checksum_by_reading(shape, 77, items, static_cast<std::uint32_t>(unit), 3))
              << period << " images, unit " << unit << " of " << turns << ", " << items << " items";
      }
}

// Of a slot of 4 words that 32 threads read, thread r reads word r modulo 4; of one of 32 words for
// each thread, the first 4.
TEST(ExpectedFold, SmallSlotsAreReadByManyAndLargeOnesInPart) {
  constexpr std::uint32_t k = 0x01000193U, step = 0x9E3779B1U;
  LaunchShape small;
  small.payload = {4, 32, 1, 37};
  small.payload.thread_words = 1;
  EXPECT_EQ(expected_checksum(small, 5, 2, 0, 6), (5U + 2U) * k + (5U + step + 2U));
  LaunchShape large;
  large.payload = {1024, 32, 4, 37};
  large.payload.thread_words = 4;
  const std::uint32_t first = 5U + 4U * 3U;  // thread 3's first word of item 0
  EXPECT_EQ(expected_checksum(large, 5, 1, 0, 3),
            ((first * k + first + 1) * k + first + 2) * k + first + 3);
}

// A slot that was not filled again holds the image of num_stages items ago, or of a multiple.
TEST(ExpectedFold, APeriodOfImagesTellsEveryLapOfEveryRingApart) {
  for (int num_stages = 1; num_stages <= 32; ++num_stages)
    for (int laps = 1; laps < launch::copied_payload_period; ++laps)
      EXPECT_NE(laps * num_stages % launch::copied_payload_period, 0);
}

TEST(ItemsOfSlice, HalfOfThemWhereItLeavesEarly) {
  LaunchShape shape;
  RoleSlice slice;
  slice.role = Role::consumer;
  EXPECT_EQ(launch::items_of_slice(shape, slice, 9), 9U);
  slice.leaves_early = true;
  EXPECT_EQ(launch::items_until_leaving(slice, 9), 4U);
  EXPECT_EQ(launch::items_of_slice(shape, slice, 9), 4U);
}

TEST(ExpectedFold, HoldsForLongChains) {
  const LaunchShape shape = shape_of(32, 4, 2, 2);
  constexpr std::uint32_t items = 1'000'001;
  EXPECT_EQ(expected_checksum(shape, 77, items, 1, 31),
            checksum_by_reading(shape, 77, items, 1, 31));
}

// One thread, one word, three items, by hand: ((s0 * k + s1) * k + s2), s_i = 5 + i * step.
TEST(ExpectedFold, ByHand) {
  constexpr std::uint32_t k = 0x01000193U, step = 0x9E3779B1U;
  constexpr std::uint32_t by_hand = (5U * k + (5U + step)) * k + (5U + 2U * step);
  EXPECT_EQ(expected_checksum(shape_of(1, 1, 1, 1), 5, 3, 0, 0), by_hand);
}

// The check would be worth little if a fault that it must see left the checksum as it is.
TEST(ExpectedFold, SeesALostASwappedAndARepeatedItem) {
  const LaunchShape shape = shape_of(32, 1, 4, 1);
  const auto checksum_of = [&](const std::vector<std::uint32_t>& items) {
    std::uint32_t hash = 0;
    for (const std::uint32_t item : items)
      for (std::uint32_t m = 0; m < 4; ++m)
        hash = hash * launch::payload_checksum_multiplier +
               (9 + item * launch::payload_item_step + m * 32);
    return hash;
  };
  EXPECT_EQ(expected_checksum(shape, 9, 4, 0, 0), checksum_of({0, 1, 2, 3}));
  for (const std::vector<std::uint32_t>& wrong : {std::vector<std::uint32_t>{0, 2, 1, 3},
                                                  {0, 1, 2},
                                                  {0, 1, 2, 2},
                                                  {1, 2, 3, 4},
                                                  {0, 0, 2, 3}})
    EXPECT_NE(expected_checksum(shape, 9, 4, 0, 0), checksum_of(wrong));
}

TEST(ExpectedFold, IsZeroWithoutAPayload) {
  EXPECT_EQ(expected_checksum(LaunchShape{}, 9, 100, 0, 0), 0U);
}

TEST(LaunchShape, CountsWarpsAndRecords) {
  LaunchShape shape;
  shape.threads = 96;
  shape.ctas_per_sm = 2;
  EXPECT_EQ(shape.warps(), 3);
  EXPECT_EQ(shape.records(), 12);  // 2 CTAs x 3 warps x 2 halves
}

TEST(RoleSlice, PlacesItsRecord) {
  const RoleSlice whole{.warp = 3, .first_lane = 0, .lane_stride = 1, .role = Role::producer};
  const RoleSlice odd{.warp = 3, .first_lane = 1, .lane_stride = 2, .role = Role::consumer};
  EXPECT_EQ(whole.lanes(), 32);
  EXPECT_EQ(whole.record_index(), 6);
  EXPECT_EQ(odd.lanes(), 16);
  EXPECT_EQ(odd.record_index(), 7);
}

TEST(LaunchShapeTest, ASliceIsInEveryCtaUnlessItNamesOne) {
  RoleSlice slice;
  EXPECT_TRUE(slice.is_in(0));
  EXPECT_TRUE(slice.is_in(7));
  slice.rank_in_cluster = 3;
  EXPECT_TRUE(slice.is_in(3));
  EXPECT_FALSE(slice.is_in(0));
}

TEST(LaunchShapeTest, EveryCtaOfAClusterHasRoomForItsRecords) {
  LaunchShape shape;
  shape.threads = 64;
  shape.cluster_size = 8;
  EXPECT_EQ(shape.ctas(), 8);
  EXPECT_EQ(shape.records(), 8 * 2 * 2);
}

}  // namespace
}  // namespace phasebit::test
