#include "analysis/cubin/sass_word.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct ControlRow {
  const char* what;
  std::uint64_t high;  // bits 64..127
  cubin::Control expected;
  const char* text;
};

// Decoded by hand: bits 105..109 are bits 41..45 of the upper half, and so on.
const ControlRow control_rows[] = {
    // Bits: 0x000fca0000000000 >> 41 = 0x7e5 = 00 0000 | 111 | 111 | 0 | 0101.
    {"stall 5, nothing else",
     0x000fca0000000000,
     {.stall_cycles = 5, .yield = true, .wait_mask = 0, .reuse = 0},
     "05 Y W- R- B------ ---"},
    // 0x000fe20000000000 >> 41 = 0x7f1: the yield bit is 1.
    {"no yield", 0x000fe20000000000, {.stall_cycles = 1, .yield = false}, "01 - W- R- B------ ---"},
    // 0x000e220000000000 >> 41 = 0x711: write scoreboard 0.
    {"a load",
     0x000e220000000000,
     {.stall_cycles = 1, .yield = false, .write_scoreboard = 0},
     "01 - W0 R- B------ ---"},
    // 0x001fe20000000000 >> 41 = 0xff1: wait for scoreboard 0.
    {"the load's user",
     0x001fe20000000000,
     {.stall_cycles = 1, .yield = false, .wait_mask = 1},
     "01 - W- R- B0----- ---"},
    // 0x0001e20000000000 >> 41 = 0x0f1: write 7 would be 0xe0 + read 0 in bits 113..115.
    {"a store",
     0x0001e20000000000,
     {.stall_cycles = 1, .yield = false, .read_scoreboard = 0},
     "01 - W- R0 B------ ---"},
    // 0x040fe400078e00ff: bit 122 = reuse a; >> 41 & 0x1ffff = 0x7f2.
    {"reuse of a",
     0x040fe400078e00ff,
     {.stall_cycles = 2, .yield = false, .reuse = 1},
     "02 - W- R- B------ a--"},
    {"everything",
     0x1fffffffffffffff,
     {.stall_cycles = 15, .yield = false, .wait_mask = 63, .reuse = 7},
     "15 - W- R- B012345 abc"},
};

TEST(Control, DecodesFields) {
  for (const ControlRow& row : control_rows) {
    SCOPED_TRACE(row.what);
    const cubin::Control control = cubin::decode_control({0, row.high});
    EXPECT_EQ(control.stall_cycles, row.expected.stall_cycles);
    EXPECT_EQ(control.yield, row.expected.yield);
    EXPECT_EQ(control.write_scoreboard, row.expected.write_scoreboard);
    EXPECT_EQ(control.read_scoreboard, row.expected.read_scoreboard);
    EXPECT_EQ(control.wait_mask, row.expected.wait_mask);
    EXPECT_EQ(control.reuse, row.expected.reuse);
    EXPECT_EQ(cubin::to_string(control), row.text);
  }
}

}  // namespace
}  // namespace phasebit::test
