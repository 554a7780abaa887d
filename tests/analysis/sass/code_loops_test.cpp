#include "analysis/reading/loops.h"
#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using reading::CodeLoops;
using reading::find_code_loops;

namespace {

using test::handmade;

std::string loops_of(const CodeLoops& loops) {
  std::string text;
  for (const reading::CodeLoop& loop : loops.loops)
    text += fmt::format("{}{:#x}-{:#x} depth {} own {}/{} inner {} [{}]", text.empty() ? "" : "; ",
                        loop.begin, loop.end, loop.depth, loop.own.instructions,
                        loop.own.issue_cycles, loop.inner.instructions, loop.lines);
  return loops.problem.empty() ? text : text + "; " + loops.problem;
}

// Two loops, one in the other: 0x10 to 0x50, and 0x20 to 0x30 inside. Stalls by hand.
TEST(CodeLoops, Nested) {
  const auto code = handmade({"| MOV R0,R1 # 1", "| IADD3 R0,R0,1 # 4", "| FFMA R2,R2,R2 # 5",
                              "| @P0 BRA 0x20 # 6", "| ISETP P1,R0,R3 # 7", "| @P1 BRA 0x10 # 8",
                              "| EXIT # 9", "| BRA 0x70"});
  const CodeLoops loops = find_code_loops(code.kernel, {});
  ASSERT_EQ(loops.loops.size(), 2U);
  EXPECT_EQ(loops.loops[0].begin, 0x10U);
  EXPECT_EQ(loops.loops[0].end, 0x60U);
  EXPECT_EQ(loops.loops[0].own.instructions, 3);  // IADD3, ISETP, BRA
  EXPECT_EQ(loops.loops[0].own.issue_cycles, 4 + 7 + 8);
  EXPECT_EQ(loops.loops[0].inner.instructions, 2);
  EXPECT_EQ(loops.loops[1].begin, 0x20U);
  EXPECT_EQ(loops.loops[1].end, 0x40U);
  EXPECT_EQ(loops.loops[1].depth, 2);
  EXPECT_EQ(loops.loops[1].own.issue_cycles, 5 + 6);
}

// After EXIT nothing is reached but by the call.
TEST(CodeLoops, InsideACalledFunction) {
  auto code = handmade({"| CALL.REL.NOINC f", "| EXIT", "| IADD3 R0,R0,1 # 3", "| @P0 BRA 0x20 # 5",
                        "| RET.REL.NODEC R4"});
  EXPECT_EQ(loops_of(find_code_loops(code.kernel, {})), "");
  code.kernel.functions = {{"f", 2, 5}};
  EXPECT_EQ(loops_of(find_code_loops(code.kernel, {})), "0x20-0x40 depth 1 own 2/8 inner 0 []");
}

TEST(CodeLoops, SaysWhereTheyCannotBeFound) {
  const auto code = handmade({"| BRX R2,-0x10", "| EXIT"});
  const CodeLoops loops = find_code_loops(code.kernel, {});
  EXPECT_TRUE(loops.loops.empty());
  EXPECT_NE(loops.problem, "");
}

}  // namespace
}  // namespace phasebit::test
