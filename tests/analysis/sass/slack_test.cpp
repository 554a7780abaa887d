#include "analysis/reading/waits.h"
#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// Two loads by scoreboard 0: the first is waited for by the sum after it (2 + 3 cycles of issue),
// the second by the sum of the next turn (4 + 5, then 2 + 2 + 3 of what comes before it).
TEST(Slack, CountsToTheFirstThatWaitsRoundTheTurn) {
  Handmade made = handmade({
      "consumer.clock_start| CS2R R2,SR_CLOCKLO # 2",
      "consumer.wait| SYNCS.PHASECHK.TRANS64 P0,[R2],R3 # 2",
      "consumer.drain| LDS R6,[R2] # 2",
      "consumer.advance| IADD3 R4,R4,R5,RZ # 3",
      "consumer.checksum| IADD3 R8,R8,R6,RZ # 1 1",
      "consumer.drain| LDS R7,[R2] # 4",
      "consumer| @P1 BRA 0x10 # 5",
      "consumer.clock_end| CS2R R4,SR_CLOCKLO # 2",
      "| EXIT # 5",
  });
  made.kernel.instructions[2].control.write_scoreboard = 0;
  made.kernel.instructions[5].control.write_scoreboard = 0;
  // No instruction waits for scoreboard 3.
  made.kernel.instructions[1].control.write_scoreboard = 3;
  const auto slack =
      reading::slack_of(made.kernel, made.source, flow::find_windows(made.kernel, made.source));
  ASSERT_EQ(slack.size(), 1U);
  EXPECT_EQ(slack[0].verb, "consumer.drain");
  EXPECT_EQ(slack[0].opcode, "LDS");
  EXPECT_EQ(slack[0].count, 2);
  EXPECT_EQ(slack[0].issue_cycles, (2 + 3) + (4 + 5 + 2 + 2 + 3));
}

}  // namespace
}  // namespace phasebit::test
