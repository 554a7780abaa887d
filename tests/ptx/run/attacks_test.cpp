// Kernels that hang or race in some schedule, each next to a repaired one. No broken one may be
// proved, however it ends in the schedule that is run; each repaired one must be. Expectations are
// worked by hand from the PTX ISA.
#include "tests/ptx/run/small.h"

namespace phasebit::test {
namespace {

struct Attack {
  const char* what;
  std::string broken, repaired;
  SmallLaunch launch = {};
};

std::string wait_for(const std::string& barrier, const std::string& parity,
                     const std::string& label, const std::string& guard = "") {
  return label + ": mbarrier.try_wait.parity.shared.b64 p1, [" + barrier + "], " + parity +
         ";\n@!p1 bra " + label + ";\n" + guard;
}

// Thread 0 makes barriers at `ring` and `ring+8` for so many arrivals, then warp 0 and warp 1 part.
std::string roles(const std::string& producer, const std::string& consumer,
                  const std::string& full = "1", const std::string& empty = "1") {
  return "@!first bra L_made;\nmbarrier.init.shared.b64 [ring], " + full +
         ";\nmbarrier.init.shared.b64 [ring+8], " + empty +
         ";\nfence.proxy.async;\nL_made:\nbar.sync 0;\nsetp.eq.u32 p0, warp, 1;\n"
         "@p0 bra L_consumer;\n" +
         producer + "bra L_end;\nL_consumer:\n" + consumer + "L_end:\n";
}

const std::string store = "@leader st.shared.u32 [ring+64], 7;\n";
const std::string load = "ld.shared.u32 r1, [ring+64];\n";
const std::string meet = "bar.warp.sync 0xffffffff;\n";
const std::string full = meet + "@leader mbarrier.arrive.shared.b64 _, [ring];\n";
const std::string empty = meet + "@leader mbarrier.arrive.shared.b64 _, [ring+8];\n";
const std::string take = wait_for("ring", "0", "L_w");
const std::string expect64 = "@leader mbarrier.arrive.expect_tx.shared.b64 _, [ring], 64;\n";
const std::string copy64 =
    "@leader cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [ring+64], [d0], 64, "
    "[ring];\n";

std::vector<Attack> of_mbarriers() {
  const std::string drop = meet + "@leader mbarrier.arrive_drop.shared.b64 _, [ring];\n";
  const std::string both = take + load + empty + wait_for("ring", "1", "L_v") + load;
  return {
      {"no arrival", roles(store, take + load), roles(store + full, take + load)},
      {"one arrival of two", roles(store + full, take + load, "2"),
       roles(store + full, full + take + load, "2")},
      {"two arrivals of one", roles(store + full + full, take + load),
       roles(store + full, take + load)},
      {"an arrival of each lane, for one",
       roles(store + "mbarrier.arrive.shared.b64 _, [ring];\n", take + load),
       roles(store + "mbarrier.arrive.shared.b64 _, [ring];\n", take + load, "32")},
      {"the other parity", roles(store + full, wait_for("ring", "1", "L_w") + load),
       roles(store + full, take + load)},
      {"no wait", roles(store + full, load), roles(store + full, take + load)},
      {"a wait after the load", roles(store + full, load + take), roles(store + full, take + load)},
      {"an arrival before the store", roles(full + store, take + load),
       roles(store + full, take + load)},
      {"a slot that is filled before it is empty", roles(store + full + store + full, both),
       roles(store + full + wait_for("ring+8", "0", "L_e") + store + full, both)},
      {"a wait for the parity that is over",
       roles(store + full + wait_for("ring+8", "1", "L_e") + store + full, both),
       roles(store + full + wait_for("ring+8", "0", "L_e") + store + full, both)},
      {"two that wait for each other", roles(wait_for("ring+8", "0", "L_e") + full, take + empty),
       roles(wait_for("ring+8", "1", "L_e") + full, take + empty)},
      {"a store that is not ordered with the leader's arrival",
       roles("st.shared.u32 [ring+64], 7;\n@leader mbarrier.arrive.shared.b64 _, [ring];\n",
             take + load),
       roles(store + full, take + load)},
      {"an empty slot that one lane frees for all",
       roles(store + full + wait_for("ring+8", "0", "L_e") + store,
             take + load + "@leader mbarrier.arrive.shared.b64 _, [ring+8];\n"),
       roles(store + full + wait_for("ring+8", "0", "L_e") + store, take + load + empty)},
      {"a barrier that is made too late",
       "setp.eq.u32 p0, tid, 32;\n@first mbarrier.init.shared.b64 [ring], 1;\n"
       "@p0 mbarrier.arrive.shared.b64 _, [ring];\n",
       "setp.eq.u32 p0, tid, 32;\n@first mbarrier.init.shared.b64 [ring], 1;\nbar.sync 0;\n"
       "@p0 mbarrier.arrive.shared.b64 _, [ring];\n"},
      {"a barrier that is made again while it is waited for",
       roles(store + full + "@first mbarrier.init.shared.b64 [ring], 1;\n", take + load),
       roles(store + full + "bar.sync 0;\n@first mbarrier.inval.shared.b64 [ring];\n" +
                 "@first mbarrier.init.shared.b64 [ring], 1;\n",
             take + load + "bar.sync 0;\n")},
      {"a barrier that is invalidated while it is waited for",
       roles(store + full + "@first mbarrier.inval.shared.b64 [ring];\n", take + load),
       roles(store + full + "bar.sync 0;\n@first mbarrier.inval.shared.b64 [ring];\n",
             take + load + "bar.sync 0;\n")},
      {"data over a barrier", roles("@leader st.shared.u32 [ring], 7;\n" + full, take),
       roles(store + full, take)},
      {"the last arrival does not complete",
       roles("@leader mbarrier.arrive.noComplete.shared.b64 d1, [ring], 1;\n", take),
       roles("@leader mbarrier.arrive.noComplete.shared.b64 d1, [ring], 1;\n" + full, take, "2")},
      {"a drop that the next phase does not know of",
       roles(store + drop + wait_for("ring+8", "0", "L_e") + full + full,
             full + take + load + empty + wait_for("ring", "1", "L_v"), "2"),
       roles(store + drop + wait_for("ring+8", "0", "L_e") + full,
             full + take + load + empty + wait_for("ring", "1", "L_v"), "2")},
  };
}

// Ways out of a wait that its try does not decide.
std::vector<Attack> of_retries() {
  const std::string fill = store + full, right = take + load;
  const std::string once = "mbarrier.try_wait.parity.shared.b64 p1, [ring], 0;\n";
  const std::string look = "mbarrier.test_wait.parity.shared.b64 p2, [ring], 0;\n";
  return {
      {"a wait that gives up",
       roles(fill, "mov.u32 r7, 0;\nL_g: " + once +
                       "@p1 bra L_d;\nadd.u32 r7, r7, 1;\nsetp.lt.u32 p2, r7, 4;\n"
                       "@p2 bra L_g;\nL_d:\n" +
                       load),
       roles(fill, right)},
      {"a wait whose answer is not used",
       roles(fill, "setp.ne.u32 p2, tid, tid;\nL_g: " + once + "@p2 bra L_g;\n" + load),
       roles(fill, right)},
      {"a wait that a choice ends",
       roles(fill, "L_g: " + once +
                       "selp.b32 r7, 1, 0, p1;\nsetp.ne.u32 p2, r7, 7;\n"
                       "@!p2 bra L_g;\n" +
                       load),
       roles(fill, "L_g: " + once +
                       "selp.b32 r7, 1, 0, p1;\nsetp.ne.u32 p2, r7, 0;\n"
                       "@!p2 bra L_g;\n" +
                       load)},
      {"a wait that an or ends",
       roles(fill, "setp.eq.u32 p3, tid, tid;\nL_g: " + once +
                       "or.pred p2, p1, p3;\n@!p2 bra L_g;\n" + load),
       roles(fill, "setp.ne.u32 p3, tid, tid;\nL_g: " + once + "mov.pred p2, p1;\n@!p2 bra L_g;\n" +
                       load)},
      {"a wait that a failed try ends",
       roles(fill, "L_g: " + once + "@p1 bra L_y;\nbra L_d;\nL_y: @!p1 bra L_g;\nL_d:\n" + load),
       roles(fill, "L_g: " + once + "@p1 bra L_d;\nbra L_g;\nL_d:\n" + load)},
      {"a load that depends on a failed try",
       roles(fill, "mov.u32 r7, 0;\nL_g: " + once +
                       "@p1 bra L_d;\nmov.u32 r7, 1;\nbra L_g;\nL_d:\nsetp.eq.u32 p2, r7, 1;\n"
                       "@p2 bra L_h;\n" +
                       load + "bra L_end;\nL_h: bra L_h;\n"),
       roles(fill, right)},
      {"a token that skips where it is false",
       roles(fill, look + "@!p2 bra L_r;\n" + take + "L_r:\n" + load),
       roles(fill, look + "@p2 bra L_r;\n" + take + "L_r:\n" + load)},
      // As compilers carry tokens in registers and make the address of the barrier where they wait.
      {"a token that is computed on, so that a false one skips the wait, too",
       roles(fill, look + "selp.u32 r7, 1, 2, p2;\nsetp.ne.u32 p3, r7, 0;\n@p3 bra L_r;\n" + take +
                       "L_r:\n" + load),
       roles(fill, look +
                       "selp.u32 r7, 1, 0, p2;\nand.b32 r7, r7, 255;\nsetp.eq.u32 p3, r7, 0;\n"
                       "not.pred p4, p3;\n@p4 bra L_r;\nmov.u32 r8, ring;\nadd.u32 r9, r8, 0;\n" +
                       wait_for("r9", "0", "L_w") + "L_r:\n" + load)},
      {"a token for another barrier than that of the wait",
       roles(fill, look + "@p2 bra L_r;\nmov.u32 r8, ring;\nadd.u32 r9, r8, 8;\n" +
                       wait_for("r9", "1", "L_w") + "L_r:\n" + load),
       roles(fill, look + "@p2 bra L_r;\nmov.u32 r8, ring;\n" + wait_for("r8", "0", "L_w") +
                       "L_r:\n" + load)},
  };
}

// What a value is, which lanes come together, and what ends a poll.
std::vector<Attack> of_values() {
  const std::string halves =
      "setp.lt.u32 p2, lane, 16;\nselp.b32 r7, 0xffff, 0xffff0000, p2;\n"
      "shfl.sync.bfly.b32 r8, lane, 1, 31, r7;\nbar.warp.sync r7;\n";
  const std::string mixed =
      "setp.lt.u32 p2, lane, 16;\nselp.b32 r7, 0xffff, 0xffffffff, p2;\nbar.warp.sync r7;\n";
  const std::string twice = expect64 + copy64;
  const auto count = [](const std::string& raises) {
    return "@first st.shared.u32 [ring], 0;\nbar.sync 0;\nsetp.eq.u32 p0, warp, 1;\n"
           "@p0 bra L_consumer;\n" +
           raises +
           "bra L_end;\nL_consumer:\nL_poll: ld.acquire.cta.shared.u32 r1, [ring];\n"
           "setp.lt.u32 p1, r1, 1;\n@p1 bra L_poll;\n" +
           load + "L_end:\n";
  };
  return {
      {"a flag that is awaited by a bound which an earlier store reaches",
       count("@leader st.release.cta.shared.u32 [ring], 1;\n" + store +
             "@leader st.release.cta.shared.u32 [ring], 2;\n"),
       count(store + "@leader st.release.cta.shared.u32 [ring], 2;\n")},
      {"halves of a warp, one of which names both", mixed, halves},
      {"a predicate that is true by a number that is not 1",
       "mov.pred p2, -1;\n@p2 st.shared.u32 [ring], tid;\n",
       "mov.pred p2, !1;\n@p2 st.shared.u32 [ring], tid;\n"},
      {"bytes that may come after the next phase has begun",
       roles(twice + twice + "@leader bra L_x;\nbra L_end;\n" + wait_for("ring", "1", "L_x"), ""),
       roles(twice + wait_for("ring", "0", "L_x") + meet + twice + wait_for("ring", "1", "L_y"),
             "")},
      {"a byte that is stored over a clock",
       "mov.u32 r7, %clock;\n@first st.shared.u32 [ring], r7;\n@first st.shared.u8 [ring], 0;\n"
       "bar.sync 0;\nld.shared.u32 r8, [ring];\nsetp.gt.u32 p2, r8, 99;\n@p2 bra L_e;\nL_e:\n",
       "mov.u32 r7, %clock;\n@first st.shared.u32 [ring], r7;\n@first st.shared.u16 [ring], 0;\n"
       "@first st.shared.u8 [ring+2], 0;\n@first st.shared.u8 [ring+3], 0;\n"
       "bar.sync 0;\nld.shared.u32 r8, [ring];\nsetp.gt.u32 p2, r8, 99;\n@p2 bra L_e;\nL_e:\n"},
      {"a product that one lane alone runs",
       "@leader ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
       "{r7}, [ring+64];\n",
       "mov.u32 r8, ring;\nmad.lo.u32 r8, lane, 16, r8;\n"
       "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r7}, [r8];\n"},
  };
}

std::vector<Attack> of_copies() {
  return {
      {"a copy that is not waited for", roles(expect64 + copy64, load),
       roles(expect64 + copy64, take + load)},
      {"more bytes than are copied",
       roles("@leader mbarrier.arrive.expect_tx.shared.b64 _, [ring], 80;\n" + copy64, take + load),
       roles(expect64 + copy64, take + load)},
      {"fewer bytes than are copied",
       roles("@leader mbarrier.arrive.expect_tx.shared.b64 _, [ring], 48;\n" + copy64, take + load),
       roles(expect64 + copy64, take + load)},
      {"an arrival that announces no bytes", roles(full + copy64, take + load),
       roles(expect64 + copy64, take + load)},
      {"bytes that are announced, and nothing arrives",
       roles("@leader mbarrier.expect_tx.relaxed.cta.shared.b64 [ring], 64;\n" + copy64,
             take + load),
       roles("@leader mbarrier.expect_tx.relaxed.cta.shared.b64 [ring], 64;\n" + copy64 + full,
             take + load)},
      {"bytes that are announced after the arrival",
       roles(full + "@leader mbarrier.expect_tx.relaxed.cta.shared.b64 [ring], 64;\n" + copy64,
             take + load),
       roles(expect64 + copy64, take + load)},
      {"a copy that completes on the other barrier",
       roles(expect64 + "@leader cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                        "[ring+64], [d0], 64, [ring+8];\n",
             take + load),
       roles(expect64 + copy64, take + load)},
      {"a copy over what is still read",
       roles(expect64 + copy64 + expect64 + copy64, take + load + wait_for("ring", "1", "L_v")),
       roles(expect64 + copy64 + wait_for("ring+8", "0", "L_e") + "fence.proxy.async;\n" +
                 expect64 + copy64,
             take + load + empty + wait_for("ring", "1", "L_v"))},
      {"a kernel that leaves before a copy has come", roles(expect64 + copy64, ""),
       roles(expect64 + copy64, take)},
  };
}

std::vector<Attack> of_copies_out() {
  const std::string send =
      "@first cp.async.bulk.global.shared::cta.bulk_group [d0], [ring+64], 64;\n"
      "@first cp.async.bulk.commit_group;\n";
  const std::string read_over = "@first cp.async.bulk.wait_group.read 0;\n";
  const std::string over = "@first cp.async.bulk.wait_group 0;\n";
  const std::string ready = "@first st.shared.u32 [ring+64], 7;\nfence.proxy.async;\n";
  return {
      {"a kernel that leaves before a copy has read", ready + send, ready + send + read_over},
      {"a source that is stored to too early",
       ready + send + "@first st.shared.u32 [ring+64], 8;\n" + over,
       ready + send + over + "@first st.shared.u32 [ring+64], 8;\n"},
      {"a source that another thread stores to after the owner waited",
       ready + send + over + "setp.eq.u32 p2, tid, 33;\n@p2 st.shared.u32 [ring+64], 8;\n",
       ready + send + over +
           "bar.sync 0;\nsetp.eq.u32 p2, tid, 33;\n@p2 st.shared.u32 "
           "[ring+64], 8;\n"},
      {"a result that is loaded when only its source was read",
       ready + send + read_over + "@first ld.global.u32 r1, [d0];\n",
       ready + send + over + "@first ld.global.u32 r1, [d0];\n"},
      {"a group too few",
       ready + send + send +
           "@first cp.async.bulk.wait_group 1;\n"
           "@first st.shared.u32 [ring+64], 8;\n",
       ready + send + "@first cp.async.bulk.wait_group 0;\n@first st.shared.u32 [ring+64], 8;\n"},
      {"a group that is not committed", ready + send.substr(0, send.find(";\n") + 2) + over,
       ready + send + over},
      {"a store that no proxy fence hands on", "@first st.shared.u32 [ring+64], 7;\n" + send + over,
       ready + send + over},
      {"a proxy fence of the other space",
       "@first st.shared.u32 [ring+64], 7;\nfence.proxy.async.global;\n" + send + over,
       "@first st.shared.u32 [ring+64], 7;\nfence.proxy.async.shared::cta;\n" + send + over},
      {"a proxy fence before the store",
       "fence.proxy.async;\n@first st.shared.u32 [ring+64], 7;\n" + send + over,
       ready + send + over},
  };
}

std::vector<Attack> of_small_copies() {
  const std::string fetch = "cp.async.ca.shared.global [r0], [d1], 4;\ncp.async.commit_group;\n";
  const std::string places =
      "shl.b32 r2, tid, 2;\nmov.u32 r0, ring;\nadd.u32 r0, r0, r2;\ncvt.u64.u32 d1, r2;\n"
      "add.u64 d1, d0, d1;\nxor.b32 r3, r0, 128;\n";
  return {
      {"cp.async that is not waited for", places + fetch + "ld.shared.u32 r1, [r0];\n",
       places + fetch + "cp.async.wait_group 0;\nld.shared.u32 r1, [r0];\n"},
      {"cp.async, one group too few",
       places + fetch + "cp.async.wait_group 1;\nld.shared.u32 r1, [r0];\n",
       places + fetch +
           "cp.async.commit_group;\ncp.async.wait_group 1;\nld.shared.u32 r1, [r0];\n"},
      {"cp.async of another warp, without a barrier",
       places + fetch + "cp.async.wait_all;\nld.shared.u32 r1, [r3];\n",
       places + fetch + "cp.async.wait_all;\nbar.sync 0;\nld.shared.u32 r1, [r3];\n"},
      {"cp.async of another warp, waited for after the barrier",
       places + fetch + "bar.sync 0;\ncp.async.wait_all;\nld.shared.u32 r1, [r3];\n",
       places + fetch + "cp.async.wait_all;\nbar.sync 0;\nld.shared.u32 r1, [r3];\n"},
      {"cp.async whose arrival is counted as if it raised the count",
       roles("@leader cp.async.ca.shared.global [ring+64], [d0], 4;\n"
             "@leader cp.async.mbarrier.arrive.shared.b64 [ring];\n",
             take + load),
       roles("@leader cp.async.ca.shared.global [ring+64], [d0], 4;\n"
             "@leader cp.async.mbarrier.arrive.noinc.shared.b64 [ring];\n",
             take + load)},
  };
}

std::vector<Attack> of_other_barriers() {
  const std::string split = "setp.eq.u32 p0, warp, 1;\n@p0 bra L_consumer;\n";
  const auto part = [&](const std::string& first, const std::string& second) {
    return split + first + "bra L_end;\nL_consumer:\n" + second + "L_end:\n";
  };
  const std::string sync1 = "bar.sync 1, 64;\n", sync2 = "bar.sync 2, 64;\n";
  return {
      {"two barriers in two orders", part(sync1 + sync2, sync2 + sync1),
       part(sync1 + sync2, sync1 + sync2)},
      {"a barrier that one warp does not come to", part(sync1, ""), part(sync1, sync1)},
      {"two counts for one barrier", part("bar.sync 1, 64;\n", "bar.sync 1, 96;\n"),
       part(sync1, sync1)},
      {"an arrival too early", part("bar.arrive 1, 64;\nbar.arrive 1, 64;\n", sync1 + sync1),
       part("bar.arrive 1, 64;\nbar.sync 2, 64;\nbar.arrive 1, 64;\n", sync1 + sync2 + sync1)},
      {"a barrier between the wrong accesses", part(sync1 + store, sync1 + load),
       part(store + sync1, sync1 + load)},
      {"a leader that waits for its warp",
       roles(store + full, "@!leader bra L_go;\n" + take + "L_go:\n" + load),
       roles(store + full, "@!leader bra L_go;\n" + take + "L_go:\n" + meet + load)},
      {"a warp that leaves is no release", part(store, "bar.sync 0;\n" + load),
       part(store + "bar.sync 0;\n", "bar.sync 0;\n" + load)},
      {"the same, where the other comes first", part("bar.sync 0;\n" + load, store),
       part("bar.sync 0;\n" + load, store + "bar.sync 0;\n")},
      {"a lane that is not in the mask", "@leader bar.warp.sync 0xfffffffe;\n",
       "@leader bar.warp.sync 1;\n"},
      {"a mask that waits for lanes that go elsewhere",
       roles("", "@leader bra L_end;\nbar.warp.sync 0xffffffff;\n@!leader bar.sync 1, 96;\n"),
       roles("", "bar.warp.sync 0xffffffff;\n")},
      {"lanes without an order",
       "@leader st.shared.u32 [ring+64], 7;\n" + load,
       "@leader st.shared.u32 [ring+64], 7;\n" + meet + load,
       {.threads = 32}},
  };
}

// Of two CTAs of a cluster.
struct Pair {
  std::string ranks =
      "mov.u32 r4, %cluster_ctarank;\nxor.b32 r5, r4, 1;\nmov.u32 r6, ring;\n"
      "mapa.shared::cluster.u32 r6, r6, r5;\nsetp.eq.u32 p4, r4, 0;\nand.pred p5, p4, first;\n";
  std::string init = "@first mbarrier.init.shared.b64 [ring], 1;\n";
  std::string fenced = init + "fence.mbarrier_init.release.cluster;\n";
  std::string all = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  std::string relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
  std::string arrive = "@first mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r6];\n";
  std::string wait =
      "L_w: mbarrier.try_wait.parity.acquire.cluster.shared.b64 p1, [ring], 0;\n@!p1 bra L_w;\n";
  std::string many =
      "@first mbarrier.arrive.expect_tx.shared.b64 _, [ring], 64;\n@!p5 bra L_sent;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[ring+64], [d0], 64, [ring], 3;\nL_sent:\n";
  SmallLaunch two{.ctas = 2, .cluster = 2};
};

std::vector<Attack> of_clusters() {
  const auto [ranks, init, fenced, all, relaxed, arrive, wait, many, two] = Pair();
  return {
      {"an arrival on a barrier that may not be made", ranks + init + arrive + wait + all,
       ranks + init + all + arrive + wait + all, two},
      {"a barrier that nothing makes visible", ranks + init + relaxed + arrive + wait + all,
       ranks + fenced + relaxed + arrive + wait + all, two},
      {"a CTA that leaves before it is arrived at", ranks + fenced + relaxed + arrive,
       ranks + fenced + relaxed + arrive + all, two},
      {"a CTA that leaves when it has arrived, and does not wait",
       ranks + fenced + relaxed + arrive + "barrier.cluster.arrive;\n",
       ranks + fenced + relaxed + arrive + all, two},
      {"a CTA that leaves before it is stored to",
       ranks + all + "@first st.shared::cluster.u32 [r6+64], 1;\n",
       ranks + all + "@first st.shared::cluster.u32 [r6+64], 1;\n" + all, two},
      {"a CTA that leaves before it is loaded from",
       ranks + all + "@first ld.shared::cluster.u32 r1, [r6+64];\n",
       ranks + all + "@first ld.shared::cluster.u32 r1, [r6+64];\n" + all, two},
      {"a CTA that leaves before a multicast has come to it",
       ranks + fenced + all + many + "@!p4 bra L_out;\n" + wait + "L_out:\n",
       ranks + fenced + all + many + wait, two},
      {"a multicast to a barrier that may not be made", ranks + fenced + many + wait + all,
       ranks + fenced + all + many + wait + all, two},
      {"a multicast that one CTA does not expect",
       ranks + fenced + all + "@p5 mbarrier.arrive.expect_tx.shared.b64 _, [ring], 64;\n" +
           many.substr(many.find('\n') + 1) + wait + all,
       ranks + fenced + all + many + wait + all, two},
      {"a cluster's barrier that one CTA does not come to",
       ranks + "@!p4 bra L_out;\n" + all +
           "L_poll: ld.relaxed.gpu.global.u32 r1, [d0];\n"
           "setp.eq.u32 p1, r1, 1;\n@!p1 bra L_poll;\nL_out:\n",
       ranks + all, two},
      {"a store across the cluster without a barrier",
       ranks + all +
           "@first st.shared::cluster.u32 [r6+64], 1;\n@first ld.shared.u32 r1, "
           "[ring+64];\n" +
           all,
       ranks + all + "@first st.shared::cluster.u32 [r6+64], 1;\n" + all +
           "@first ld.shared.u32 r1, [ring+64];\n",
       two},
      {"st.async that is not expected",
       ranks + fenced + all +
           "@first mbarrier.arrive.shared.b64 _, [ring];\n"
           "@first st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r6+64], 7, [r6];\n" +
           wait + "ld.shared.u32 r1, [ring+64];\n" + all,
       ranks + fenced + all +
           "@first mbarrier.arrive.expect_tx.shared.b64 _, [ring], 4;\n"
           "@first st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r6+64], 7, [r6];\n" +
           wait + "ld.shared.u32 r1, [ring+64];\n" + all,
       two},
  };
}

std::vector<Attack> of_schedules() {
  const auto flag = [](const std::string& raise, const std::string& poll,
                       const std::string& after) {
    return "@first st.shared.u32 [ring], 0;\nbar.sync 0;\nsetp.eq.u32 p0, warp, 1;\n"
           "@p0 bra L_consumer;\n" +
           store + raise + "bra L_end;\nL_consumer:\nL_poll: " + poll +
           " r1, [ring];\nsetp.eq.u32 p1, r1, 1;\n@!p1 bra L_poll;\n" + after + load + "L_end:\n";
  };
  const std::string raise = "@leader st.release.cta.shared.u32 [ring], 1;\n";
  const std::string right = flag(raise, "ld.acquire.cta.shared.u32", "");
  return {
      {"a flag that is raised and lowered",
       flag(raise + "@leader st.release.cta.shared.u32 [ring], 0;\n", "ld.acquire.cta.shared.u32",
            ""),
       right},
      {"a flag that is polled by a plain load", flag(raise, "ld.shared.u32", ""), right},
      {"a flag that another store raises, too",
       flag("@first st.release.cta.shared.u32 [ring], 1;\nbar.warp.sync 0xffffffff;\n" + store +
                raise,
            "ld.acquire.cta.shared.u32", ""),
       right},
      {"a test that decides whether to load",
       roles(store + full, "mbarrier.test_wait.parity.shared.b64 p1, [ring], 0;\n@p1 " + load),
       roles(store + full, take + load)},
      {"a wait that gives up",
       roles(store + full,
             "mov.u32 r2, 0;\nL_w: mbarrier.try_wait.parity.shared.b64 p1, [ring], 0;\n"
             "add.u32 r2, r2, 1;\nsetp.gt.u32 p2, r2, 5;\n@p2 bra L_out;\n@!p1 bra L_w;\nL_out:\n" +
                 load),
       roles(store + full, take + load)},
      {"a clock that decides who arrives",
       roles(store + "mov.u32 r2, %clock;\nand.b32 r2, r2, 1;\nsetp.eq.u32 p2, r2, 0;\n"
                     "@p2 mbarrier.arrive.shared.b64 _, [ring];\n",
             ""),
       roles(store + full, take + load)},
      {"a ticket that several threads draw",
       "@leader atom.global.add.u32 r1, [d0], 1;\nsetp.eq.u32 p2, r1, 1;\n@p2 bra L_end;\n"
       "bar.sync 0;\nL_end:\n",
       "@first atom.global.add.u32 r1, [d0], 1;\nbar.sync 0;\n"},
      {"an address that a racing load gives",
       flag(raise, "ld.acquire.cta.shared.u32", "") +
           "ld.relaxed.cta.shared.u32 r2, [ring];\nmov.u32 r3, ring;\nadd.u32 r3, r3, r2;\n"
           "st.shared.u8 [r3+128], r2;\n",
       right},
      {"the state of another phase",
       roles("@leader mbarrier.arrive.shared.b64 d1, [ring];\n"
             "L_s: mbarrier.try_wait.shared.b64 p1, [ring], d2;\n@!p1 bra L_s;\n",
             take, "1"),
       roles("@!leader bra L_s2;\nmbarrier.arrive.shared.b64 d1, [ring];\n"
             "L_s: mbarrier.try_wait.shared.b64 p1, [ring], d1;\n@!p1 bra L_s;\nL_s2:\n",
             take, "1")},
  };
}

TEST(RunAttacks, AreNotProvedAndRepairedAre) {
  std::vector<Attack> all;
  for (const auto& some : {of_mbarriers(), of_retries(), of_values(), of_copies(), of_copies_out(),
                           of_small_copies(), of_other_barriers(), of_clusters(), of_schedules()})
    all.insert(all.end(), some.begin(), some.end());
  EXPECT_GE(all.size(), 70U);
  for (const Attack& one : all) {
    const auto broken = run_small(one.broken, one.launch);
    EXPECT_FALSE(found_by(broken).empty() && broken.ended) << one.what;
    for (std::uint32_t seed = 0; seed <= 5; ++seed) {
      SmallLaunch launch = one.launch;
      launch.seed = seed;
      const auto repaired = run_small(one.repaired, launch);
      EXPECT_EQ(found_by(repaired), std::vector<std::string>{}) << one.what << " " << seed;
      EXPECT_TRUE(repaired.ended) << one.what << " " << seed;
    }
  }
}

}  // namespace
}  // namespace phasebit::test
