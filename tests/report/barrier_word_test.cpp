#include "analysis/report/data/barrier_word.h"

#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::state_after;
using results::PointRow;

namespace {

// The PTX ISA's description of mbarrier, worked by hand.
TEST(BarrierWord, TheModelFollowsTheManual) {
  struct Row {
    const char* operation;
    std::int64_t expected;
    std::uint32_t times;
    report::data::BarrierState after;
  };
  const Row rows[] = {
      {"none", 3, 4, {0, 3, 3, 0}},          {"arrive", 4, 3, {0, 1, 4, 0}},
      {"arrive", 4, 4, {1, 4, 4, 0}},        {"arrive", 1, 3, {3, 1, 1, 0}},
      {"arrive_count", 6, 4, {1, 4, 6, 0}},  {"expect_tx", 2, 3, {0, 2, 2, 63}},
      {"complete_tx", 2, 1, {0, 2, 2, -21}}, {"arrive_expect_tx", 8, 2, {0, 6, 8, 42}},
      {"arrive_drop", 8, 3, {0, 5, 5, 0}},
  };
  for (const Row& row : rows) {
    const auto state = state_after(row.operation, row.expected, row.times);
    ASSERT_TRUE(state) << row.operation;
    EXPECT_EQ(state->phase, row.after.phase) << row.operation;
    EXPECT_EQ(state->pending, row.after.pending) << row.operation;
    EXPECT_EQ(state->expected, row.after.expected) << row.operation;
    EXPECT_EQ(state->tx_count, row.after.tx_count) << row.operation;
  }
  EXPECT_FALSE(state_after("arive", 1, 1));
}

// A made-up layout: bit 0 is 1, 20 bits of tx_count from 1, the parity at 21, pending counted up to
// zero in 22..41, expected likewise in 42..61.
std::uint64_t made_up_word(const report::data::BarrierState& state) {
  const auto field = [](std::int64_t value, int low, int width) {
    return (static_cast<std::uint64_t>(value) & ((1ULL << width) - 1)) << low;
  };
  return 1 | field(state.tx_count, 1, 20) | field(state.phase, 21, 1) |
         field(-state.pending, 22, 20) | field(-state.expected, 42, 20);
}

PointRow word_point(const std::string& operation, std::int64_t expected) {
  PointRow point =
      test::steady(fmt::format("barrier_word/mbarrier/none/none/num_stages=1/operation={}/"
                               "expected_arrivals={}",
                               operation, expected),
                   10);
  point.samples.clear();
  for (std::uint32_t items = 1; items <= 4; ++items) {
    const std::uint64_t word = made_up_word(*state_after(operation, expected, items));
    results::Sample sample{items, 100, {}};
    sample.readings = {word & 0xffffffffU, word >> 32};
    point.samples.push_back(sample);
  }
  return point;
}

std::vector<report::data::WordReading> readings_of(const std::vector<PointRow>& points) {
  return report::data::word_readings(results::rows_of(points), test::keys_of(points));
}

std::vector<PointRow> all_points() {
  std::vector<PointRow> points;
  for (const std::int64_t expected : {1, 2, 8, 100, 1048574})
    for (const char* operation : {"none", "arrive", "expect_tx", "complete_tx"})
      points.push_back(word_point(operation, expected));
  points.push_back(word_point("arrive_drop", 8));
  return points;
}

TEST(BarrierWord, FindsTheFieldsOfALayoutItDoesNotKnow) {
  const auto fields = report::data::derive_fields(readings_of(all_points()));
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_EQ(fields[0].quantity, "phase");
  EXPECT_EQ(fields[0].low, 21);
  EXPECT_EQ(fields[0].width, 1);
  EXPECT_EQ(fields[1].quantity, "pending");
  EXPECT_EQ(fields[1].low, 22);
  EXPECT_EQ(fields[1].width, 20);
  EXPECT_EQ(fields[1].sign, -1);
  EXPECT_EQ(fields[1].offset, 0U);
  EXPECT_EQ(fields[2].quantity, "expected");
  EXPECT_EQ(fields[2].low, 42);
  EXPECT_EQ(fields[3].quantity, "tx_count");
  EXPECT_EQ(fields[3].low, 1);
  EXPECT_EQ(fields[3].width, 20);
  EXPECT_EQ(fields[3].sign, 1);
}

// One reading that does not fit takes its field away instead of being outvoted.
TEST(BarrierWord, AContradictionLeavesNoField) {
  auto readings = readings_of(all_points());
  readings.front().word ^= 0x3ffffeULL;
  for (const report::data::WordField& field : report::data::derive_fields(readings))
    EXPECT_NE(field.quantity, "tx_count");
}

TEST(BarrierWord, OtherProbesAndFailedPointsAreNoReadings) {
  EXPECT_TRUE(readings_of({test::steady("ring/mbarrier/none/none", 10)}).empty());
  auto failed = word_point("arrive", 8);
  failed.error = results::PointError{Step::launch, "lost"};
  EXPECT_TRUE(readings_of({failed}).empty());
}

}  // namespace
}  // namespace phasebit::test
