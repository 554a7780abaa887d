#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/census.h"
#include "tests/analysis/sass/handmade.h"
#include "tests/analysis/sass/rings.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::SassKernel;
using flow::take_opcode_census;

namespace {

TEST(OpcodeCensus, CountsLoopsApart) {
  // 0x10..0x30 is a loop; the BAR before and the one after are in no loop.
  const SassKernel kernel =
      handmade({"| BAR.SYNC 0x0", "| BAR.ARV 0x1,0x40", "| YIELD", "| @P0 BRA 0x10",
                "| BAR.SYNC 0x0", "| EXIT", "| BRA 0x60", "| NOP"})
          .kernel;
  const auto census = take_opcode_census(kernel);
  ASSERT_TRUE(census) << census.error().text();
  const struct {
    const char* pattern;
    int loops, kernel;
  } rows[] = {{"BAR.SYNC", 0, 2}, {"BAR*", 1, 3}, {"YIELD", 1, 1},
              {"BRA", 1, 2},      {"NOP", 0, 0},  {"BAR", 0, 0}};
  for (const auto& row : rows) {
    EXPECT_EQ(census->count(row.pattern).loops, row.loops) << row.pattern;
    EXPECT_EQ(census->count(row.pattern).kernel, row.kernel) << row.pattern;
  }
  EXPECT_FALSE(census->has_endless_loop);
}

TEST(OpcodeCensus, SeesLoopsThatNothingLeaves) {
  const auto endless = [](const std::vector<std::string>& lines) {
    return take_opcode_census(handmade(lines).kernel)->has_endless_loop;
  };
  EXPECT_TRUE(endless({"| YIELD", "| BRA 0x0", "| EXIT"}));
  EXPECT_TRUE(endless({"| @P0 EXIT", "| YIELD", "| BRA 0x10"}));
  EXPECT_FALSE(endless({"| @P0 EXIT", "| BRA 0x0"}));
  EXPECT_FALSE(endless({"| YIELD", "| @P0 BRA 0x0", "| EXIT", "| BRA 0x30"}));
}

const RingVerbs test_wait_ring = {test_wait_empty, arrive_full, test_wait_full, arrive_empty};

// nvdisasm and the flow graph say what the words have to be read as.
void expect_same_counts(const std::string& target, const std::vector<std::string>& patterns) {
  const bool tries_too = target >= "sm_90" || target.starts_with("sm_1");
  const std::vector<Script> scripts = {ring(barrier_ring, "barriers"),
                                       ring(tries_too ? try_wait_ring : test_wait_ring, "tries")};
  const auto code = assemble(scripts, target, true, version_for(target));
  ASSERT_TRUE(code) << code.error().text();
  const auto cubin = cubin::read_cubin(*code);
  const auto disassembler = disassembly::Disassembler::open(find_tools()->nvdisasm);
  ASSERT_TRUE(cubin && disassembler);
  const auto kernels = kernels_of(*disassembler, *cubin);
  ASSERT_TRUE(kernels) << kernels.error().text();
  const std::vector<const SassKernel*> both = {&kernels->at("barriers"), &kernels->at("tries")};
  for (const std::string& pattern : patterns) {
    const flow::OpcodeWords words = flow::OpcodeWords::learn(both, both, pattern);
    EXPECT_TRUE(words.knows_branches()) << target;
    for (const SassKernel* kernel : both) {
      const flow::OpcodeTally expected = take_opcode_census(*kernel)->count(pattern);
      const flow::WordCount found = words.count(*cubin->find(kernel->entry));
      EXPECT_EQ(found.kernel, expected.kernel) << target << " " << kernel->entry << " " << pattern;
      EXPECT_EQ(found.loops, expected.loops) << target << " " << kernel->entry << " " << pattern;
      EXPECT_FALSE(found.has_endless_loop);
    }
  }
}

TEST(OpcodeWords, CountAsNvdisasmDoes) {
  PHASEBIT_NEEDS_TOOLS();
  for (const char* target : {"sm_80", "sm_86", "sm_90a", "sm_100a", "sm_107a", "sm_120"})
    expect_same_counts(target, {"BAR.SYNC*", "BAR.ARV", "*PHASECHK*", "*SYNCS.ARRIVE*", "LDS*"});
}

}  // namespace
}  // namespace phasebit::test
