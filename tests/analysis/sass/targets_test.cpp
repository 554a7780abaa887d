#include "analysis/compare/registers.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct JumpRow {
  const char* what;
  cubin::SassWord word;
  std::int64_t bytes;  // from the end of the instruction
  std::optional<cubin::SassWord> rest;
};

// Words that ptxas 13 made, with the distance that nvdisasm's target says, taken apart by hand.
TEST(Targets, AJumpWithoutItsDistance) {
  const JumpRow rows[] = {
      {"sm_80: BRA to itself",
       {0xfffffff000007947, 0x000fc0000383ffff},
       -16,
       cubin::SassWord{0x0000000000007947, 0x000fc00003800000}},
      {"sm_90: BRA to itself, the lowest 8 bits apart",
       {0xfffffffc00fc7947, 0x000fc0000383ffff},
       -16,
       cubin::SassWord{0x0000000000007947, 0x000fc00003800000}},
      {"sm_90: BSSY B0",
       {0x0000031000007945, 0x000fe20003800000},
       0x310,
       cubin::SassWord{0x0000000000007945, 0x000fe20003800000}},
      {"a bit below the distance stays",
       {0x0000031200007945, 0x000fe20003800000},
       0x310,
       cubin::SassWord{0x0000000200007945, 0x000fe20003800000}},
      {"another distance than the word's", {0x0000031000007945, 0x000fe20003800000}, 0x320, {}},
  };
  for (const JumpRow& row : rows) {
    SCOPED_TRACE(row.what);
    const auto rest = compare::without_distance(row.word, row.bytes);
    ASSERT_EQ(rest.has_value(), row.rest.has_value());
    if (!rest) continue;
    EXPECT_EQ(rest->low, row.rest->low);
    EXPECT_EQ(rest->high, row.rest->high);
  }
}

}  // namespace
}  // namespace phasebit::test
