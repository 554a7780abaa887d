// Expectations are worked out by hand from the meaning of the axes.
#include "gen/kernel/make_plan.h"
#include "tests/gen/plans.h"

namespace phasebit::test {

using kernel::Plan;
using launch::VariantKey;

namespace {

using test::plan_of;

VariantKey variant(const test::Axes& axes) {
  return test::key_of(
      {{"probe", "ring"}, {"protocol", "mbarrier"}, {"mover", "none"}, {"work", "none"}}, axes);
}

struct Layout {
  const char *unit, *producers, *consumers, *sharing, *roles, *placement;
  int threads, producer_threads, consumer_threads;
  std::uint32_t producer_mask, consumer_mask;
};

class WarpLayout : public testing::TestWithParam<Layout> {};

TEST_P(WarpLayout, GivesThreadsAndMasks) {
  const Layout& row = GetParam();
  const Plan plan = plan_of(variant({{"granularity", row.unit},
                                     {"producers", row.producers},
                                     {"consumers", row.consumers},
                                     {"sharing", row.sharing},
                                     {"roles", row.roles},
                                     {"placement", row.placement},
                                     {"num_stages", "4"}}));
  EXPECT_EQ(plan.launch.threads, row.threads);
  EXPECT_EQ(plan.producer.threads, row.producer_threads);
  EXPECT_EQ(plan.consumer.threads, row.consumer_threads);
  EXPECT_EQ(plan.producer.warps_mask, row.producer_mask);
  EXPECT_EQ(plan.consumer.warps_mask, row.consumer_mask);
}

INSTANTIATE_TEST_SUITE_P(
    Table, WarpLayout,
    testing::Values(
        Layout{"warp", "1", "1", "share", "specialized", "contiguous", 64, 32, 32, 0x1, 0x2},
        Layout{"warp", "2", "4", "share", "specialized", "contiguous", 192, 64, 128, 0x3, 0x3c},
        // P C C P C C: one producer to two consumers, evenly.
        Layout{"warp", "2", "4", "share", "specialized", "interleaved", 192, 64, 128, 0x9, 0x36},
        Layout{"warp", "4", "4", "share", "specialized", "interleaved", 256, 128, 128, 0x55, 0xaa},
        // Taking turns, one unit at a time has the slot.
        Layout{"warp", "2", "4", "round_robin", "specialized", "contiguous", 192, 32, 32, 0x3,
               0x3c},
        Layout{"warpgroup", "1", "2", "share", "specialized", "contiguous", 384, 128, 256, 0xf,
               0xff0},
        // The producer's warpgroup comes first, and one warp of it has the role.
        Layout{"producer_warp", "1", "1", "share", "specialized", "contiguous", 256, 32, 128, 0x1,
               0xf0},
        Layout{"producer_warp", "1", "2", "round_robin", "specialized", "contiguous", 384, 32, 128,
               0x1, 0xff0},
        Layout{"producer_warp", "1", "7", "share", "specialized", "contiguous", 1024, 32, 896, 0x1,
               0xfffffff0},
        // Half of every warp.
        Layout{"even_odd_lanes", "2", "2", "share", "specialized", "contiguous", 64, 32, 32, 0x3,
               0x3},
        Layout{"warp", "4", "4", "share", "unified", "contiguous", 128, 128, 128, 0xf, 0xf}));

TEST(Plan, GivesEachUnitThatTakesTurnsItsNumberAndRanksWithinIt) {
  const Plan plan = plan_of(variant({{"granularity", "warpgroup"},
                                     {"producers", "1"},
                                     {"consumers", "2"},
                                     {"sharing", "round_robin"},
                                     {"num_stages", "4"}}));
  ASSERT_EQ(plan.launch.slices.size(), 12U);
  const launch::RoleSlice& last = plan.launch.slices.back();
  EXPECT_EQ(last.role, launch::Role::consumer);
  EXPECT_EQ(last.unit, 1);
  EXPECT_EQ(last.rank, 96);
  EXPECT_EQ(plan.launch.producer_turns, 1);
  EXPECT_EQ(plan.launch.consumer_turns, 2);
}

TEST(Plan, SplitsAWarpByParity) {
  const Plan plan = plan_of(variant({{"granularity", "even_odd_lanes"}, {"num_stages", "2"}}));
  ASSERT_EQ(plan.launch.slices.size(), 2U);
  EXPECT_EQ(plan.launch.slices[0].record_index(), 0);
  EXPECT_EQ(plan.launch.slices[1].record_index(), 1);
  EXPECT_EQ(plan.launch.slices[1].first_lane, 1);
  EXPECT_EQ(plan.launch.slices[1].lane_stride, 2);
}

TEST(Plan, PlacesBarriersTicketCountersAndSlotsWithoutOverlap) {
  VariantKey key = variant({{"num_stages", "3"}, {"payload_bytes", "512"}});
  key.axes[2].second = "st_shared";
  const Plan plan = plan_of(key);
  EXPECT_EQ(plan.empty_offset, 24);   // three full barriers of 8 bytes
  EXPECT_EQ(plan.ticket_offset, 48);  // and three empty ones
  EXPECT_EQ(plan.scratch_offset, 64);
  EXPECT_EQ(plan.payload_offset, 128);  // 16 counters of 4 bytes, then aligned
  EXPECT_EQ(plan.launch.dynamic_shared_bytes, 128 + 3 * 512);
  EXPECT_EQ(plan.producer.vector_words, 4);  // 512 bytes over 32 threads: one 16-byte store
  EXPECT_EQ(plan.producer.moves, 1);
  EXPECT_EQ(plan.launch.payload.words_per_slot, 128);
}

TEST(Plan, TakesSingleWordsWhereVectorsDoNotDivide) {
  VariantKey key = variant({{"producers", "3"}, {"consumers", "1"}, {"payload_bytes", "384"}});
  key.axes[2].second = "st_shared";
  const Plan plan = plan_of(key);
  EXPECT_EQ(plan.producer.vector_words, 1);  // 384 bytes over 96 threads: one word each
  EXPECT_EQ(plan.consumer.vector_words, 1);  // 384 = 32 x 12: not a multiple of 16 x 32
  EXPECT_EQ(plan.consumer.moves, 3);
}

VariantKey bulk_ring(const Axes& axes) {
  Axes all = {{"copies_a_stage", "1"}, {"items_a_phase", "1"}, {"read", "all"}};
  all.insert(all.end(), axes.begin(), axes.end());
  VariantKey key = variant(all);
  key.axes[1].second = "mbarrier_bulk";
  key.axes[2].second = "bulk";
  return key;
}

TEST(Plan, AWarpCopiesAndThreadsRead) {
  Plan plan = plan_of(bulk_ring({{"payload_bytes", "4096"}}));
  EXPECT_EQ(plan.producer.movers, 1);
  EXPECT_EQ(plan.producer.moves, 1);
  EXPECT_EQ(plan.producer.vector_words, 1024);
  EXPECT_EQ(plan.consumer.moves, 8);  // 4096 bytes by 32 threads, 16 at once
  EXPECT_EQ(plan.launch.payload.period, 37);
  EXPECT_EQ(plan.launch.payload.thread_words, 0);
  plan = plan_of(bulk_ring({{"payload_bytes", "4096"}, {"producers", "2"}, {"consumers", "1"}}));
  EXPECT_EQ(plan.producer.movers, 2);
  EXPECT_EQ(plan.producer.vector_words, 512);
}

TEST(Plan, ReadsAPartOfALargeSlotAndASmallOneManyTimes) {
  VariantKey key = bulk_ring({{"payload_bytes", "4096"}});
  for (auto& [axis, value] : key.axes)
    if (axis == "read") value = "first";
  Plan plan = plan_of(key);
  EXPECT_EQ(plan.consumer.moves, 1);
  EXPECT_EQ(plan.launch.payload.thread_words, 4);
  plan = plan_of(bulk_ring({{"payload_bytes", "16"}}));
  EXPECT_EQ(plan.consumer.vector_words, 1);
  EXPECT_EQ(plan.launch.payload.thread_words, 1);
  EXPECT_EQ(plan.launch.payload.words_per_slot, 4);
}

TEST(Plan, RefusesCopiesThatDoNotFit) {
  const auto plan =
      kernel::make_plan(test::shipped(), bulk_ring({{"payload_bytes", "48"}, {"producers", "2"}}));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().text(),
            "spec: test: payload_bytes 48: 2 copies of 24 bytes; a copy is a multiple of 16 bytes");
}

TEST(Plan, AStreamReadsOneBufferOnSomeSms) {
  VariantKey key = bulk_ring({{"payload_bytes", "4096"}, {"sms", "8"}, {"resident", "l2"}});
  key.axes[0].second = "stream";
  const Plan plan = plan_of(key);
  EXPECT_EQ(plan.launch.sms, 8);
  EXPECT_EQ(plan.launch.data.bytes, 16 << 20);
  EXPECT_EQ(plan.launch.data.tile_bytes, 4096);
  EXPECT_EQ(plan.launch.unit, "ns per item");
  EXPECT_EQ(plan.launch.payload.words_per_slot, 0);
  ASSERT_EQ(plan.launch.buffers.size(), 2U);
  EXPECT_EQ(plan.launch.buffers[0].bytes, std::uint64_t{1} << 33);
}

// 8 GiB are 2^21 tiles of 4 KiB, of 32 rows each; no thread reads what comes.
TEST(Plan, CopiesFromMemoryReadTheDataOfAStream) {
  VariantKey key = bulk_ring({{"payload_bytes", "4096"}, {"resident", "hbm"}});
  key.axes[0].second = "issue";
  const Plan plan = plan_of(key);
  EXPECT_EQ(plan.launch.sms, 0);
  EXPECT_EQ(plan.launch.data.bytes, std::int64_t{1} << 33);
  EXPECT_EQ(plan.launch.data.readers, 0);
  EXPECT_EQ(plan.launch.payload.images_bytes(), 0);
  key.axes[2].second = "bulk_tensor";
  for (const auto& [axis, value] : launch::KeyAxes{{"dimensions", "2"},
                                                   {"row_bytes", "128"},
                                                   {"element", "u32"},
                                                   {"swizzle", "none"},
                                                   {"promotion", "none"},
                                                   {"edge", "whole"},
                                                   {"out_fill", "zeros"}})
    key.axes.emplace_back(axis, value);
  const Plan tiles = plan_of(key);
  ASSERT_EQ(tiles.launch.tensor_maps.size(), 1U);
  EXPECT_EQ(tiles.launch.tensor_maps[0].buffer, "data");
  EXPECT_EQ(tiles.launch.tensor_maps[0].sizes,
            (std::vector<std::int64_t>{32, std::int64_t{32} << 21}));
  VariantKey from_l2 = bulk_ring({{"payload_bytes", "4096"}});
  from_l2.axes[0].second = "issue";
  EXPECT_TRUE(plan_of(from_l2).launch.buffers.empty());
}

TEST(Plan, RefusesAPayloadThatDoesNotDivide) {
  VariantKey key = variant({{"payload_bytes", "100"}});
  key.axes[2].second = "st_shared";
  const auto plan = kernel::make_plan(test::shipped(), key);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().text(),
            "spec: test: payload_bytes 100 cannot be split evenly over 32 threads");
}

TEST(Plan, RefusesMoreWarpsThanACtaHas) {
  const auto plan =
      kernel::make_plan(test::shipped(), variant({{"producers", "20"}, {"consumers", "13"}}));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().text(), "spec: test: 33 warps, a CTA has at most 32");
}

TEST(Plan, AsksForWholeLapsWhenUnrolled) {
  const Plan plan = plan_of(variant({{"num_stages", "5"}, {"addressing", "unrolled"}}));
  EXPECT_EQ(plan.launch.item_granule, 5);
  EXPECT_EQ(plan.launch.min_items, 5);
}

}  // namespace
}  // namespace phasebit::test
