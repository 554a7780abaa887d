#include "core/launch/verify.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::ExpectedChecksums;
using launch::LaunchOutput;
using launch::LaunchShape;
using launch::Role;
using launch::verify_launch;

namespace {

LaunchShape grid_of_two() {
  LaunchShape shape;
  shape.sms = 2;
  shape.threads = 32;
  shape.slices.resize(1);
  shape.slices[0].role = launch::Role::consumer;
  shape.buffers = {{"data", 4096, {launch::BufferFill::Kind::blocks, 3}}};
  shape.data = {4096, 512, 1};
  return shape;
}

// CTA c ran on SM c, from ns 100 + c to 200 + 10 c.
LaunchOutput output_of(const LaunchShape& shape, std::uint32_t items, std::uint32_t first = 0) {
  LaunchOutput output;
  output.items = items;
  output.first_tile = first;
  output.records.resize(static_cast<size_t>(shape.records()));
  output.checksum.assign(static_cast<size_t>(shape.ctas() * shape.threads), launch::payload_poison);
  const std::vector<std::uint32_t> words = launch::content_of(shape.buffers[0]);
  for (std::uint32_t cta = 0; cta < 2; ++cta) {
    launch::SampleRecord& record = output.records[2 * cta];
    record = {1, 2, 100 + cta, 200 + 10 * cta, items, 2, 0, cta};
    std::uint32_t sum = 0;
    for (std::uint32_t item = 0; item < items; ++item)
      for (std::uint32_t word = 0; word < 128; ++word)
        sum += words[(first + item * 2 + cta) % 8 * 128 + word];
    // A lane for all: one sum that is the word of no checksum, the others its complement.
    for (std::uint32_t lane = 0; lane < 32; ++lane) output.checksum[32 * cta + lane] = 0;
    output.checksum[32 * cta + 1] = launch::payload_poison;
    output.checksum[32 * cta] = sum - launch::payload_poison;
  }
  return output;
}

TEST(Grid, TheSumOfAllThreadsIsVerified) {
  const LaunchShape shape = grid_of_two();
  ExpectedChecksums checksums(shape, 0);
  LaunchOutput output = output_of(shape, 7);
  EXPECT_TRUE(verify_launch(shape, 0, output, checksums));
  EXPECT_EQ(span_ns(output), 110U);
  std::uint32_t right = 0;
  for (const std::uint32_t one : output.checksum) right += one;
  ++output.checksum[32];
  const auto wrong = verify_launch(shape, 0, output, checksums);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text(),
            fmt::format("verify: the sum of all words read is {:#010x} after 7 items, expected "
                        "{:#010x}",
                        right + 1, right));
}

// A producer warp alone, whose slots no thread reads until the end.
LaunchShape issue_of_four_slots(int words) {
  LaunchShape shape;
  shape.threads = 32;
  shape.timed_role = launch::Role::producer;
  shape.slices.resize(1);
  shape.slices[0].role = launch::Role::producer;
  shape.slots_summed = 4;
  shape.payload.words_per_slot = words;
  shape.payload.period = launch::copied_payload_period;
  return shape;
}

// Slots of the last items, word for word; the threads' sums are in any thread.
LaunchOutput left_by(const LaunchShape& shape, std::uint32_t items,
                     const std::vector<std::uint32_t>& slots) {
  LaunchOutput output;
  output.items = items;
  output.records.resize(static_cast<size_t>(shape.records()));
  output.records[0] = {1, 2, 100, 200, items, 1};
  output.checksum.assign(32, 0);
  for (size_t n = 0; n < slots.size(); ++n) output.checksum[n % 32] += slots[n];
  return output;
}

TEST(Issue, WhatTheLastItemsLeftInTheSlotsIsVerified) {
  const LaunchShape shape = issue_of_four_slots(64);
  const std::uint32_t seed = 11;
  ExpectedChecksums checksums(shape, seed);
  for (const std::uint32_t items : {1U, 3U, 4U, 41U}) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t item = items > 4 ? items - 4 : 0; item < items; ++item)
      for (std::uint32_t word = 0; word < 64; ++word)
        words.push_back(seed + item % 37 * launch::payload_item_step + word);
    EXPECT_TRUE(verify_launch(shape, 0, left_by(shape, items, words), checksums)) << items;
    std::vector<std::uint32_t> same = words;  // the last item copied the image of the one before
    std::copy_n(same.begin(), 64, same.end() - 64);
    EXPECT_EQ(verify_launch(shape, 0, left_by(shape, items, same), checksums).has_value(),
              items == 1);
    std::fill(words.begin() + 4, words.begin() + 64, 0U);  // 16 bytes of the first
    const auto wrong = verify_launch(shape, 0, left_by(shape, items, words), checksums);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().step, Step::verify);
  }
}

TEST(Issue, TheTilesOfDataAreThoseOfTheLaunch) {
  LaunchShape shape = issue_of_four_slots(0);
  shape.buffers = {{"data", 4096, {launch::BufferFill::Kind::blocks, 3}}};
  shape.data = {4096, 512, 0};
  ExpectedChecksums checksums(shape, 0);
  const std::vector<std::uint32_t> data = launch::content_of(shape.buffers[0]);
  for (const std::uint32_t first : {0U, 6U}) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t item = 3; item < 7; ++item)
      for (std::uint32_t word = 0; word < 128; ++word)
        words.push_back(data[(first + item) % 8 * 128 + word]);
    LaunchOutput output = left_by(shape, 7, words);
    output.first_tile = first;
    EXPECT_TRUE(verify_launch(shape, 0, output, checksums)) << first;
    output.first_tile = first + 1;
    EXPECT_FALSE(verify_launch(shape, 0, output, checksums)) << first;
  }
}

TEST(Grid, BeginsAtAnyTile) {
  const LaunchShape shape = grid_of_two();
  ExpectedChecksums checksums(shape, 0);
  for (const std::uint32_t first : {0U, 1U, 5U, 7U})
    for (const std::uint32_t items : {1U, 3U, 40U})
      EXPECT_TRUE(verify_launch(shape, 0, output_of(shape, items, first), checksums))
          << first << " " << items;
  LaunchOutput elsewhere = output_of(shape, 3, 5);
  elsewhere.first_tile = 4;
  EXPECT_FALSE(verify_launch(shape, 0, elsewhere, checksums));
}

// The words as the buffer has them, tile by tile, more than once round.
TEST(Grid, SumAgreesWithReadingTheData) {
  LaunchShape shape;
  shape.sms = 3;
  shape.ctas_per_sm = 2;
  shape.buffers = {{"data", 4 * 3 * launch::block_words, {launch::BufferFill::Kind::blocks, 9}}};
  shape.data = {static_cast<std::int64_t>(4 * 3 * launch::block_words), 1 << 19, 1};
  ExpectedChecksums checksums(shape, 0);
  const std::vector<std::uint32_t> words = launch::content_of(shape.buffers[0]);
  EXPECT_EQ(words[launch::block_words], words[0] + launch::payload_item_step);
  for (const std::uint32_t items : {0U, 1U, 3U, 4U, 5U, 9U}) {
    std::uint32_t sum = 0;
    for (std::size_t tile = 0; tile < items * 6; ++tile)
      for (std::size_t word = 0; word < (1 << 17); ++word)
        sum += words[tile % 24 * (1 << 17) + word];
    EXPECT_EQ(checksums.sum_after(items, 0), sum) << items << " items";
  }
}

// Against the words themselves, over the ends of blocks and of the data.
TEST(Grid, SumsOfBlocksAreThoseOfTheirWords) {
  LaunchShape shape = grid_of_two();
  const auto block_bytes = static_cast<std::int64_t>(4 * launch::block_words);
  shape.data = {2 * block_bytes, static_cast<int>(block_bytes / 4), 1};
  shape.buffers[0].bytes = static_cast<std::uint64_t>(shape.data.bytes);
  const std::vector<std::uint32_t> words = launch::content_of(shape.buffers[0]);
  const launch::DataSums sums(3, shape.data.bytes, shape.data.tile_bytes);
  for (const auto& [first, items] : {std::pair{0U, 1U}, {3U, 1U}, {6U, 2U}, {7U, 5U}}) {
    std::uint32_t sum = 0;
    for (std::uint32_t tile = first; tile < first + 2 * items; ++tile)
      for (std::size_t word = 0; word < launch::block_words / 4; ++word)
        sum += words[tile % 8 * (launch::block_words / 4) + word];
    EXPECT_EQ(sums.of_tiles(first, 2 * items), sum) << first << " " << items;
  }
}

TEST(Grid, EachCtaRanOnItsSm) {
  const LaunchShape shape = grid_of_two();
  ExpectedChecksums checksums(shape, 0);
  LaunchOutput output = output_of(shape, 7);
  output.records[2].sm = 0;
  const auto wrong = verify_launch(shape, 0, output, checksums);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text(), "verify: warp 0 of cta 1 (consumer) ran on SM 0, expected 1");
}

LaunchShape two_warps() {
  LaunchShape shape;
  shape.threads = 64;
  shape.slices = {{0, 0, 1, Role::producer, 0, 0}, {1, 0, 1, Role::consumer, 0, 0}};
  return shape;
}

TEST(Records, ARecordWhereNoRoleRunsIsAnError) {
  const LaunchShape shape = two_warps();
  LaunchOutput output;
  output.items = 3;
  output.records.resize(static_cast<std::size_t>(shape.records()));
  for (const launch::RoleSlice& slice : shape.slices) {
    launch::SampleRecord& record = output.records[static_cast<std::size_t>(slice.record_index())];
    record.role = static_cast<std::uint32_t>(slice.role);
    record.items = 3;
  }
  ExpectedChecksums checksums(shape, 0);
  EXPECT_TRUE(verify_launch(shape, 0, output, checksums));
  output.records[1].role = 2;
  EXPECT_EQ(verify_launch(shape, 0, output, checksums).error().text(),
            "verify: record 1 has role 2, but no role runs there");
}

// A warp in rank 0 of a cluster of two.
LaunchShape one_role_of_cluster() {
  LaunchShape shape;
  shape.threads = 32;
  shape.cluster_size = 2;
  shape.timed_role = Role::producer;
  shape.slices = {{0, 0, 1, Role::producer, 0, 0, 0}};
  return shape;
}

TEST(Records, ARecordInARankWithoutARoleIsAnError) {
  const LaunchShape shape = one_role_of_cluster();
  LaunchOutput output;
  output.items = 3;
  output.records.resize(static_cast<std::size_t>(shape.records()));
  output.records[0].role = 1;
  output.records[0].items = 3;
  ExpectedChecksums checksums(shape, 0);
  EXPECT_TRUE(verify_launch(shape, 0, output, checksums));
  output.records[2].role = 1;
  EXPECT_EQ(verify_launch(shape, 0, output, checksums).error().text(),
            "verify: record 2 has role 1, but no role runs there");
}

struct ShapeRow {
  std::function<void(LaunchShape&)> spoil;
  const char* error;
};

TEST(Shapes, WhatNoLaunchCanFollowIsNamed) {
  const ShapeRow rows[] = {
      {[](LaunchShape& s) { s.max_items = 15, s.item_granule = 4; },
       "bundle: at most 15 items a launch, at least 4: no room for four chain lengths"},
      {[](LaunchShape& s) { s.readings = {{"polls", "", Role::consumer, 2}}; },
       "bundle: reading 'polls' has index 2, a record has 2"},
      {[](LaunchShape& s) { s.readings = {{"polls", "", Role::victim, 0}}; },
       "bundle: no slice has the role of reading 'polls'"},
      {[](LaunchShape& s) { s.second_rank = 1; }, "bundle: rank 1 in a cluster of 1"},
      {[](LaunchShape& s) { s.slices[0].rank_in_cluster = 4, s.cluster_size = 4; },
       "bundle: rank 4 in a cluster of 4"},
      {[](LaunchShape& s) { s.cluster_size = 2, s.ctas_per_sm = 2; },
       "bundle: a cluster of 2 with 2 CTAs per SM"},
      {[](LaunchShape& s) { s.timed_role = Role::victim; },
       "bundle: no slice in CTA 0 has the timed role"},
      {[](LaunchShape& s) { s.slices[1].warp = 2; }, "bundle: a role in warp 2 of 2"},
  };
  EXPECT_TRUE(launch::check_shape(two_warps()));
  for (const ShapeRow& row : rows) {
    LaunchShape shape = two_warps();
    row.spoil(shape);
    const Status status = launch::check_shape(shape);
    EXPECT_EQ(status ? "" : status.error().text(), row.error);
  }
}

}  // namespace
}  // namespace phasebit::test
