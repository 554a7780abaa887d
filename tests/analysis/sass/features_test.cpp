#include "analysis/flow/features.h"

#include "analysis/cubin/kernel_info.h"
#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/census.h"
#include "core/base/process.h"
#include "tests/analysis/sass/handmade.h"
#include "tests/analysis/sass/support.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::register_counts;
using flow::Features;
using flow::take_features;
using flow::VerbFeatures;

namespace {

using test::Handmade;
using test::handmade;

const VerbFeatures* find(const Features& features, const std::string& role,
                         const std::string& verb) {
  for (const VerbFeatures& one : features.verbs)
    if (one.role == role && one.verb == verb) return &one;
  return nullptr;
}

// Counted by hand: the retry of the wait (0x60..0x80) lies after EXIT, so it is cold.
TEST(Features, OfALoopByHand) {
  const Handmade one = handmade({
      "consumer.clock_start| CS2R R0,SR_CLOCKLO # 1",
      "consumer.wait| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[R2],R3 # 2",
      "consumer.wait| @!P0 BRA 0x90 # 6 1",
      "consumer.release| MEMBAR.ALL.CTA # 4 6",
      "consumer.release| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2],RZ # 3",
      "consumer| @P1 BRA 0x10 # 5",
      "consumer.clock_end| CS2R R4,SR_CLOCKLO # 2",
      "| CALL.REL.NOINC some_function # 9",
      "| EXIT # 5",
      "consumer.wait| YIELD # 5",
      "consumer.wait| NANOSLEEP 0x14 # 7",
      "consumer.wait| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[R2],R3 # 2",
      "consumer.wait| @!P0 BRA 0x90 # 5 1",
      "consumer.wait| BRA 0x30 # 5",
      "| NOP",
      "| NOP",
  });
  const auto windows = flow::find_windows(one.kernel, one.source);
  const Features features = take_features(one.kernel, one.source, windows);
  EXPECT_EQ(features.kernel.instructions, 14);
  EXPECT_EQ(features.kernel.issue_cycles, 1 + 2 + 6 + 4 + 3 + 5 + 2 + 9 + 5 + 5 + 7 + 2 + 5 + 5);
  EXPECT_EQ(features.kernel.calls, 1);
  EXPECT_EQ(features.kernel.yields, 1);
  EXPECT_EQ(features.kernel.yield_flags, 0);  // the control fields written here have no yield
  EXPECT_EQ(features.kernel.scoreboard_waits, 3);
  EXPECT_EQ(features.kernel.opcodes.at("SYNCS.PHASECHK.TRANS64.TRYWAIT"), 2);
  EXPECT_EQ(features.code_bytes, 256U);
  ASSERT_EQ(features.loops.size(), 1U);
  const flow::LoopFeatures& loop = features.loops.front();
  EXPECT_EQ(loop.problem, "");
  EXPECT_EQ(loop.address, 0x10U);
  EXPECT_EQ(loop.hot.instructions, 5);
  EXPECT_EQ(loop.hot.issue_cycles, 2 + 6 + 4 + 3 + 5);
  EXPECT_EQ(loop.hot.fences, 1);
  EXPECT_EQ(loop.hot.yields, 0);
  EXPECT_EQ(loop.hot.scoreboard_waits, 2);
  EXPECT_EQ(loop.hot.calls, 0);
  EXPECT_EQ(loop.cold.instructions, 5);
  EXPECT_EQ(loop.cold.issue_cycles, 5 + 7 + 2 + 5 + 5);
  EXPECT_EQ(loop.cold.yields, 1);
  EXPECT_EQ(loop.cold.sleeps, 1);
  const VerbFeatures* wait = find(features, "consumer", "wait");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->hot.instructions, 2);
  EXPECT_EQ(wait->hot.issue_cycles, 8);
  EXPECT_EQ(wait->cold.instructions, 5);
  const VerbFeatures* release = find(features, "consumer", "release");
  ASSERT_NE(release, nullptr);
  EXPECT_EQ(release->hot.fences, 1);
  EXPECT_EQ(release->hot.issue_cycles, 7);
}

TEST(Features, CountsYieldFlagsAndLocalMemory) {
  Handmade one = handmade({"| STL [R1],R2 # 1", "| LDL.64 R2,[R1] # 2", "| LDL R4,[R1+0x8] # 2",
                           "| YIELD # 1", "| EXIT # 5"});
  one.kernel.instructions[0].control.yield = true;
  one.kernel.instructions[4].control.yield = true;
  one.kernel.live = {{3, 1, 0, 0}, {4, 0, 2, 0}, {1, 0, 0, 0}, {}, {}};
  const Features features = take_features(one.kernel, {}, {});
  EXPECT_EQ(features.kernel.yields, 1);
  EXPECT_EQ(features.kernel.yield_flags, 2);
  EXPECT_EQ(features.kernel.local_stores, 1);
  EXPECT_EQ(features.kernel.local_loads, 2);
  ASSERT_TRUE(features.live);
  EXPECT_EQ(*features.live, (cubin::LiveCounts{4, 1, 2, 0}));
  EXPECT_FALSE(take_features(handmade({"| EXIT # 5"}).kernel, {}, {}).live);
}

// The sums of the verbs are those of the loops, and a jump written as CALL is not a call.
TEST(Features, VerbsSumToTheirLoop) {
  PHASEBIT_NEEDS_TOOLS();
  const auto kernel = test::ring({"bar.sync 1, 64;", "bar.arrive 2, 64;", "bar.sync 2, 64;",
                                  "membar.cta;\nbar.arrive 1, 64;\nnanosleep.u32 20;"});
  const auto disassembler = disassembly::Disassembler::open(test::find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  for (const char* target : {"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_107a", "sm_120a"}) {
    SCOPED_TRACE(target);
    const auto bytes =
        test::assemble({kernel}, target, true, std::string(target) == "sm_107a" ? "9.5" : "8.7");
    ASSERT_TRUE(bytes) << bytes.error().text();
    const auto cubin = cubin::read_cubin(*bytes);
    const auto kernels = kernels_of(*disassembler, *cubin);
    ASSERT_TRUE(kernels) << kernels.error().text();
    const cubin::SassKernel& code = kernels->at("k");
    const Features features =
        take_features(code, kernel.source, flow::find_windows(code, kernel.source));
    ASSERT_EQ(features.loops.size(), 2U);
    for (const flow::LoopFeatures& loop : features.loops) {
      flow::CodeCounts hot;
      for (const VerbFeatures& verb : features.verbs)
        if (verb.role == loop.role) {
          hot.instructions += verb.hot.instructions;
          hot.issue_cycles += verb.hot.issue_cycles;
        }
      EXPECT_GT(loop.hot.instructions, 0) << loop.problem;
      EXPECT_EQ(hot.instructions, loop.hot.instructions);
      EXPECT_EQ(hot.issue_cycles, loop.hot.issue_cycles);
    }
    EXPECT_EQ(find(features, "consumer", "release")->hot.sleeps, 1);
    EXPECT_GE(find(features, "consumer", "release")->hot.fences, 1);
    EXPECT_EQ(features.kernel.calls, 0);
  }
}

// ptxas's own report is the independent source.
TEST(Features, RegistersAreThoseThatPtxasReports) {
  PHASEBIT_NEEDS_TOOLS();
  const auto folder = base::TempDir::create();
  ASSERT_TRUE(folder);
  const std::string source = (folder->path() / "a.ptx").string();
  const std::string out = (folder->path() / "a.cubin").string();
  std::string text = ".version 8.7\n.target sm_75\n.address_size 64\n";
  for (const std::string name : {"wide", "narrow"}) {
    const int loads = name == "wide" ? 40 : 2;
    text += ".visible .entry " + name + "(.param .u64 p)\n{\n.reg .b32 r<64>;\n.reg .b64 a;\n";
    text += ".shared .align 4 .b8 sm_" + name + "[" + std::to_string(4 * loads) + "];\n";
    text += "ld.param.u64 a, [p];\n";
    for (int i = 0; i < loads; ++i)
      text += fmt::format("ld.volatile.global.u32 r{}, [a+{}];\n", i, 4 * i);
    for (int i = 0; i < loads; ++i)
      text += fmt::format("st.volatile.shared.u32 [sm_{}+{}], r{};\n", name, 4 * i, i);
    text += "ret;\n}\n";
  }
  ASSERT_TRUE(base::write_file(source, text));
  for (const std::string target : {"sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"}) {
    SCOPED_TRACE(target);
    const auto ran =
        base::run_process({test::find_tools()->ptxas, "-v", "-arch", target, source, "-o", out});
    ASSERT_TRUE(ran && ran->ok()) << ran->err;
    const auto cubin = cubin::read_cubin(*base::read_file(out));
    ASSERT_TRUE(cubin) << cubin.error().text();
    for (const std::string name : {"wide", "narrow"}) {
      const std::size_t at = ran->err.find("Compiling entry function '" + name);
      ASSERT_NE(at, std::string::npos) << ran->err;
      const std::size_t used = ran->err.find("Used ", at);
      EXPECT_EQ(cubin->find(name)->registers, std::stoi(ran->err.substr(used + 5)));
      const int smem = name == "wide" ? 160 : 8;
      EXPECT_NE(ran->err.find(fmt::format("{} bytes smem", smem), used), std::string::npos)
          << ran->err;
      // sm_90 and later: after the 1 KiB that the system keeps for itself.
      const std::uint64_t reserved = std::stoi(target.substr(3)) >= 90 ? 1024 : 0;
      EXPECT_EQ(cubin->find(name)->static_shared_bytes, smem + reserved);
    }
  }
}

TEST(KernelInfo, ACutListGivesWhatIsWhole) {
  const std::string one(
      "\x03\x1b\xff\x00"                                  // no payload
      "\x04\x2f\x08\x00\x06\x00\x00\x00\x1c\x00\x00\x00"  // symbol 6: 28
      "\x04\x11\x08\x00\x06\x00\x00\x00\x63\x00\x00\x00"  // another attribute
      "\x04\x2f\x08\x00\x07\x00\x00\x00\xff\x00\x00\x00",
      40);
  using Counts = std::map<std::uint32_t, int>;
  EXPECT_EQ(register_counts(one), (Counts{{6, 28}, {7, 255}}));
  for (std::size_t size = 0; size < one.size(); ++size)
    EXPECT_EQ(register_counts(std::string_view(one).substr(0, size)),
              size < 16 ? Counts{} : (Counts{{6, 28}}))
        << size;
  EXPECT_EQ(register_counts(std::string("\x04\x2f\xff\xff\x01\x00\x00\x00", 8)), Counts{});
}

}  // namespace
}  // namespace phasebit::test
