// Hangs and races of compiled kernels that users reported, rebuilt small from what their threads
// say of the lowered code: found with line and reason, and proved as they were repaired.
#include "analysis/protocol/check.h"

#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using protocol::Checked;
using protocol::Verdict;

namespace {

// `body` begins on line 13. `ctas`: of the one cluster that is launched.
Checked check_kernel(const std::string& body, int threads, int ctas = 1) {
  const std::string text =
      fmt::format(
          ".version 8.6\n.target sm_90a\n.address_size 64\n"
          ".visible .entry kernel(.param .u64 out)\n.reqntid {}\n{{\n"
          ".shared .align 128 .b8 ring[8192];\n"
          ".reg .b32 tid, warp, r<8>;\n.reg .b64 d<4>;\n.reg .pred p<4>, leader;\n"
          "mov.u32 tid, %tid.x;\nshr.u32 warp, tid, 5;\nand.b32 r0, tid, 31;\n",
          threads) +
      "setp.eq.u32 leader, r0, 0;\nld.param.u64 d0, [out];\n" + body + "exit;\n}\n";
  const auto file = ptx::read_ptx(text, "reported.ptx");
  EXPECT_TRUE(file) << file.error().text();
  ptx::run::RunLaunch launch;
  launch.block = {threads, 1, 1};
  launch.grid = launch.cluster = {ctas, 1, 1};
  launch.buffers = {{"out", 4096, {}}};
  ptx::run::put_parameter(launch, 0, ptx::run::address_of_buffer(0), 8);
  protocol::CheckOptions options;
  options.most_steps = 1'000'000;
  return protocol::check(*file, *file->entries().front(), launch, options);
}

const std::string barriers =
    "setp.eq.u32 p0, tid, 0;\n@!p0 bra L_made;\nmbarrier.init.shared.b64 [ring], 1;\n"
    "mbarrier.init.shared.b64 [ring+8], 1;\nfence.mbarrier_init.release.cluster;\n"
    "L_made:\nbar.sync 0;\n";

// tile-ai/tilelang 2566: where the pipelined loop has one turn, the copy is a bulk copy of one
// dimension, before which mbarrier.expect_tx comes without an arrival.
TEST(CheckReported, BytesThatAreExpectedWithoutAnArrival) {
  const auto kernel = [](const std::string& expect) {
    return barriers +
           "setp.eq.u32 p1, warp, 0;\n@!p1 bra L_consumer;\n@!leader bra L_end;\n"
           "L_e: mbarrier.try_wait.parity.shared.b64 p2, [ring+8], 1;\n@!p2 bra L_e;\n" +
           expect +
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ring+1024], [d0], "
           "1024, [ring];\nbra L_end;\nL_consumer:\n"
           "L_f: mbarrier.try_wait.parity.shared.b64 p2, [ring], 0;\n@!p2 bra L_f;\n"
           "ld.shared.u32 r1, [ring+1024];\nbar.warp.sync 0xffffffff;\n"
           "@leader mbarrier.arrive.shared.b64 _, [ring+8];\nL_end:\n";
  };
  const Checked broken =
      check_kernel(kernel("mbarrier.expect_tx.relaxed.cta.shared.b64 [ring], 1024;\n"), 64);
  EXPECT_EQ(broken.verdict, Verdict::error);
  ASSERT_FALSE(broken.found.empty());
  EXPECT_EQ(broken.found[0].kind, ptx::run::FindingKind::deadlock);
  EXPECT_EQ(broken.found[0].at.text, "mbarrier.try_wait.parity.shared.b64 p2, [ring], 0");
  ASSERT_FALSE(broken.found[0].related.empty());
  EXPECT_EQ(broken.found[0].related[0].what,
            "waits for phase 0 (parity 0) of barrier ring+0: 1 of 1 arrivals and 0 bytes are "
            "missing");
  EXPECT_EQ(
      check_kernel(kernel("mbarrier.arrive.expect_tx.shared.b64 _, [ring], 1024;\n"), 64).verdict,
      Verdict::proved);
}

// tile-ai/tilelang 2567: two producer and two consumer warpgroups, with the registers that fit one
// and two: 24 and 240, repaired to 24 and 224. 512 threads begin with 128 each.
TEST(CheckReported, MoreRegistersThanThereAre) {
  const auto kernel = [](const std::string& registers) {
    return "setp.lt.u32 p1, tid, 256;\n@!p1 bra L_consumer;\n"
           "setmaxnreg.dec.sync.aligned.u32 24;\nbra L_end;\nL_consumer:\n"
           "setmaxnreg.inc.sync.aligned.u32 " +
           registers + ";\nL_end:\nbar.sync 0;\n";
  };
  const Checked broken = check_kernel(kernel("240"), 512);
  EXPECT_EQ(broken.verdict, Verdict::error);
  const auto& last = broken.found.back();
  EXPECT_EQ(last.kind, ptx::run::FindingKind::deadlock);
  EXPECT_EQ(last.at.text, "bar.sync 0");
  bool is_said = false;
  for (const protocol::Remark& one : last.related)
    is_said = is_said || (one.text == "setmaxnreg.inc.sync.aligned.u32 240" &&
                          one.what.starts_with("waits for registers: "));
  EXPECT_TRUE(is_said) << text_of(broken);
  EXPECT_EQ(check_kernel(kernel("224"), 512).verdict, Verdict::proved);
}

// tile-ai/tilelang 2613: an operand that all threads store and both warpgroups read, stored to
// again in the next turn of the loop without a barrier after the reads.
TEST(CheckReported, AnOperandThatTheOtherWarpgroupStillReads) {
  const auto kernel = [](const std::string& loop_back) {
    return "mov.u32 r1, 0;\nmov.u32 r2, ring;\nshl.b32 r3, tid, 2;\nxor.b32 r4, r3, 512;\n"
           "add.u32 r3, r3, r2;\nadd.u32 r4, r4, r2;\nL_loop:\nst.shared.u32 [r3], r1;\n"
           "bar.sync 0;\nld.shared.u32 r5, [r4];\n" +
           loop_back + "add.u32 r1, r1, 1;\nsetp.lt.u32 p1, r1, 4;\n@p1 bra L_loop;\n";
  };
  const Checked broken = check_kernel(kernel(""), 256);
  EXPECT_EQ(broken.verdict, Verdict::error);
  ASSERT_FALSE(broken.found.empty());
  EXPECT_EQ(broken.found[0].kind, ptx::run::FindingKind::race);
  ASSERT_FALSE(broken.found[0].related.empty());
  const std::set<std::string> texts{broken.found[0].at.text, broken.found[0].related[0].text};
  EXPECT_EQ(texts, (std::set<std::string>{"ld.shared.u32 r5, [r4]", "st.shared.u32 [r3], r1"}));
  EXPECT_EQ(check_kernel(kernel("bar.sync 0;\n"), 256).verdict, Verdict::proved);
}

// The same with the products of a warpgroup, which read until they are waited for.
TEST(CheckReported, AnOperandOfProductsThatAreUnderWay) {
  const auto kernel = [](const std::string& wait) {
    return "setp.eq.u32 p0, tid, 0;\nmov.u32 r2, ring;\nshr.u32 r3, r2, 4;\n"
           "cvt.u64.u32 d1, r3;\nmov.u64 d2, 0x4000004000010000;\nor.b64 d1, d1, d2;\n"
           ".reg .f32 f<4>;\n"
           "mov.u32 r1, 0;\nL_loop:\n@p0 st.shared.u32 [ring], r1;\nfence.proxy.async;\n"
           "bar.sync 0;\nwgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d1, d1, 0, 1, 1, "
           "0, 0;\nwgmma.commit_group.sync.aligned;\n" +
           wait +
           "bar.sync 0;\nadd.u32 r1, r1, 1;\nsetp.lt.u32 p1, r1, 3;\n@p1 bra L_loop;\n"
           "wgmma.wait_group.sync.aligned 0;\n";
  };
  EXPECT_EQ(check_kernel(kernel(""), 128).verdict, Verdict::error);
  const Checked repaired = check_kernel(kernel("wgmma.wait_group.sync.aligned 0;\n"), 128);
  EXPECT_EQ(repaired.verdict, Verdict::proved) << text_of(repaired);
}

// tile-ai/tilelang 2644, of clusters of more than two CTAs: two CTAs bring bytes to the barrier of
// one of them, which expects them from each CTA of the cluster.
TEST(CheckReported, BytesThatAreExpectedOfTheWholeCluster) {
  const auto kernel = [](int senders) {
    return barriers +
           "mov.u32 r1, %cluster_ctarank;\nand.b32 r2, r1, 2;\nmov.u32 r3, ring;\n"
           "mapa.shared::cluster.u32 r4, r3, r2;\n"  // the even CTA of each pair
           "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
           "@!p0 bra L_done;\nand.b32 r5, r1, 1;\nsetp.eq.u32 p1, r5, 0;\n" +
           fmt::format("@p1 mbarrier.arrive.expect_tx.shared.b64 _, [ring], {};\n", senders * 512) +
           "mad.lo.u32 r6, r5, 512, r4;\nadd.u32 r6, r6, 1024;\n"
           "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r6], "
           "[ring+4096], 512, [r4];\n@!p1 bra L_done;\n"
           "L_w: mbarrier.try_wait.parity.shared.b64 p2, [ring], 0;\n@!p2 bra L_w;\n"
           "ld.shared.u32 r7, [ring+1536];\nL_done:\n"
           "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  };
  const Checked broken = check_kernel(kernel(4), 32, 4);
  EXPECT_EQ(broken.verdict, Verdict::error);
  bool is_said = false;
  for (const Checked::Found& one : broken.found)
    for (const protocol::Remark& other : one.related)
      is_said = is_said || (one.kind == ptx::run::FindingKind::deadlock &&
                            other.text == "mbarrier.try_wait.parity.shared.b64 p2, [ring], 0" &&
                            other.what.find("0 of 1 arrivals and 1024 bytes are missing") !=
                                std::string::npos);
  EXPECT_TRUE(is_said) << text_of(broken);
  const Checked repaired = check_kernel(kernel(2), 32, 4);
  EXPECT_EQ(repaired.verdict, Verdict::proved) << text_of(repaired);
}

// tile-ai/tilelang 2927: a copy to all CTAs of the cluster in each turn of a loop, with a barrier
// of its own, is waited for with the parity of the turn. An odd one asks a new barrier for the
// phase before its first.
TEST(CheckReported, AParityOfTheTurnForABarrierOfItsOwn) {
  const auto kernel = [](const std::string& parity) {
    return "setp.eq.u32 p0, tid, 0;\n@!p0 bra L_made;\nmbarrier.init.shared.b64 [ring], 1;\n"
           "mbarrier.init.shared.b64 [ring+8], 1;\nmbarrier.init.shared.b64 [ring+16], 1;\n"
           "mbarrier.init.shared.b64 [ring+24], 1;\nfence.mbarrier_init.release.cluster;\n"
           "L_made:\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
           "mov.u32 r1, %cluster_ctarank;\nsetp.eq.u32 p1, r1, 0;\nmov.u32 r2, 0;\n"
           ".reg .b16 all;\nmov.b16 all, 3;\n@!p0 bra L_end;\n"
           "L_turn:\nmov.u32 r3, ring;\nmad.lo.u32 r3, r2, 8, r3;\nmov.u32 r4, ring;\n"
           "mad.lo.u32 r4, r2, 1024, r4;\nadd.u32 r4, r4, 1024;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [r3], 1024;\n"
           "@p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
           ".multicast::cluster [r4], [d0], 1024, [r3], all;\n" +
           parity +
           "L_w: mbarrier.try_wait.parity.shared.b64 p2, [r3], r5;\n@!p2 bra L_w;\n"
           "ld.shared.u32 r6, [r4];\nadd.u32 r2, r2, 1;\nsetp.lt.u32 p3, r2, 4;\n"
           "@p3 bra L_turn;\nL_end:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  };
  const Checked broken = check_kernel(kernel("and.b32 r5, r2, 1;\n"), 32, 2);
  EXPECT_EQ(broken.verdict, Verdict::error);
  // Where the copy is slow, the wait returns at once and the load races; where it is fast, the wait
  // is one for the next phase, which never comes.
  ASSERT_FALSE(broken.found.empty());
  EXPECT_EQ(broken.found[0].kind, ptx::run::FindingKind::deadlock);
  EXPECT_EQ(broken.found[0].at.text, "mbarrier.try_wait.parity.shared.b64 p2, [r3], r5");
  ASSERT_FALSE(broken.found[0].related.empty());
  EXPECT_EQ(broken.found[0].related[0].what,
            "waits for phase 1 (parity 1) of barrier ring+8 of CTA 0: 1 of 1 arrivals and 0 bytes "
            "are missing");
  const Checked repaired = check_kernel(kernel("mov.u32 r5, 0;\n"), 32, 2);
  EXPECT_EQ(repaired.verdict, Verdict::proved) << text_of(repaired);
}

}  // namespace
}  // namespace phasebit::test
