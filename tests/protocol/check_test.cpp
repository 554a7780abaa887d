// Verdicts and reports of small kernels.
#include "analysis/protocol/check.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using protocol::Checked;
using protocol::Verdict;

namespace {

Checked check_text(const std::string& body, int threads = 32) {
  const std::string text =
      ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry small()\n{\n"
      ".shared .align 8 .b8 ring[64];\n.reg .b32 r<4>;\n.reg .pred p<4>;\n"
      "mov.u32 r0, %tid.x;\nsetp.eq.u32 p0, r0, 0;\n" +
      body + "exit;\n}\n";
  const auto file = ptx::read_ptx(text, "small.ptx");
  EXPECT_TRUE(file);
  ptx::run::RunLaunch launch;
  launch.block = {threads, 1, 1};
  protocol::CheckOptions options;
  options.most_steps = 100'000;
  return protocol::check(*file, *file->entries().front(), launch, options);
}

TEST(Check, ProvesWhatDependsOnNoSchedule) {
  const Checked checked = check_text(
      "@p0 st.shared.u32 [ring], 1;\nbar.sync 0;\n"
      "ld.shared.u32 r1, [ring];\n");
  EXPECT_EQ(text_of(checked), "small: proved, 1 CTA of 32 threads\n");
}

TEST(Check, SaysWhichAccessesRace) {
  const Checked checked = check_text("@p0 st.shared.u32 [ring], 1;\nld.shared.u32 r1, [ring];\n");
  EXPECT_EQ(
      text_of(checked),
      "small: error, 1 CTA of 32 threads\n"
      "  small.ptx:12:1: error: race: reads byte 0 of shared memory, not ordered with another "
      "access\n"
      "    ld.shared.u32 r1, [ring]\n"
      "    by CTA 0, warp 0, lane 1\n"
      "    small.ptx:11:1: writes it\n"
      "      @p0 st.shared.u32 [ring], 1\n"
      "      by CTA 0, warp 0, lane 0\n");
}

TEST(Check, ExploresWhereAClockDecides) {
  const Checked checked =
      check_text("mov.u32 r1, %clock;\nsetp.lt.u32 p1, r1, 5;\n@p1 bra L_end;\nL_end:\n");
  EXPECT_EQ(checked.verdict, Verdict::explored);
  EXPECT_EQ(checked.schedules, 100);
  ASSERT_EQ(checked.found.size(), 1U);
  EXPECT_EQ(checked.found[0].at.place, "small.ptx:13:1");
  EXPECT_EQ(checked.found[0].at.what, "this branch depends on a clock");
  ASSERT_EQ(checked.found[0].related.size(), 1U);
  EXPECT_EQ(checked.found[0].related[0].place, "small.ptx:11:1");
}

TEST(Check, SaysWhatIsNotModelled) {
  const Checked opcode = check_text("bar.red.popc.u32 r1, 0, p0;\n");
  EXPECT_EQ(opcode.verdict, Verdict::unsupported);
  EXPECT_EQ(opcode.reason, "small.ptx:11:1: bar.red.popc.u32: this instruction is not modelled");
  const Checked modifier = check_text("add.sat.s32 r1, r0, r0;\n");
  EXPECT_EQ(modifier.reason, "small.ptx:11:1: add.sat.s32: '.sat' is not modelled");
  EXPECT_EQ(check_text("add.s32 r1, r0;\n").reason,
            "small.ptx:11:1: add.s32: it has too few operands");
  EXPECT_EQ(check_text("bar.sync;\n").reason, "small.ptx:11:1: bar.sync: it has too few operands");
}

// Also where the kernel has what is not modelled, and so is not run.
TEST(Check, WhatTheTextAloneShows) {
  const struct {
    const char* body;
    const char* what;
  } rows[] = {
      {"setmaxnreg.inc.sync.aligned.u32 260;\n",
       "260 registers: a multiple of 8 from 24 to 256 is possible"},
      {"bar.sync 16;\n", "barrier 16: numbers go from 0 to 15"},
      {"bar.sync 1, 40;\n", "40 threads at a barrier: a multiple of 32 is possible"},
      {"bar.sync 1, 64;\n", "a barrier for 64 threads, of a CTA that has 32"},
      {"mbarrier.init.shared.b64 [ring], 0;\n",
       "an mbarrier for 0 arrivals: 1 to 1048575 are possible"},
      {"mbarrier.expect_tx.relaxed.cta.shared.b64 [ring], 64;\n"
       "mbarrier.test_wait.parity.shared.b64 p1, [ring], 0;\n",
       "bytes are expected, and nothing in the kernel arrives on a barrier: its phase never "
       "completes"},
      {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ring], 1024;\n"
       "tcgen05.dealloc.cta_group::1.sync.aligned.b32 r1, 1024;\n",
       "1024 columns of Tensor Memory: 32, 64, 128, 256 and 512 are possible"},
      {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ring], 64;\n",
       "Tensor Memory that no tcgen05.dealloc gives back"}};
  for (const auto& row : rows) {
    const Checked checked = check_text(row.body);
    EXPECT_EQ(checked.verdict, Verdict::error) << row.body;
    ASSERT_EQ(checked.found.size(), 1U) << row.body;
    EXPECT_EQ(checked.found[0].at.what, row.what);
    EXPECT_EQ(checked.found[0].at.place, "small.ptx:11:1");
  }
}

TEST(Check, GivesUpOnAKernelThatDoesNotEnd) {
  const Checked checked = check_text("L_loop:\nadd.u32 r1, r1, 1;\nbra L_loop;\n");
  EXPECT_EQ(checked.verdict, Verdict::explored);
  ASSERT_FALSE(checked.found.empty());
  EXPECT_EQ(checked.found[0].kind, ptx::run::FindingKind::steps);
}

TEST(Check, ExitCodesAreThoseOfTheDocument) {
  EXPECT_EQ(exit_code(Verdict::proved), 0);
  EXPECT_EQ(exit_code(Verdict::error), 1);
  EXPECT_EQ(exit_code(Verdict::explored), 24);
  EXPECT_EQ(exit_code(Verdict::unsupported), 25);
}

// One thread of a warpgroup hands a slot back for all four warps, as CUTLASS's collectives do: a
// note, where it has waited for its own products.
TEST(Check, AReleaseForTheWholeWarpgroup) {
  const auto kernel = [](const std::string& wait, const std::string& release) {
    return ".shared .align 128 .b8 tile[8192];\n.reg .b64 d<4>;\n.reg .f32 f<4>;\n"
           "@p0 mbarrier.init.shared.b64 [ring], 1;\nbar.sync 0;\n"
           "setp.ge.u32 p1, r0, 128;\n@p1 bra L_producer;\n"
           "mov.u32 r2, tile;\nshr.u32 r2, r2, 4;\ncvt.u64.u32 d1, r2;\n"
           "mov.u64 d2, 0x4000004000010000;\nor.b64 d1, d1, d2;\nwgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d1, d1, 0, 1, 1, "
           "0, 0;\nwgmma.commit_group.sync.aligned;\n" +
           wait + release +
           "wgmma.wait_group.sync.aligned 0;\nbra L_end;\nL_producer:\n"
           "L_w: mbarrier.try_wait.parity.shared.b64 p2, [ring], 0;\n@!p2 bra L_w;\n"
           "setp.eq.u32 p2, r0, 128;\n@p2 st.shared.u32 [tile], 1;\nL_end:\n";
  };
  const std::string waits = "wgmma.wait_group.sync.aligned 0;\n";
  const std::string one = "@p0 mbarrier.arrive.shared.b64 _, [ring];\n";
  const Checked noted = check_text(kernel(waits, one), 160);
  EXPECT_EQ(noted.verdict, Verdict::proved) << text_of(noted);
  ASSERT_EQ(noted.found.size(), 1U) << text_of(noted);
  EXPECT_EQ(noted.found[0].grade, ptx::run::Grade::note);
  EXPECT_EQ(noted.found[0].at.text, "@p2 st.shared.u32 [tile], 1");
  EXPECT_EQ(noted.found[0].related[0].what, "another warp reads it");
  EXPECT_EQ(check_text(kernel("", one), 160).verdict, Verdict::error);
  // With a barrier of the warpgroup all of them have waited.
  EXPECT_TRUE(check_text(kernel(waits + "bar.sync 1, 128;\n", one), 160).found.empty());
}

}  // namespace
}  // namespace phasebit::test
