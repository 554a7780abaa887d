#include "tests/ptx/run/messages.h"

#include <regex>

#include <fmt/format.h>

namespace phasebit::test {
namespace {

using Roles = Message::Roles;

constexpr const char* race = "race";
constexpr const char* no_proxy_fence = "missing proxy fence";

// By hand from the PTX ISA, chapter 8 (memory consistency model): 8.5 scopes, 8.7 proxies, 8.8.1
// morally strong operations, 8.9.2 release and acquire patterns, 8.9.5 and 8.9.6 causality and
// proxy-preserved causality order. Barriers and copies: 9.7.9 and 9.7.13.

// Flag and data are in global memory, where the host has put zeros.
Message flag_message(const std::string& before, const std::string& raise, const std::string& poll,
                     const std::string& after) {
  Message made;
  made.family = "flags";
  made.write = "st.global.u32 [d0+1024], $v;\n";
  made.signal = before + raise;
  made.wait = "L_poll: " + poll + " r1, [d0];\nsetp.eq.u32 p1, r1, $v;\n@!p1 bra L_poll;\n" + after;
  made.read = "ld.global.u32 r2, [d0+1024];\n";
  return made;
}

// At each place: ordered for a thread of the same CTA, of the same cluster, of another cluster.
void add_at_all(std::vector<Message>& all, Message message, bool cta, bool cluster, bool grid) {
  const bool ordered[] = {cta, cta, cluster, grid};
  for (const Place place : {Place::warp, Place::cta, Place::cluster, Place::grid}) {
    message.place = place;
    message.finding = ordered[static_cast<int>(place)] ? "" : race;
    all.push_back(message);
  }
}

struct FlagRow {
  const char *section, *before, *raise, *poll, *after;
  bool cta, cluster, grid;
};

void add_flag(std::vector<Message>& all, const FlagRow& row) {
  Message made = flag_message(row.before, fmt::format("st.{}.global.u32 [d0], $v;\n", row.raise),
                              fmt::format("ld.{}.global.u32", row.poll), row.after);
  made.section = row.section;
  add_at_all(all, std::move(made), row.cta, row.cluster, row.grid);
}

// A release and then a strong store to the same location; a strong load of it and then an acquire.
// The store and the load, and the release and the acquire, are morally strong.
void add_flags_of_two(std::vector<Message>& all) {
  const FlagRow rows[] = {
      {"8.9.2", "st.release.gpu.global.u32 [d0], $u;\n", "relaxed.gpu", "acquire.gpu", "", true,
       true, true},
      {"8.9.2", "", "release.gpu", "relaxed.gpu", "ld.acquire.gpu.global.u32 r2, [d0];\n", true,
       true, true},
      {"8.9.2", "st.release.gpu.global.u32 [d0], $u;\n", "volatile", "relaxed.gpu",
       "ld.acquire.gpu.global.u32 r2, [d0];\n", true, true, true},
      {"8.5", "st.release.cta.global.u32 [d0], $u;\n", "relaxed.gpu", "acquire.gpu", "", true,
       false, false},
      {"8.5", "", "release.gpu", "relaxed.gpu", "ld.acquire.cta.global.u32 r2, [d0];\n", true,
       false, false},
      {"8.8.1", "st.release.gpu.global.u32 [d0], $u;\n", "relaxed.cta", "acquire.gpu", "", true,
       false, false},
      {"8.9.2", "st.release.gpu.global.u32 [d0+4], $u;\n", "relaxed.gpu", "acquire.gpu", "", false,
       false, false},
      {"8.9.2", "", "release.gpu", "relaxed.gpu", "ld.acquire.gpu.global.u32 r2, [d0+4];\n", false,
       false, false}};
  for (const FlagRow& row : rows) add_flag(all, row);
}

void add_flags(std::vector<Message>& all) {
  const FlagRow rows[] = {
      // A release and an acquire on one location; both scopes hold both threads.
      {"8.9.2", "", "release.cta", "acquire.cta", "", true, false, false},
      {"8.9.2", "", "release.cluster", "acquire.cluster", "", true, true, false},
      {"8.9.2", "", "release.gpu", "acquire.gpu", "", true, true, true},
      {"8.9.2", "", "release.sys", "acquire.gpu", "", true, true, true},
      {"8.5", "", "release.gpu", "acquire.cta", "", true, false, false},
      {"8.5", "", "release.cta", "acquire.gpu", "", true, false, false},
      {"8.5", "", "release.cluster", "acquire.gpu", "", true, true, false},
      {"8.5", "", "release.gpu", "acquire.cluster", "", true, true, false},
      // A fence before or after a strong access is a pattern of the fence's scope.
      {"8.9.2", "fence.acq_rel.gpu;\n", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.gpu;\n", true,
       true, true},
      {"8.9.2", "fence.sc.gpu;\n", "relaxed.gpu", "relaxed.gpu", "fence.sc.gpu;\n", true, true,
       true},
      {"8.9.2", "membar.gl;\n", "volatile", "volatile", "membar.gl;\n", true, true, true},
      {"8.5", "membar.cta;\n", "volatile", "volatile", "membar.gl;\n", true, false, false},
      {"8.5", "membar.gl;\n", "volatile", "volatile", "membar.cta;\n", true, false, false},
      {"8.5", "fence.acq_rel.cta;\n", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.gpu;\n", true,
       false, false},
      {"8.5", "fence.acq_rel.gpu;\n", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.cta;\n", true,
       false, false},
      {"8.5", "fence.acq_rel.cluster;\n", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.cluster;\n",
       true, true, false},
      {"8.8.1", "fence.acq_rel.gpu;\n", "relaxed.cta", "relaxed.gpu", "fence.acq_rel.gpu;\n", true,
       false, false},
      {"8.8.1", "fence.acq_rel.gpu;\n", "relaxed.gpu", "relaxed.cta", "fence.acq_rel.gpu;\n", true,
       false, false},
      {"8.9.2", "fence.acq_rel.gpu;\n", "relaxed.gpu", "acquire.gpu", "", true, true, true},
      {"8.9.2", "", "release.gpu", "relaxed.gpu", "fence.acq_rel.gpu;\n", true, true, true},
      // No pattern on one side.
      {"8.9.2", "", "relaxed.gpu", "acquire.gpu", "", false, false, false},
      {"8.9.2", "", "release.gpu", "relaxed.gpu", "", false, false, false},
      {"8.9.2", "", "relaxed.gpu", "relaxed.gpu", "", false, false, false},
      {"8.9.2", "fence.acq_rel.gpu;\n", "relaxed.gpu", "relaxed.gpu", "", false, false, false},
      {"8.9.2", "", "relaxed.gpu", "relaxed.gpu", "fence.acq_rel.gpu;\n", false, false, false},
      {"8.9.6", "fence.proxy.async;\n", "relaxed.gpu", "acquire.gpu", "", false, false, false},
      // A weak store is not part of a pattern, whatever fence is before it.
      {"8.8.1", "fence.acq_rel.gpu;\n", "weak", "acquire.gpu", "", false, false, false}};
  for (const FlagRow& row : rows) add_flag(all, row);
  add_flags_of_two(all);
}

// Atomics raise flags, too; of the GPU's scope and relaxed where they name neither (9.7.13, atom).
void add_atomics(std::vector<Message>& all) {
  const struct {
    const char *before, *raise;
    bool cta, cluster, grid;
  } rows[] = {{"", "red.release.gpu.global.add.u32 [d0], 1;\n", true, true, true},
              {"", "atom.release.gpu.global.exch.b32 r3, [d0], $v;\n", true, true, true},
              {"", "atom.acq_rel.gpu.global.cas.b32 r3, [d0], $u, $v;\n", true, true, true},
              {"", "red.global.add.u32 [d0], 1;\n", false, false, false},
              {"fence.acq_rel.gpu;\n", "red.global.add.u32 [d0], 1;\n", true, true, true},
              {"fence.acq_rel.cta;\n", "red.global.add.u32 [d0], 1;\n", true, false, false},
              {"", "red.release.cta.global.add.u32 [d0], 1;\n", true, false, false}};
  for (const auto& row : rows) {
    Message made = flag_message(row.before, row.raise, "ld.acquire.gpu.global.u32", "");
    made.family = "atomics";
    made.section = "9.7.13, 8.9.2";
    add_at_all(all, std::move(made), row.cta, row.cluster, row.grid);
  }
}

std::string wait_for(const std::string& words) {
  return "L_w: mbarrier.try_wait.parity" + words + ".shared.b64 p1, [ring], $p;\n@!p1 bra L_w;\n";
}

const std::string made_by_first =
    "@!first bra L_made;\nmbarrier.init.shared.b64 [ring], 1;\nL_made:\nbar.sync 0;\n";

// All of warp 0 store to shared memory and signal, all of warp 1 wait and load.
Message between_warps(const std::string& signal, const std::string& wait, bool is_ordered) {
  Message made;
  made.roles = Roles::warps;
  made.setup = made_by_first;
  made.write = "@first st.shared.u32 [ring+64], $v;\n";
  made.signal = signal;
  made.wait = wait;
  made.read = "@leader ld.shared.u32 r2, [ring+64];\n";
  made.finding = is_ordered ? "" : race;
  return made;
}

void add_barriers_of_a_cta(std::vector<Message>& all) {
  const auto arrive = [](const std::string& words) {
    return "@first mbarrier.arrive" + words + ".shared.b64 _, [ring];\n";
  };
  const auto wait = wait_for;
  const std::string fence = "fence.acq_rel.cta;\n", wide = "fence.acq_rel.gpu;\n";
  const std::string arrive_cluster = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  const std::string relaxed_cluster = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
  const struct {
    const char* section;
    std::string signal, wait;
    bool is_ordered;
  } rows[] = {// Arrivals release and waits acquire unless they say otherwise (9.7.13.15).
              {"9.7.13.15", arrive(""), wait(""), true},
              {"9.7.13.15", arrive(".release.cta"), wait(".acquire.cta"), true},
              {"9.7.13.15", arrive(".release.cluster"), wait(".acquire.cluster"), true},
              {"9.7.13.15", arrive(".relaxed.cta"), wait(""), false},
              {"9.7.13.15", arrive(""), wait(".relaxed.cta"), false},
              {"8.9.2", fence + arrive(".relaxed.cta"), wait(""), true},
              {"8.9.2", wide + arrive(".relaxed.cta"), wait(""), true},
              {"8.9.2", arrive(""), wait(".relaxed.cta") + fence, true},
              {"8.9.2", fence + arrive(".relaxed.cta"), wait(".relaxed.cta") + fence, true},
              {"8.9.2", arrive(".relaxed.cta") + fence, wait(""), false},
              {"8.9.2", arrive(""), fence + wait(".relaxed.cta"), false},
              {"8.9.6", "fence.proxy.async;\n" + arrive(".relaxed.cta"), wait(""), false},
              {"9.7.13.4", "fence.mbarrier_init.release.cluster;\n" + arrive(".relaxed.cta"),
               wait(""), false},
              // What has no barrier in between.
              {"8.9.5", "", "", false},
              {"8.9.5", fence, fence, false},
              // bar orders the memory of those that take part, bar.arrive releases (9.7.13.1).
              {"9.7.13.1", "bar.sync 1, 64;\n", "bar.sync 1, 64;\n", true},
              {"9.7.13.1", "bar.arrive 1, 64;\n", "bar.sync 1, 64;\n", true},
              {"9.7.13.1", "bar.sync 0;\n", "bar.sync 0;\n", true},
              {"9.7.13.3", arrive_cluster, arrive_cluster, true},
              {"9.7.13.3", relaxed_cluster, arrive_cluster, false},
              {"9.7.13.3", "fence.acq_rel.cluster;\n" + relaxed_cluster, relaxed_cluster, true}};
  for (const auto& row : rows) {
    Message made = between_warps(row.signal, row.wait, row.is_ordered);
    made.family = "barriers of a CTA";
    made.section = row.section;
    all.push_back(std::move(made));
  }
  // Lanes of a warp.
  Message lanes;
  lanes.family = "barriers of a CTA";
  lanes.section = "9.7.13.2";
  lanes.place = Place::warp;
  lanes.roles = Roles::all;
  lanes.setup = "setp.eq.u32 p4, tid, 1;\n";
  lanes.write = "@first st.shared.u32 [ring+64], $v;\n";
  lanes.signal = "bar.warp.sync 0xffffffff;\n";
  lanes.read = "@p4 ld.shared.u32 r2, [ring+64];\n";
  lanes.reader = "p4";
  all.push_back(std::move(lanes));
}

const std::string other_cta =
    "mov.u32 r4, %cluster_ctarank;\nxor.b32 r5, r4, 1;\nmov.u32 r6, ring;\n"
    "mapa.shared::cluster.u32 r6, r6, r5;\n";
const std::string one_barrier_each =
    other_cta +
    "@first mbarrier.init.shared.b64 [ring], 1;\nfence.mbarrier_init.release.cluster;\n"
    "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
const std::string meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

// Each CTA of a cluster stores to the other's shared memory, and then loads from its own.
void add_across_a_cluster(std::vector<Message>& all) {
  const auto by = [](const std::string& arrive, const std::string& wait) {
    return "@first mbarrier.arrive" + arrive + ".shared::cluster.b64 _, [r6];\n" + wait_for(wait);
  };
  const std::string relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
  const struct {
    const char* section;
    std::string signal;
    bool is_ordered;
  } rows[] = {
      {"9.7.13.3", meet, true},
      {"9.7.13.3", relaxed, false},
      {"8.9.2", "fence.acq_rel.cluster;\n" + relaxed, true},
      {"8.5", "fence.acq_rel.cta;\n" + relaxed, false},
      {"9.7.13.4", "fence.mbarrier_init.release.cluster;\n" + relaxed, false},
      {"9.7.13.1", "bar.sync 0;\n", false},
      {"9.7.13.15", by(".release.cluster", ".acquire.cluster"), true},
      {"9.7.13.15", by(".relaxed.cluster", ".acquire.cluster"), false},
      {"9.7.13.15", by(".release.cluster", ".relaxed.cluster"), false},
      {"8.9.2", "fence.acq_rel.cluster;\n" + by(".relaxed.cluster", ".acquire.cluster"), true},
      {"8.5", "fence.acq_rel.cta;\n" + by(".relaxed.cluster", ".acquire.cluster"), false},
      {"8.9.2", by(".release.cluster", ".relaxed.cluster") + "fence.acq_rel.cluster;\n", true}};
  for (const auto& row : rows) {
    Message made;
    made.family = "across a cluster";
    made.section = row.section;
    made.place = Place::cluster;
    made.roles = Roles::all;
    made.setup = one_barrier_each;
    made.write = "@first st.shared::cluster.u32 [r6+64], $v;\n";
    made.signal = row.signal;
    made.read = "@first ld.shared.u32 r2, [ring+64];\n";
    made.finding = row.is_ordered ? "" : race;
    all.push_back(std::move(made));
  }
}

// What the generic proxy stores and a bulk copy reads or overwrites: 8.7, and 9.7.13.4 for the
// state spaces that a proxy fence names.
void add_proxies(std::vector<Message>& all) {
  const std::string from_shared =
      "@first cp.async.bulk.global.shared::cta.bulk_group [d0], [ring], 64;\n"
      "@first cp.async.bulk.commit_group;\n@first cp.async.bulk.wait_group.read 0;\n";
  const std::string into_shared =
      "@first mbarrier.arrive.expect_tx.shared.b64 _, [ring+512], 64;\n"
      "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [ring], [d0], 64, "
      "[ring+512];\nbar.sync 0;\nL_w: mbarrier.try_wait.parity.shared.b64 p1, [ring+512], $p;\n"
      "@!p1 bra L_w;\n";
  const std::string shared = "st.shared.u32 [ring], $v;\n", global = "st.global.u32 [d0], $v;\n";
  const std::string own = "@first ", other = "setp.eq.u32 p2, tid, 32;\n@p2 ",
                    sync = "bar.sync 0;\n", fence = "fence.proxy.async";
  const struct {
    std::string before, copy;
    bool is_ordered;
  } rows[] = {{own + shared, from_shared, false},
              {own + shared + fence + ";\n", from_shared, true},
              {own + shared + fence + ".shared::cta;\n", from_shared, true},
              {own + shared + fence + ".shared::cluster;\n", from_shared, true},
              {own + shared + fence + ".global;\n", from_shared, false},
              {own + shared + "fence.acq_rel.gpu;\n", from_shared, false},
              {fence + ";\n" + own + shared, from_shared, false},
              // Anywhere on the path from one thread to the other.
              {other + shared + sync, from_shared, false},
              {other + shared + fence + ".shared::cta;\n" + sync, from_shared, true},
              {other + shared + sync + fence + ".shared::cta;\n", from_shared, true},
              {other + shared + fence + ".global;\n" + sync, from_shared, false},
              {"@first " + fence + ";\n" + other + shared + sync, from_shared, false},
              // A copy overwrites what is stored: what it brings counts.
              {own + shared, into_shared, false},
              {own + shared + fence + ".shared::cta;\n", into_shared, true},
              // Of global memory.
              {own + global, into_shared, false},
              {own + global + fence + ".shared::cta;\n", into_shared, false},
              {own + global + fence + ".global;\n", into_shared, true},
              {own + global + fence + ";\n", into_shared, true},
              {other + global + fence + ".global;\n" + sync, into_shared, true},
              {other + global + fence + ".shared::cluster;\n" + sync, into_shared, false}};
  for (const auto& row : rows) {
    Message made;
    made.family = "proxies";
    made.section = "8.7, 9.7.13.4";
    made.place = row.before.find(other) == std::string::npos ? Place::warp : Place::cta;
    made.roles = Roles::all;
    made.setup =
        "@first mbarrier.init.shared.b64 [ring+512], 1;\n"
        "fence.mbarrier_init.release.cluster;\n";
    made.write = row.before;
    made.signal = row.copy;
    made.read =
        row.copy == from_shared
            ? "@first cp.async.bulk.wait_group 0;\n@first ld.volatile.global.u32 r2, [d0];\n"
            : "@first ld.shared.u32 r2, [ring];\n";
    if (row.copy == into_shared && row.before.find(shared) != std::string::npos)
      made.expected = "0";
    made.finding = row.is_ordered ? "" : no_proxy_fence;
    made.reads_before = false;
    all.push_back(std::move(made));
  }
}

// The other CTA stores to this one's shared memory; who fences, and for which space.
void add_proxies_across_a_cluster(std::vector<Message>& all) {
  const std::string copy =
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
  for (const auto& row : rows) {
    Message made;
    made.family = "proxies across a cluster";
    made.section = "8.7, 9.7.13.4";
    made.place = Place::cluster;
    made.roles = Roles::all;
    made.setup =
        other_cta + "cvt.u64.u32 d1, r4;\nshl.b64 d1, d1, 6;\nadd.u64 d1, d0, d1;\n" + meet;
    made.write = "@first st.shared::cluster.u32 [r6], $v;\n";
    made.signal = row.writer + meet + row.reader + copy;
    made.read = "@first cp.async.bulk.wait_group 0;\n@first ld.volatile.global.u32 r2, [d1];\n";
    made.finding = row.is_ordered ? "" : no_proxy_fence;
    made.reads_before = false;
    all.push_back(std::move(made));
  }
}

// Copies that another thread hears of. cp.async is of the generic proxy (9.7.9.25.3); a bulk copy's
// and st.async's bytes are complete with a release at the cluster's scope (9.7.9.25.4, 9.7.9.12).
void add_completions(std::vector<Message>& all) {
  const std::string fresh = "@first st.global.u32 [d0+1024], $v;\n";
  const std::string copy = fresh + "@first cp.async.ca.shared.global [ring+64], [d0+1024], 4;\n";
  const std::string group = "cp.async.commit_group;\n", ended = "cp.async.wait_group 0;\n";
  const std::string arrive = "@first mbarrier.arrive.shared.b64 _, [ring];\n";
  const std::string noinc = "@first cp.async.mbarrier.arrive.noinc.shared.b64 [ring];\n";
  const std::string sync = "bar.sync 1, 64;\n", fence = "fence.acq_rel.cta;\n";
  const std::string relaxed = wait_for(".relaxed.cta");
  const std::string bulk =
      "@first st.global.u32 [d0+1024], $v;\nfence.proxy.async.global;\n"
      "@first mbarrier.arrive.expect_tx.shared.b64 _, [ring], 16;\n"
      "@first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [ring+64], [d0+1024], "
      "16, [ring];\n";
  const auto by_hand = [](const std::string& before) {
    return "@first mbarrier.arrive.expect_tx.relaxed.cta.shared.b64 _, [ring], 16;\n"
           "@first st.shared.u32 [ring+64], $v;\n" +
           before + "@first mbarrier.complete_tx.relaxed.cta.shared.b64 [ring], 16;\n";
  };
  const struct {
    const char* section;
    std::string signal, wait;
    bool is_ordered;
  } rows[] = {{"9.7.13.15.16", copy + noinc, wait_for(""), true},
              {"9.7.13.15.16", copy + noinc, relaxed, false},
              {"9.7.9.25.3", copy + group + ended + arrive, wait_for(""), true},
              {"9.7.9.25.3", copy + "cp.async.wait_all;\n" + arrive, wait_for(""), true},
              {"9.7.9.25.3", copy + group + arrive, wait_for(""), false},
              {"9.7.9.25.3", copy + group + ended + sync, sync, true},
              {"9.7.9.25.3", copy + group + sync, sync, false},
              {"9.7.9.25.4", bulk, wait_for(""), true},
              {"9.7.9.25.4", bulk, wait_for(".acquire.cta"), true},
              {"9.7.9.25.4", bulk, relaxed + fence, true},
              {"9.7.9.25.4", bulk, relaxed, false},
              {"9.7.13.15", by_hand(""), wait_for(""), false},
              {"9.7.13.15", by_hand(fence), wait_for(""), true}};
  for (const auto& row : rows) {
    Message made = between_warps(row.signal, row.wait, row.is_ordered);
    made.family = "completions";
    made.section = row.section;
    made.write.clear();
    made.reads_before = false;
    all.push_back(std::move(made));
  }
}

// st.async to the other CTA, which expects it. Whether its arrival, which is of the cluster's
// scope, is made by a thread of that CTA the manual leaves open; CUTLASS waits at CTA scope.
void add_async_stores(std::vector<Message>& all) {
  const struct {
    std::string wait;
    bool is_ordered;
  } waits[] = {{wait_for(".acquire.cluster"), true},
               {wait_for(".relaxed.cluster") + "fence.acq_rel.cluster;\n", true},
               {wait_for(".acquire.cta"), true},
               {wait_for(".relaxed.cluster"), false}};
  for (const auto& [wait, is_ordered] : waits) {
    Message made;
    made.family = "completions";
    made.section = "9.7.9.12";
    made.place = Place::cluster;
    made.roles = Roles::all;
    made.setup = one_barrier_each;
    made.signal =
        "@first mbarrier.arrive.expect_tx.shared.b64 _, [ring], 4;\n"
        "@first st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r6+64], $v, [r6];\n" +
        wait;
    made.read = "@first ld.shared.u32 r2, [ring+64];\n";
    made.finding = is_ordered ? "" : race;
    made.reads_before = false;
    all.push_back(std::move(made));
  }
}

// A bulk store, whose writes its thread waits for before it raises a flag, and whose reads alone.
void add_bulk_stores(std::vector<Message>& all) {
  for (const char* read : {"", ".read"}) {
    Message made = flag_message(
        "st.shared.u32 [ring+64], $v;\nfence.proxy.async.shared::cta;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [d0+1024], [ring+64], 16;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group" +
            std::string(read) + " 0;\n",
        "st.release.gpu.global.u32 [d0], $v;\n", "ld.acquire.gpu.global.u32", "");
    made.family = "completions";
    made.section = "9.7.9.25.4";
    made.write.clear();
    const bool is_ordered = *read == 0;
    add_at_all(all, std::move(made), is_ordered, is_ordered, is_ordered);
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), to);
  return text;
}

std::string roles_of(const Message& message) {
  if (message.roles == Roles::warps) return "setp.eq.u32 p2, warp, 0;\nsetp.eq.u32 p3, warp, 1;\n";
  if (message.roles == Roles::all) return "";
  if (ctas_of(message.place) == 1)
    return fmt::format("mov.pred p2, first;\nsetp.eq.u32 p3, tid, {};\n",
                       message.place == Place::warp ? 1 : 32);
  return "mov.u32 r8, %ctaid.x;\nand.b32 r8, r8, 1;\nsetp.eq.u32 p2, r8, 0;\n"
         "and.pred p2, p2, first;\nsetp.eq.u32 p3, r8, 1;\nand.pred p3, p3, first;\n";
}

// One message. `after` comes after the read, in the reader.
std::string body_of(const Message& message, const std::string& before, const std::string& after) {
  const std::string write = message.write + message.signal;
  const std::string read = message.wait + message.read + after;
  if (message.roles == Roles::all) return before + write + read;
  return "@p2 bra L_writer;\n@p3 bra L_reader;\nbra L_end;\nL_writer:\n" + write +
         "bra L_end;\nL_reader:\n" + before + read + "L_end:\n";
}

// How those of a kernel meet after each message.
std::string end_of(const Message& message) {
  if (message.place == Place::cluster) return meet;
  if (message.place != Place::grid) return "bar.warp.sync 0xffffffff;\nbarrier.sync 15;\n";
  // The reader says when it has read.
  return "@p3 st.release.gpu.global.u32 [d0+2048], $v;\n@!p2 bra L_seen;\n"
         "L_ack: ld.acquire.gpu.global.u32 r10, [d0+2048];\nsetp.eq.u32 p1, r10, $v;\n"
         "@!p1 bra L_ack;\nL_seen:\n";
}

// A wait that gives up.
std::string bounded(const std::string& text) {
  static const std::regex again(R"(@!p1 bra (\w+);\n)");
  return std::regex_replace(text, again,
                            "@p1 bra $1_over;\nadd.u32 tries, tries, 1;\n"
                            "setp.lt.u32 again, tries, most;\n@again bra $1;\n"
                            "add.u32 lost, lost, 1;\nmov.u32 most, 1;\n$1_over:\n");
}

std::string reader_of(const Message& message) {
  return message.roles == Roles::all     ? message.reader
         : message.roles == Roles::warps ? "leader"
                                         : "p3";
}

std::string looped(const Message& message, const std::string& entry) {
  const std::string reader = reader_of(message);
  const std::string check = fmt::format(
      "setp.ne.u32 again, r2, {};\n@again add.u32 fresh, stale, 1;\n@!again mov.u32 fresh, stale;\n"
      "setp.eq.u32 again, lost, lost_before;\n@again mov.u32 stale, fresh;\n",
      message.expected);
  // Its value goes where ptxas cannot leave it out.
  const std::string before =
      message.reads_before ? replaced(message.read, "r2", "r9") + "xor.b32 sink, sink, r9;\n" : "";
  std::string body = roles_of(message) + body_of(message, before, check) + end_of(message);
  body = replaced(replaced(replaced(bounded(body), "$v", "value"), "$u", "round"), "$p", "parity");
  const bool is_pair = ctas_of(message.place) == 2;
  return ".visible .entry " + entry +
         "(.param .u64 out, .param .u64 counts, .param .u32 rounds)\n{\n"
         ".shared .align 128 .b8 ring[1024];\n"
         ".reg .b32 tid, lane, warp, cta, stale, fresh, lost, lost_before, tries, most, sink, "
         "round, rounds_left, value, parity, r<16>;\n.reg .b64 d<8>, sums;\n"
         ".reg .pred p<8>, leader, first, again, counts_for;\n"
         "mov.u32 tid, %tid.x;\nand.b32 lane, tid, 31;\nshr.u32 warp, tid, 5;\n"
         "setp.eq.u32 leader, lane, 0;\nsetp.eq.u32 first, tid, 0;\n"
         "ld.param.u64 d0, [out];\nld.param.u64 sums, [counts];\n"
         "ld.param.u32 rounds_left, [rounds];\nmov.u32 cta, %ctaid.x;\n" +
         (is_pair ? "shr.u32 cta, cta, 1;\n" : "") +
         "mul.wide.u32 d7, cta, 4096;\nadd.u64 d0, d0, d7;\n" +
         "mov.u32 stale, 0;\nmov.u32 lost, 0;\nmov.u32 most, 1000000;\nmov.u32 round, 0;\n"
         "mov.u32 sink, 0;\nmov.u32 r2, 0;\nmov.u32 r9, 0;\n" +
         message.setup +
         "L_round:\nadd.u32 value, round, 1;\nand.b32 parity, round, 1;\n"
         "mov.u32 lost_before, lost;\nmov.u32 tries, 0;\n" +
         body +
         "add.u32 round, round, 1;\nsetp.lt.u32 again, round, rounds_left;\n@again bra L_round;\n" +
         (message.roles == Roles::warps ? "and.pred counts_for, p3, leader;\n"
                                        : "mov.pred counts_for, " + reader + ";\n") +
         // Of the writer of a grid the waits alone.
         "mov.u32 r11, %smid;\nmov.u32 r12, %ctaid.x;\nand.b32 r12, r12, 1;\n"
         "mul.wide.u32 d7, r12, 4;\nadd.u64 d7, d0, d7;\n@first st.global.u32 [d7+3072], r11;\n"
         "red.global.add.u32 [sums+4], lost;\n@!counts_for bra L_left;\n"
         "red.global.add.u32 [sums], stale;\nred.global.add.u32 [sums+8], rounds_left;\n"
         "red.global.xor.b32 [sums+12], sink;\nL_left:\nexit;\n}\n";
}

}  // namespace

const char* to_string(Place place) {
  switch (place) {
    case Place::warp: return "warp";
    case Place::cta: return "CTA";
    case Place::cluster: return "cluster";
    case Place::grid: return "grid";
  }
  return "";
}

const std::vector<Message>& messages() {
  static const std::vector<Message> all = [] {
    std::vector<Message> made;
    add_flags(made);
    add_atomics(made);
    add_barriers_of_a_cta(made);
    add_across_a_cluster(made);
    add_proxies(made);
    add_proxies_across_a_cluster(made);
    add_completions(made);
    add_async_stores(made);
    add_bulk_stores(made);
    return made;
  }();
  return all;
}

std::string opcodes_of(const std::string& text) {
  static const std::regex statement(R"((?:^|\n)(?:\w+: )?(?:@!?\w+ )?([a-z][\w.:]*)[^;]*;)");
  std::string opcodes;
  for (std::sregex_iterator at(text.begin(), text.end(), statement), end; at != end; ++at) {
    const std::string opcode = (*at)[1];
    if (opcode == "bra" || opcode.starts_with("setp")) continue;
    opcodes += (opcodes.empty() ? "" : ", ") + opcode;
  }
  return opcodes;
}

std::string once(const Message& message) {
  const std::string end =
      message.place == Place::cluster && message.roles == Roles::all ? meet : "";
  const std::string text = message.setup + roles_of(message) + body_of(message, "", "") + end;
  return replaced(replaced(replaced(text, "$v", "1"), "$u", "0"), "$p", "0");
}

std::string entry_of(std::size_t number) {
  return fmt::format("message_{}", number);
}

std::string module_of_messages() {
  std::string text = ".version 8.6\n.target sm_90a\n.address_size 64\n";
  for (std::size_t n = 0; n < messages().size(); ++n) text += looped(messages()[n], entry_of(n));
  return text;
}

}  // namespace phasebit::test
