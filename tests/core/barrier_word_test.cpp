#include "core/isa/barrier_word.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct BarrierWordRow {
  std::uint64_t word;
  int layout, parity;
  std::uint32_t pending, expected;
  std::int32_t bytes;
};

// Words read on an H200 (results/nvidia-h200/barrier_word.csv.zst) after the operations named; what
// they must decode to follows from the operations.
const BarrierWordRow barrier_word_rows[] = {
    {0x7fffc000001ffff0, 0, 0, 8, 8, 0},        // init 8
    {0x7fffc000001ffff1, 1, 0, 8, 8, 0},        // init 8, layout v1
    {0x7ffce000001fff38, 0, 0, 100, 100, 0},    // init 100
    {0x7fffd800001ffff0, 0, 0, 5, 8, 0},        // init 8, 3 arrivals
    {0xffffc000001ffff0, 0, 1, 8, 8, 0},        // init 8, 4 arrivals of 2: the next phase
    {0x7fffe000001ffff8, 0, 0, 4, 4, 0},        // init 8, 4 arrive_drop
    {0x7fffc3fffe1ffff0, 0, 0, 8, 8, 16},       // init 8, expect_tx 16
    {0x7ffce000081fff38, 0, 0, 100, 100, -64},  // init 100, 4 complete_tx of 16
    {0x7ffd03fff81fff39, 1, 0, 96, 100, 64},    // init 100, v1, 4 arrive.expect_tx of 16
};

TEST(BarrierWordOfHopper, SaysWhatTheOperationsMadeOfIt) {
  for (const BarrierWordRow& row : barrier_word_rows) {
    const auto word = isa::decode_barrier_word(row.word, 90);
    ASSERT_TRUE(word);
    EXPECT_EQ(word->layout, row.layout) << std::hex << row.word;
    EXPECT_EQ(word->parity, row.parity) << std::hex << row.word;
    EXPECT_EQ(word->pending_arrivals, row.pending) << std::hex << row.word;
    EXPECT_EQ(word->expected_arrivals, row.expected) << std::hex << row.word;
    EXPECT_EQ(word->pending_bytes, row.bytes) << std::hex << row.word;
  }
}

TEST(BarrierWordOfHopper, IsSaidInWords) {
  EXPECT_EQ(isa::describe_barrier_word(0x7fffd800001ffff0, 90),
            "word 0x7fffd800001ffff0: parity 0, 5 of 8 arrivals and 0 bytes pending");
}

TEST(BarrierWord, OfAnotherArchitectureIsNotGuessed) {
  EXPECT_FALSE(isa::decode_barrier_word(0x7fffd800001ffff0, 80));
  EXPECT_EQ(isa::describe_barrier_word(0x1, 100), "word 0x0000000000000001");
}

}  // namespace
}  // namespace phasebit::test
