// Message passing: a thread stores data and raises a flag, another waits for the flag and loads the
// data. Ordered or race, by hand from the PTX ISA, chapter 8 (memory consistency model): 8.5
// scopes, 8.7 proxies, 8.8.1 morally strong operations, 8.9.2 release and acquire patterns, 8.9.5
// and 8.9.6 causality and proxy-preserved causality order. Barriers: 9.7.13.
#include "tests/ptx/run/small.h"

namespace phasebit::test {
namespace {

std::string first_of(const ptx::run::RunOutcome& outcome) {
  const std::vector<std::string> found = found_by(outcome);
  if (found.empty()) return outcome.ended ? "" : "not ended";
  return found.front().substr(0, found.front().find(':'));
}

// Thread 0 of CTA 0 stores and raises; `reader` waits and loads. Flag and data are in global
// memory, where the host has put zeros.
std::string message_passing_passed(const std::string& reader, const std::string& before,
                                   const std::string& raise, const std::string& poll,
                                   const std::string& after) {
  return "mov.u32 r8, %ctaid.x;\nsetp.eq.u32 p2, r8, 0;\nand.pred p2, p2, first;\n" + reader +
         "@p2 bra L_writer;\n@p3 bra L_poll;\nbra L_end;\nL_writer:\nst.global.u32 [d0+64], 7;\n" +
         before + raise + "bra L_end;\nL_poll: " + poll +
         " r1, [d0];\nsetp.eq.u32 p1, r1, 1;\n@!p1 bra L_poll;\n" + after +
         "ld.global.u32 r2, [d0+64];\nL_end:\n";
}

struct FlagRow {
  std::string before, raise, poll, after;
  // Whether it is ordered for a thread of the same CTA, of the same cluster, of another cluster.
  bool cta, cluster, grid;
};

const FlagRow flag_rows[] = {
    // 8.9.2: a release and an acquire on one location; 8.5: both scopes hold both threads.
    {"", "release.cta", "acquire.cta", "", true, false, false},
    {"", "release.cluster", "acquire.cluster", "", true, true, false},
    {"", "release.gpu", "acquire.gpu", "", true, true, true},
    {"", "release.sys", "acquire.gpu", "", true, true, true},
    {"", "release.gpu", "acquire.cta", "", true, false, false},
    {"", "release.cta", "acquire.gpu", "", true, false, false},
    {"", "release.cluster", "acquire.gpu", "", true, true, false},
    {"", "release.gpu", "acquire.cluster", "", true, true, false},
    // A fence before or after a strong access is a pattern of the fence's scope.
    {"fence.acq_rel.gpu;\n", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.gpu;\n", true, true,
     true},
    {"fence.sc.gpu;\n", "relaxed.gpu", "relaxed.gpu", "fence.sc.gpu;\n", true, true, true},
    {"membar.gl;\n", "volatile", "volatile", "membar.gl;\n", true, true, true},
    {"membar.cta;\n", "volatile", "volatile", "membar.gl;\n", true, false, false},
    {"membar.gl;\n", "volatile", "volatile", "membar.cta;\n", true, false, false},
    {"fence.acq_rel.cta;\n", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.gpu;\n", true, false,
     false},
    {"fence.acq_rel.gpu;\n", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.cta;\n", true, false,
     false},
    {"fence.acq_rel.cluster;\n", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.cluster;\n", true,
     true, false},
    {"fence.acq_rel.gpu;\n", "relaxed.cta", "relaxed.gpu", "fence.acq_rel.gpu;\n", true, false,
     false},
    {"fence.acq_rel.gpu;\n", "relaxed.gpu", "relaxed.cta", "fence.acq_rel.gpu;\n", true, false,
     false},
    {"fence.acq_rel.gpu;\n", "relaxed.gpu", "acquire.gpu", "", true, true, true},
    {"", "release.gpu", "relaxed.gpu", "fence.acq_rel.gpu;\n", true, true, true},
    // No pattern on one side.
    {"", "relaxed.gpu", "acquire.gpu", "", false, false, false},
    {"", "release.gpu", "relaxed.gpu", "", false, false, false},
    {"", "relaxed.gpu", "relaxed.gpu", "", false, false, false},
    {"fence.acq_rel.gpu;\n", "relaxed.gpu", "relaxed.gpu", "", false, false, false},
    {"", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.gpu;\n", false, false, false},
    {"fence.proxy.async;\n", "relaxed.gpu", "acquire.gpu", "", false, false, false},
    // A weak store is not part of a pattern, whatever fence is before it.
    {"fence.acq_rel.gpu;\n", "weak", "acquire.gpu", "", false, false, false}};

TEST(RunMessage, FlagsByScope) {
  const std::string store = "st.", flag = ".global.u32 [d0], 1;\n", load = "ld.";
  const std::string space = ".global.u32";
  const struct {
    const char* reader;
    SmallLaunch launch;
  } places[] = {{"setp.eq.u32 p3, tid, 32;\n", {}},
                {"setp.eq.u32 p3, r8, 1;\nand.pred p3, p3, first;\n", {.ctas = 2, .cluster = 2}},
                {"setp.eq.u32 p3, r8, 1;\nand.pred p3, p3, first;\n", {.ctas = 2}}};
  for (const FlagRow& row : flag_rows) {
    const bool ordered[] = {row.cta, row.cluster, row.grid};
    for (int place = 0; place < 3; ++place) {
      const auto outcome = run_small(
          message_passing_passed(places[place].reader, row.before, store + row.raise + flag,
                                 load + row.poll + space, row.after),
          places[place].launch);
      EXPECT_EQ(first_of(outcome), ordered[place] ? "" : "race")
          << row.before << row.raise << " " << row.poll << " " << row.after << place;
    }
  }
}

// Atomics raise flags, too; of the GPU's scope and relaxed where they name neither (9.7.13, atom).
TEST(RunMessage, Atomics) {
  const struct {
    const char *before, *raise;
    bool is_ordered;
  } rows[] = {{"", "red.release.gpu.global.add.u32 [d0], 1;\n", true},
              {"", "atom.release.gpu.global.exch.b32 r3, [d0], 1;\n", true},
              {"", "atom.acq_rel.gpu.global.cas.b32 r3, [d0], 0, 1;\n", true},
              {"", "red.global.add.u32 [d0], 1;\n", false},
              {"fence.acq_rel.gpu;\n", "red.global.add.u32 [d0], 1;\n", true},
              {"fence.acq_rel.cta;\n", "red.global.add.u32 [d0], 1;\n", false},
              {"", "red.release.cta.global.add.u32 [d0], 1;\n", false}};
  for (const auto& row : rows)
    EXPECT_EQ(first_of(run_small(
                  message_passing_passed("setp.eq.u32 p3, r8, 1;\nand.pred p3, p3, first;\n",
                                         row.before, row.raise, "ld.acquire.gpu.global.u32", ""),
                  {.ctas = 2})),
              row.is_ordered ? "" : "race")
        << row.before << row.raise;
}

// Thread 0 stores to shared memory and signals, thread 32 waits and loads.
std::string signalled(const std::string& init, const std::string& signal, const std::string& wait) {
  return "@!first bra L_made;\n" + init +
         "L_made:\nbar.sync 0;\nsetp.eq.u32 p2, warp, 1;\n@p2 bra L_reader;\n"
         "@first st.shared.u32 [ring+64], 7;\n" +
         signal + "bra L_end;\nL_reader:\n" + wait +
         "@leader ld.shared.u32 r2, [ring+64];\nL_end:\n";
}

TEST(RunMessage, BarriersOfACta) {
  const std::string init = "mbarrier.init.shared.b64 [ring], 1;\n";
  const auto wait = [](const std::string& words) {
    return "L_w: mbarrier.try_wait.parity" + words + ".shared.b64 p1, [ring], 0;\n@!p1 bra L_w;\n";
  };
  const auto arrive = [](const std::string& words) {
    return "@first mbarrier.arrive" + words + ".shared.b64 _, [ring];\n";
  };
  const std::string fence = "fence.acq_rel.cta;\n", wide = "fence.acq_rel.gpu;\n";
  const struct {
    std::string signal, wait;
    bool is_ordered;
  } rows[] = {// Arrivals release and waits acquire unless they say otherwise (9.7.13.15).
              {arrive(""), wait(""), true},
              {arrive(".release.cta"), wait(".acquire.cta"), true},
              {arrive(".release.cluster"), wait(".acquire.cluster"), true},
              {arrive(".relaxed.cta"), wait(""), false},
              {arrive(""), wait(".relaxed.cta"), false},
              {fence + arrive(".relaxed.cta"), wait(""), true},
              {wide + arrive(".relaxed.cta"), wait(""), true},
              {arrive(""), wait(".relaxed.cta") + fence, true},
              {fence + arrive(".relaxed.cta"), wait(".relaxed.cta") + fence, true},
              {arrive(".relaxed.cta") + fence, wait(""), false},
              {arrive(""), fence + wait(".relaxed.cta"), false},
              {"fence.proxy.async;\n" + arrive(".relaxed.cta"), wait(""), false},
              {"fence.mbarrier_init.release.cluster;\n" + arrive(".relaxed.cta"), wait(""), false},
              // What has no barrier in between.
              {"", "", false},
              {fence, fence, false},
              // bar orders the memory of those that take part, bar.arrive releases (9.7.13.1).
              {"bar.sync 1, 64;\n", "bar.sync 1, 64;\n", true},
              {"bar.arrive 1, 64;\n", "bar.sync 1, 64;\n", true},
              {"bar.sync 0;\n", "bar.sync 0;\n", true},
              {"barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
               "barrier.cluster.arrive;\nbarrier.cluster.wait;\n", true},
              {"barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n",
               "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n", false},
              {"fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n",
               "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n", true}};
  for (const auto& row : rows)
    EXPECT_EQ(first_of(run_small(signalled(init, row.signal, row.wait))),
              row.is_ordered ? "" : "race")
        << row.signal << row.wait;
}

// Each CTA of a cluster stores to the other's shared memory, and then loads from its own.
TEST(RunMessage, AcrossACluster) {
  const std::string store =
      "mov.u32 r4, %cluster_ctarank;\nxor.b32 r5, r4, 1;\nmov.u32 r6, ring;\n"
      "mapa.shared::cluster.u32 r6, r6, r5;\n@first mbarrier.init.shared.b64 [ring], 1;\n"
      "fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.relaxed;\n"
      "barrier.cluster.wait;\n@first st.shared::cluster.u32 [r6+64], 7;\n";
  const std::string load = "@first ld.shared.u32 r2, [ring+64];\n";
  const std::string meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  const auto by = [](const std::string& arrive, const std::string& wait) {
    return "@first mbarrier.arrive" + arrive +
           ".shared::cluster.b64 _, [r6];\nL_w: mbarrier.try_wait.parity" + wait +
           ".shared.b64 p1, [ring], 0;\n@!p1 bra L_w;\n";
  };
  const struct {
    std::string signal;
    bool is_ordered;
  } rows[] = {
      {meet, true},
      {"barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n", false},
      {"fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n", true},
      {"fence.acq_rel.cta;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n", false},
      {"fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.relaxed;\n"
       "barrier.cluster.wait;\n",
       false},
      {"bar.sync 0;\n", false},
      {by(".release.cluster", ".acquire.cluster"), true},
      {by(".relaxed.cluster", ".acquire.cluster"), false},
      {by(".release.cluster", ".relaxed.cluster"), false},
      {"fence.acq_rel.cluster;\n" + by(".relaxed.cluster", ".acquire.cluster"), true},
      {"fence.acq_rel.cta;\n" + by(".relaxed.cluster", ".acquire.cluster"), false},
      {by(".release.cluster", ".relaxed.cluster") + "fence.acq_rel.cluster;\n", true}};
  for (const auto& row : rows)
    EXPECT_EQ(first_of(run_small(store + row.signal + load + meet, {.ctas = 2, .cluster = 2})),
              row.is_ordered ? "" : "race")
        << row.signal;
}

// What the generic proxy stores and a bulk copy reads or overwrites: 8.7, and 9.7.13.4 for the
// state spaces that a proxy fence names.
TEST(RunMessage, Proxies) {
  const std::string from_shared =
      "@first cp.async.bulk.global.shared::cta.bulk_group [d0], [ring], 64;\n"
      "@first cp.async.bulk.commit_group;\n@first cp.async.bulk.wait_group.read 0;\n";
  const std::string into_shared =
      "@first mbarrier.init.shared.b64 [ring+512], 1;\nfence.mbarrier_init.release.cluster;\n"
      "@first mbarrier.arrive.expect_tx.shared.b64 _, [ring+512], 64;\n"
      "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [ring], [d0], 64, "
      "[ring+512];\nbar.sync 0;\nL_w: mbarrier.try_wait.parity.shared.b64 p1, [ring+512], 0;\n"
      "@!p1 bra L_w;\n";
  const std::string shared = "st.shared.u32 [ring], 7;\n", global = "st.global.u32 [d0], 7;\n";
  const std::string own = "@first ", other = "setp.eq.u32 p2, tid, 32;\n@p2 ";
  const std::string meet = "bar.sync 0;\n";
  const struct {
    std::string before, copy;
    bool is_ordered;
  } rows[] = {{own + shared, from_shared, false},
              {own + shared + "fence.proxy.async;\n", from_shared, true},
              {own + shared + "fence.proxy.async.shared::cta;\n", from_shared, true},
              {own + shared + "fence.proxy.async.shared::cluster;\n", from_shared, true},
              {own + shared + "fence.proxy.async.global;\n", from_shared, false},
              {own + shared + "fence.acq_rel.gpu;\n", from_shared, false},
              {"fence.proxy.async;\n" + own + shared, from_shared, false},
              // Anywhere on the path from one thread to the other.
              {other + shared + meet, from_shared, false},
              {other + shared + "fence.proxy.async.shared::cta;\n" + meet, from_shared, true},
              {other + shared + meet + "fence.proxy.async.shared::cta;\n", from_shared, true},
              {other + shared + "fence.proxy.async.global;\n" + meet, from_shared, false},
              {"@first fence.proxy.async;\n" + other + shared + meet, from_shared, false},
              // A copy overwrites what is stored.
              {own + shared, into_shared, false},
              {own + shared + "fence.proxy.async.shared::cta;\n", into_shared, true},
              // Of global memory.
              {own + global, into_shared, false},
              {own + global + "fence.proxy.async.shared::cta;\n", into_shared, false},
              {own + global + "fence.proxy.async.global;\n", into_shared, true},
              {own + global + "fence.proxy.async;\n", into_shared, true},
              {other + global + "fence.proxy.async.global;\n" + meet, into_shared, true},
              {other + global + "fence.proxy.async.shared::cluster;\n" + meet, into_shared, false}};
  for (const auto& row : rows)
    EXPECT_EQ(first_of(run_small(row.before + row.copy)),
              row.is_ordered ? "" : "missing proxy fence")
        << row.before << row.copy;
}

// The other CTA stores to this one's shared memory; who fences, and for which space.
TEST(RunMessage, ProxiesAcrossACluster) {
  const std::string store =
      "mov.u32 r4, %cluster_ctarank;\nxor.b32 r5, r4, 1;\nmov.u32 r6, ring;\n"
      "mapa.shared::cluster.u32 r6, r6, r5;\n@first st.shared::cluster.u32 [r6], 7;\n";
  const std::string meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  const std::string copy =
      "cvt.u64.u32 d1, r4;\nshl.b64 d1, d1, 6;\nadd.u64 d1, d0, d1;\n"
      "@first cp.async.bulk.global.shared::cta.bulk_group [d1], [ring], 64;\n"
      "@first cp.async.bulk.commit_group;\n@first cp.async.bulk.wait_group.read 0;\n";
  const struct {
    std::string writer, reader;
    bool is_ordered;
  } rows[] = {{"", "", false},
              {"fence.proxy.async.shared::cta;\n", "", false},
              {"fence.proxy.async.shared::cluster;\n", "", true},
              {"fence.proxy.async;\n", "", true},
              {"", "fence.proxy.async.shared::cta;\n", true},
              {"", "fence.proxy.async.shared::cluster;\n", true},
              {"fence.proxy.async.global;\n", "fence.proxy.async.global;\n", false}};
  for (const auto& row : rows)
    EXPECT_EQ(first_of(run_small(store + row.writer + meet + row.reader + copy,
                                 {.ctas = 2, .cluster = 2})),
              row.is_ordered ? "" : "missing proxy fence")
        << row.writer << row.reader;
}

// Reads that a copy overwrites, and barriers that a copy completes: notes.
TEST(RunMessage, WhatTheManualAsksForAndKernelsLeaveOut) {
  const auto copy = [](const std::string& fence, const std::string& before) {
    return "@first mbarrier.init.shared.b64 [ring+512], 1;\n" + fence + before +
           "bar.sync 0;\n@first mbarrier.arrive.expect_tx.shared.b64 _, [ring+512], 64;\n"
           "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [ring], [d0], 64, "
           "[ring+512];\nL_w: mbarrier.try_wait.parity.shared.b64 p1, [ring+512], 0;\n"
           "@!p1 bra L_w;\n";
  };
  const std::string init = "fence.mbarrier_init.release.cluster;\n",
                    read = "ld.shared.u32 r1, [ring];\n";
  const struct {
    std::string body;
    std::size_t notes;
  } rows[] = {{copy(init, ""), 0},
              {copy("fence.proxy.async;\n", ""), 0},
              {copy("fence.proxy.async.shared::cta;\n", ""), 0},
              {copy("", ""), 1},
              {copy("fence.proxy.async.global;\n", ""), 1},
              {copy(init, read), 1},
              {copy(init, read + "fence.proxy.async;\n"), 0}};
  for (const auto& row : rows) {
    const auto outcome = run_small(row.body);
    EXPECT_EQ(outcome.findings.size(), row.notes) << row.body;
    EXPECT_EQ(first_of(outcome), "") << row.body;
  }
}

}  // namespace
}  // namespace phasebit::test
