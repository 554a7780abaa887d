// Accesses with and without an order. Expectations follow the PTX ISA's memory consistency model.
#include "tests/ptx/run/small.h"

namespace phasebit::test {
namespace {

using Found = std::vector<std::string>;

struct RaceRow {
  const char* what;
  std::string body;
  const char* expected;  // how the first finding begins; "" for none
};

const std::string race_roles = "setp.eq.u32 p0, warp, 1;\n@p0 bra L_consumer;\n";
// Warp 0 stores, then raises a flag; warp 1 polls the flag, then loads.
std::string passed(const std::string& before, const std::string& raise, const std::string& poll,
                   const std::string& after) {
  return "@first st.shared.u32 [ring], 0;\nbar.sync 0;\n" + race_roles +
         "@leader st.shared.u32 [ring+64], 7;\n" + before + "@leader " + raise +
         " [ring], 1;\nbra L_end;\nL_consumer:\nL_poll: " + poll +
         " r1, [ring];\nsetp.eq.u32 p1, r1, 1;\n@!p1 bra L_poll;\n" + after +
         "ld.shared.u32 r2, [ring+64];\nL_end:\n";
}

TEST(RunRace, MessagePassing) {
  const std::string fence = "fence.acq_rel.cta;\n";
  const RaceRow rows[] = {
      {"release and acquire",
       passed("", "st.release.cta.shared.u32", "ld.acquire.cta.shared.u32", ""), ""},
      {"fences around relaxed accesses",
       passed(fence, "st.relaxed.cta.shared.u32", "ld.relaxed.cta.shared.u32", fence), ""},
      {"fences around volatile accesses",
       passed(fence, "st.volatile.shared.u32", "ld.volatile.shared.u32", fence), ""},
      {"no fence before the flag",
       passed("", "st.relaxed.cta.shared.u32", "ld.acquire.cta.shared.u32", ""), "race: "},
      {"no fence after the poll",
       passed("", "st.release.cta.shared.u32", "ld.relaxed.cta.shared.u32", ""), "race: "},
      {"a plain store as the flag", passed("", "st.shared.u32", "ld.acquire.cta.shared.u32", ""),
       "race: "}};
  for (const RaceRow& row : rows) {
    const Found found = found_by(run_small(row.body));
    const std::string first = found.empty() ? "" : found.front();
    EXPECT_TRUE(*row.expected == '\0' ? first.empty() : first.starts_with(row.expected))
        << row.what << ": " << first;
  }
}

// A counter that two warps raise: a thread that sees 2 sees what both have stored (observation
// order goes through atomics).
TEST(RunRace, ACounterOfSeveralReleases) {
  const auto counted = [](const std::string& raise) {
    return "@first st.shared.u32 [ring], 0;\nbar.sync 0;\nsetp.eq.u32 p0, warp, 2;\n"
           "@p0 bra L_consumer;\nmad.lo.u32 r0, warp, 4, 64;\nmov.u32 r1, ring;\n"
           "add.u32 r0, r0, r1;\n@leader st.shared.u32 [r0], 7;\n@leader " +
           raise +
           " [ring], 1;\nbra L_end;\nL_consumer:\nL_poll: ld.acquire.cta.shared.u32 r1, [ring];\n"
           "setp.eq.u32 p1, r1, 2;\n@!p1 bra L_poll;\nld.shared.u32 r2, [ring+64];\n"
           "ld.shared.u32 r3, [ring+68];\nL_end:\n";
  };
  EXPECT_EQ(found_by(run_small(counted("red.release.cta.shared.add.u32"), {.threads = 96})),
            Found{});
  const Found found =
      found_by(run_small(counted("red.relaxed.cta.shared.add.u32"), {.threads = 96}));
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found.front().starts_with("race: ")) << found.front();
}

TEST(RunRace, EachKind) {
  const std::string own =
      "shl.b32 r0, tid, 2;\nmov.u32 r1, ring;\nadd.u32 r0, r0, r1;\n"
      "st.shared.u32 [r0], tid;\n";
  const std::string other = "xor.b32 r0, r0, 128;\nld.shared.u32 r2, [r0];\n";
  const std::string send =
      "@first cp.async.bulk.global.shared::cta.bulk_group [d0], [ring], 64;\n"
      "@first cp.async.bulk.commit_group;\n";
  const RaceRow rows[] = {
      {"no barrier between writer and reader", own + other, "race: "},
      {"a barrier between them", own + "bar.sync 0;\n" + other, ""},
      {"a store that a copy reads",
       own + "fence.proxy.async;\nbar.sync 0;\n" + send +
           "@first cp.async.bulk.wait_group.read 0;\n",
       ""},
      {"the same without a proxy fence", own + "bar.sync 0;\n" + send, "missing proxy fence: "},
      {"a source that is overwritten too early",
       own + "fence.proxy.async;\nbar.sync 0;\n" + send + "@first st.shared.u32 [ring], 1;\n",
       "race: "},
      {"a source that is overwritten after the read has ended",
       own + "fence.proxy.async;\nbar.sync 0;\n" + send +
           "@first cp.async.bulk.wait_group.read 0;\n@first st.shared.u32 [ring], 1;\n",
       ""},
      {"what cp.async brings, before its group has ended",
       "cp.async.ca.shared.global [ring], [d0], 4;\nld.shared.u32 r1, [ring];\n", "race: "},
      {"the same after the group",
       "@first cp.async.ca.shared.global [ring], [d0], 4;\n@first cp.async.commit_group;\n"
       "@first cp.async.wait_group 0;\n@first ld.shared.u32 r1, [ring];\n",
       ""},
      {"what another thread's cp.async brings, without a barrier",
       "@first cp.async.ca.shared.global [ring], [d0], 4;\ncp.async.commit_group;\n"
       "cp.async.wait_group 0;\n@leader ld.shared.u32 r1, [ring];\n",
       "race: "},
      {"lanes that store the same", "st.shared.u32 [ring], 7;\n", ""},
      {"lanes that store what differs", "st.shared.u32 [ring], tid;\n", "race: "},
      {"a store of the same, and then of something else",
       "st.shared.u32 [ring], 7;\n@first st.shared.u32 [ring], 8;\n", "race: "},
      {"past shared memory", "mov.u32 r2, ring;\nld.shared.u32 r1, [r2+1024];\n",
       "out of bounds: "},
      {"past a buffer", "ld.global.u32 r1, [d0+4096];\n", "out of bounds: "},
      {"an odd address", "ld.global.u32 r1, [d0+2];\n", "misaligned: "},
      {"a clock that decides",
       "mov.u32 r1, %clock;\nsetp.gt.u32 p1, r1, 99;\n@p1 st.global.u32 [d0], 1;\n", "decision: "},
      {"a clock that is hidden",
       "mov.u32 r1, %clock;\nand.b32 r1, r1, 0;\nsetp.gt.u32 p1, r1, 99;\n"
       "@p1 st.global.u32 [d0], 1;\n",
       ""},
      {"a count that one thread draws",
       "mov.u32 r1, 0;\n@first atom.global.add.u32 r1, [d0], 1;\nsetp.gt.u32 p1, r1, 99;\n"
       "@p1 exit;\n",
       ""},
      {"a count that threads share",
       "atom.global.add.u32 r1, [d0], 1;\nsetp.gt.u32 p1, r1, 99;\n@p1 exit;\n", "decision: "}};
  for (const RaceRow& row : rows) {
    const Found found = found_by(run_small(row.body));
    const std::string first = found.empty() ? "" : found.front();
    EXPECT_TRUE(*row.expected == '\0' ? first.empty() : first.starts_with(row.expected))
        << row.what << ": " << first;
  }
}

TEST(RunRace, WhatARunLeavesInMemory) {
  const auto outcome = run_small(
      "shl.b32 r0, tid, 2;\nmov.u32 r1, ring;\nadd.u32 r0, r0, r1;\nst.shared.u32 [r0], tid;\n"
      "xor.b32 r0, r0, 128;\nbar.sync 0;\nld.shared.u32 r2, [r0];\nshl.b32 r3, tid, 2;\n"
      "cvt.u64.u32 d1, r3;\nadd.u64 d1, d0, d1;\nst.global.u32 [d1], r2;\n");
  EXPECT_EQ(found_by(outcome), Found{});
  ASSERT_EQ(outcome.memory.size(), 1U);
  EXPECT_EQ(outcome.memory[0][0], 32U);
  EXPECT_EQ(outcome.memory[0][33], 1U);
}

// CUDA C++ Programming Guide, technical specifications per compute capability.
TEST(RunRace, SizesOfALaunch) {
  const auto file = ptx::read_ptx(small_kernel(""), "small.ptx");
  ASSERT_TRUE(file) << file.error().text();
  const auto program = ptx::run::decode(*file, *file->entries().front());
  ASSERT_TRUE(program) << program.error().text();
  using Size = std::array<int, 3>;
  const auto complaint = [&](Size grid, Size block) {
    ptx::run::RunLaunch launch;
    launch.grid = grid;
    launch.block = block;
    const auto found = complaint_about(*program, launch);
    return found ? found->what : "";
  };
  EXPECT_EQ(complaint({65'535, 1, 1}, {32, 1, 1}), "");
  EXPECT_EQ(complaint({1, 65'535, 1}, {8, 2, 2}), "");
  EXPECT_EQ(complaint({1, 1, 1}, {16, 1, 64}), "");
  EXPECT_EQ(complaint({1, 70'000, 1}, {32, 1, 1}),
            "a grid with y = 70000: 1 to 65535 are possible");
  EXPECT_EQ(complaint({1, 1, 65'536}, {32, 1, 1}),
            "a grid with z = 65536: 1 to 65535 are possible");
  EXPECT_EQ(complaint({1, 1, 1}, {1, 1, 128}), "a block with z = 128: 1 to 64 are possible");
  EXPECT_EQ(complaint({1, 1, 1}, {1, 2048, 1}), "a block with y = 2048: 1 to 1024 are possible");
  EXPECT_EQ(complaint({1, 1, 1}, {64, 32, 1}),
            "a block with threads = 2048: 1 to 1024 are possible");
  EXPECT_EQ(complaint({2'000'000'000, 65'535, 65'535}, {32, 1, 1}),
            "a launch of more than 65536 warps: check a smaller grid");
}

TEST(RunRace, ACopyOfTwoCtasOfACluster) {
  // The first CTA stores to the second's shared memory, and both meet at the cluster's barrier.
  const std::string body =
      "mov.u32 r4, %cluster_ctarank;\nxor.b32 r5, r4, 1;\nmov.u32 r6, ring;\n"
      "mapa.shared::cluster.u32 r6, r6, r5;\n@first st.shared::cluster.u32 [r6], r4;\n";
  const std::string meet = "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n";
  const std::string load = "ld.shared.u32 r7, [ring];\n";
  EXPECT_EQ(found_by(run_small(body + meet + load + meet, {.ctas = 2, .cluster = 2})), Found{});
  const Found found = found_by(run_small(body + load + meet, {.ctas = 2, .cluster = 2}));
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found.front().starts_with("race: ")) << found.front();
}

}  // namespace
}  // namespace phasebit::test
