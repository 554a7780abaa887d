// Launch shapes beyond a ring on one SM: load, clusters, victims, readings, capped chains.
#include "tests/bench/one_point.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::LaunchShape;
using launch::Role;

namespace {

struct GridRow {
  int ctas_per_sm, load_ctas, cluster_size;
  int ctas, cluster;
};

// 132 SMs; one CTA more than wanted for each, so that the target SM finds all of them.
constexpr GridRow grid_rows[] = {
    {1, 0, 1, 132 * 2, 1},
    {3, 0, 1, 132 * 4, 1},
    {1, 2, 1, 132 * 4, 1},
    {2, 1, 1, 132 * 4, 1},
    {1, 0, 2, 2, 2},
    {1, 0, 16, 16, 16},
    // Clusters of load: as many whole ones as there are SMs.
    {1, 1024, 2, 132, 2},
    {1, 1024, 16, 128, 16},
    {1, 4, 2, 4, 2},
};

TEST(GridTest, HasCtasForEverySmOrIsOfClusters) {
  for (const GridRow& row : grid_rows) {
    LaunchShape shape = ring_shape();
    shape.ctas_per_sm = row.ctas_per_sm;
    shape.load_ctas = row.load_ctas;
    shape.cluster_size = row.cluster_size;
    const bench::device::Grid grid = bench::point::grid_of(shape, {5, 2}, 132);
    EXPECT_EQ(grid.ctas, row.ctas);
    EXPECT_EQ(grid.cluster_size, row.cluster);
    EXPECT_EQ(grid.threads, 64 + 2 * 32);
    EXPECT_EQ(grid.dynamic_shared_bytes, 1024);
  }
}

TEST(LoadTest, ItsCtasLeaveNoRecordButMustHaveCome) {
  Bench bench;
  bench.variant.launch.load_ctas = 2;
  EXPECT_TRUE(bench.measure());
  Bench alone;
  alone.variant.launch.load_ctas = 2;
  alone.bundle.kernel("a_t") = {{"fault", "no_load"}};
  EXPECT_EQ(alone.measure().error().text(),
            "device: 1 of 3 CTAs came to run on SM 0, in 5 attempts (SM numbers go from 0 to 3; "
            "another process may hold this one: try --sm)");
}

// The variant's own gap comes to every placement.
TEST(LoadTest, IdleWarpsOfTheVariantAreLaunchedToo) {
  Bench bench;
  bench.variant.launch.gap_after = 1;
  bench.variant.launch.gap_warps = 3;
  EXPECT_TRUE(bench.measure());
  Bench full;
  full.variant.launch.gap_after = 1;
  full.variant.launch.gap_warps = 31;
  const auto measured = full.measure();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().message.find("1056 threads a CTA with 31 idle warps"), 0U)
      << measured.error().text();
}

// A warp in each of two ranks: the first commits, the second waits.
LaunchShape cluster_shape(int size, int first, int second) {
  LaunchShape shape;
  shape.threads = 32;
  shape.cluster_size = size;
  shape.first_rank = first;
  shape.second_rank = second;
  shape.timed_role = Role::producer;
  shape.slices = {{0, 0, 1, Role::producer, 0, 0, first}, {0, 0, 1, Role::consumer, 0, 0, second}};
  return shape;
}

// The fake runs rank r on SM 2 r + 1.
TEST(ClusterTest, TheRolesAreInTwoRanksAndTheSmsAreTheGpusChoice) {
  Bench bench;
  bench.variant.launch = cluster_shape(8, 3, 5);
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_TRUE(measured->quality.items_only);
  EXPECT_EQ(measured->sms, (std::vector<int>{7, 11}));
  EXPECT_NEAR(results::summarise(measured->samples).value().cycles, 40, 0.01);
}

TEST(ClusterTest, RolesInEveryRankAreVerifiedInEveryRank) {
  Bench bench;
  bench.variant.launch.cluster_size = 4;
  EXPECT_TRUE(bench.measure());
  Bench wrong;
  wrong.variant.launch.cluster_size = 4;
  wrong.variant.launch.first_rank = 2;
  wrong.bundle.kernel("a_t") = {{"fault", "other_sm"}, {"at", 32}};
  EXPECT_EQ(wrong.measure().error().text(),
            "verify: warp 1 of cta 0 (consumer) ran on SM 2, expected 1");
}

struct RefusedRow {
  int sm, max_cluster, wanted;
  const char* error;
};

constexpr RefusedRow refused_rows[] = {
    {90, 8, 16, "device: a cluster of 16 CTAs: Fake GPU takes at most 8 with this kernel"},
    {80, 0, 2, "device: a cluster of 2 CTAs: Fake GPU (sm_80) has no clusters"},
};

TEST(ClusterTest, ASizeThatTheDeviceRefusesIsNamedWithItsLimit) {
  for (const RefusedRow& row : refused_rows) {
    Bench bench;
    bench.bundle.device() = {{"sm", row.sm}, {"max_cluster", row.max_cluster}};
    bench.variant.launch = cluster_shape(row.wanted, 0, 1);
    EXPECT_EQ(bench.measure().error().text(), row.error);
  }
}

TEST(ClusterTest, TheClockIsThatOfOneSm) {
  const LaunchShape shape = cluster_shape(2, 0, 1);
  std::vector<launch::LaunchOutput> outputs(3);
  const std::uint32_t sms[] = {4, 4, 9};
  for (std::size_t n = 0; n < 3; ++n) {
    outputs[n].records.resize(static_cast<std::size_t>(shape.records()));
    launch::SampleRecord& record = outputs[n].records[0];
    record.role = 1;
    record.sm = sms[n];
    record.clock_start = 1'500'000 * n + (sms[n] == 9 ? 77'000'000 : 0);  // another counter
    record.clock_end = record.clock_start + 150'000;
    record.timer_start = 1'000'000 * n;
    record.timer_end = record.timer_start + 100'000;
  }
  EXPECT_DOUBLE_EQ(bench::point::achieved_megahertz(shape, outputs, 32), 1500);
}

LaunchShape victim_shape() {
  LaunchShape shape;
  shape.threads = 64;
  shape.timed_role = Role::victim;
  shape.consumer_turns = 2;
  shape.slices = {{0, 0, 1, Role::consumer, 1, 0}, {1, 0, 1, Role::victim, 0, 0}};
  return shape;
}

TEST(VictimTest, IsTimedAndHandlesEveryItem) {
  Bench bench;
  bench.variant.launch = victim_shape();
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  Bench wrong;
  wrong.variant.launch = victim_shape();
  wrong.bundle.kernel("a_t") = {{"fault", "wrong_items"}, {"at", 32}};
  EXPECT_EQ(wrong.measure().error().text(),
            "verify: warp 1 of cta 0 (victim) handled 0 items, expected 1 of 1");
  Bench phases;  // it takes part in no barrier
  phases.variant.launch = victim_shape();
  phases.bundle.kernel("a_t") = {{"fault", "wrong_phase"}, {"at", 32}};
  EXPECT_TRUE(phases.measure());
}

TEST(ReadingTest, EachHasItsSlopeAndItsSum) {
  Bench bench;
  bench.variant.launch.readings = {{"polls", "polls per item", Role::consumer, 1},
                                   {"late", "cycles per item", Role::producer, 0}};
  bench.bundle.kernel("a_t") = {{"readings", {700, 2.5}}};
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->readings, (std::vector<results::ReadingName>{{"polls", "polls per item"},
                                                                   {"late", "cycles per item"}}));
  EXPECT_EQ(measured->timer_step_ns, 0U);  // the first reading is none
  const results::Summary summary = results::summarise(measured->samples).value();
  ASSERT_EQ(summary.readings.size(), 2U);
  EXPECT_NEAR(summary.readings[0].value, 2.5, 0.01);
  EXPECT_NEAR(summary.readings[1].value, 700, 0.01);
  EXPECT_EQ(measured->quality, results::Quality());
}

TEST(ReadingTest, ANoisyOneKeepsThePointGoingAndIsFlaggedByName) {
  Bench bench;
  bench.variant.launch.readings = {{"polls", "polls per item", Role::consumer, 0}};
  bench.bundle.kernel("a_t") = {{"readings", {5}}, {"reading_noise", {20000}}};
  bench.request.max_rounds = 24;
  bench.request.max_seconds = 60;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->samples.size(), 4U * 24);
  EXPECT_EQ(results::words_of(measured->quality),
            (std::vector<std::string>{"interval_too_wide:polls"}));
}

TEST(UnguardedTest, AKernelThatWaitsForNothingNeedsNoGuardedBuild) {
  Bench bench;
  bench.variant.launch.guarded = false;
  bench.variant.images.pop_back();
  EXPECT_TRUE(bench.measure());
}

TEST(CappedTest, NoLaunchHasMoreItemsThanAllowed) {
  Bench bench;
  bench.variant.launch.max_items = 100;
  bench.variant.launch.item_granule = 4;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  std::uint32_t most = 0;
  for (const results::Sample& sample : measured->samples) most = std::max(most, sample.items);
  EXPECT_EQ(most, 96U);  // 4 * 24: the largest multiple of 4 in 100 / 4 is 24
}

// An item of 7 ms: one item a chain step, no trial with 32 of them.
TEST(LongItemTest, IsItsOwnChain) {
  Bench bench;
  bench.bundle.kernel("a_t") = {{"cycles", 1e7}};
  bench.request.max_seconds = 1e-9;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->samples.front().items, 1U);
  EXPECT_EQ(measured->samples.size(), 4U * bench::point::min_rounds);
}

}  // namespace
}  // namespace phasebit::test
