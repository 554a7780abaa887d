#include "analysis/reading/loops.h"
#include "tests/analysis/sass/handmade.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct HotLoopRow {
  const char* what;
  std::vector<std::string> code;
  const char* hottest;  // where it begins; "" when there is none
};

std::string hottest(const std::vector<std::string>& code) {
  const cubin::SassKernel kernel = test::handmade(code).kernel;
  const reading::CodeLoops loops = reading::find_code_loops(kernel, {});
  EXPECT_EQ(loops.problem, "");
  const auto found = reading::hottest_loop(kernel, loops);
  return found ? fmt::format("{:#x}", loops.loops[*found].begin) : "";
}

TEST(HotLoop, TheDeepestThatDoesNotOnlyWait) {
  const std::vector<HotLoopRow> rows = {
      {"no loop", {"| MOV R0,R1 # 1", "| EXIT # 5"}, ""},
      {"a wait inside a loop over tiles inside a loop",
       {"| IADD3 R0,R0,1,RZ # 4", "| HGMMA.64x64x16.F32 R24,gdesc[UR4],R24 # 20",
        "| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[UR4],R2 # 2", "| @!P0 BRA 0x20 # 5",
        "| @P1 BRA 0x10 # 5", "| @P2 BRA 0x0 # 8", "| EXIT"},
       "0x10"},
      {"of one depth: most issue cycles, not most instructions",
       {"| IADD3 R0,R0,1,RZ # 1", "| MOV R3,R4 # 1", "| @P1 BRA 0x0 # 1", "| IADD3 R0,R0,1,RZ # 9",
        "| @P1 BRA 0x30 # 5", "| EXIT"},
       "0x30"},
      {"of the same cycles: the first",
       {"| IADD3 R0,R0,1,RZ # 4", "| @P1 BRA 0x0 # 5", "| IADD3 R1,R1,1,RZ # 4",
        "| @P1 BRA 0x20 # 5", "| EXIT"},
       "0x0"},
      {"a wait alone",
       {"| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[UR4],R2 # 2", "| @!P0 BRA 0x0 # 5", "| EXIT"},
       ""},
      {"a load that decides whether the loop is left",
       {"| LDG.E.STRONG.GPU R2,[R4] # 2", "| ISETP.NE.AND P0,PT,R2,RZ,PT # 13", "| @P0 BRA 0x0 # 5",
        "| EXIT"},
       ""},
      {"a count over loads",
       {"| LDG.E R2,[R4] # 2", "| IADD3 R0,R0,1,RZ # 4", "| ISETP.NE.AND P0,PT,R0,R7,PT # 13",
        "| @P0 BRA 0x0 # 5", "| EXIT"},
       "0x0"},
      {"a loop that waits and copies",
       {"| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[UR4],R2 # 2", "| UTMALDG.2D [UR8],[UR4] # 2",
        "| @!P1 BRA 0x0 # 5", "| EXIT"},
       "0x0"}};
  for (const HotLoopRow& row : rows) EXPECT_EQ(hottest(row.code), row.hottest) << row.what;
}

}  // namespace
}  // namespace phasebit::test
