// Barriers that threads meet at by number: those of a CTA, and the cluster's one.
#include "core/ptx/run/machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::ptx::run {

int Machine::live_warps(const Cta& cta) const {
  const auto first = warps_.begin() + cta.first_warp;
  const auto count = static_cast<std::ptrdiff_t>(warps_.size() / ctas_.size());
  return static_cast<int>(
      std::count_if(first, first + count, [](const Warp& warp) { return warp.live != 0; }));
}

int Machine::live_threads(const Cluster& cluster) const {
  int threads = 0;
  const auto per_cta = warps_.size() / ctas_.size();
  const auto first = static_cast<std::size_t>(cluster.first_cta) * per_cta;
  const auto count = per_cta * static_cast<std::size_t>(launch_.ctas_of_cluster());
  for (std::size_t n = first; n < first + count; ++n) threads += std::popcount(warps_[n].live);
  return threads;
}

void Machine::try_complete(Cta& cta, CtaBarrier& barrier) {
  const int wanted = barrier.expected > 0 ? barrier.expected : lanes_of_warp * live_warps(cta);
  if (barrier.arrived < wanted) return;
  if (barrier.expected == 0) barrier.current.order.join(cta.left);
  ++barrier.phase;
  barrier.arrived = barrier.expected = 0;
  barrier.last = std::move(barrier.current);
  barrier.last.raise(barrier.component, barrier.phase);
  barrier.current.clear();
  for (const Waiters& one : barrier.waiters) {
    Warp& warp = warps_[static_cast<std::size_t>(one.warp)];
    warp.learn(one.lanes, barrier.last, true);
    warp.waiting &= ~one.lanes;
    each_lane(one.lanes, [&](int lane) { ++warp.pcs[static_cast<std::size_t>(lane)]; });
  }
  barrier.waiters.clear();
  ++progress_;
}

// All threads of a warp must execute the same one (PTX ISA, bar). Those that have left before they
// come to it are not counted by any GPU; but of a loop that they leave one by one the manual says
// nothing.
void Machine::check_all_aligned(Warp& warp, std::uint32_t pc, Mask lanes) {
  Mask& met = warp.met_aligned[pc];
  if (const Mask gone = met & ~warp.live; gone != 0)
    report(FindingKind::named, Grade::unproved, at(warp, pc, std::countr_zero(lanes)),
           fmt::format("lanes {:#010x} of the warp have executed it before and left: it needs all "
                       "of them (.aligned)",
                       gone));
  met |= lanes;
}

// "bar.sync id, threads": a warp counts as all its threads.
Machine::Went Machine::cta_barrier(Warp& warp, const Instruction& one, std::uint32_t pc,
                                   Mask lanes) {
  Mask all = lanes;
  if (!gather(warp, one, pc, all)) return Went::stays;
  const int first = std::countr_zero(all);
  if (one.has(Word::aligned)) check_all_aligned(warp, pc, all);
  for (const Operand& operand : one.operands)
    each_lane(all, [&](int lane) {
      if (((warp.value(operand, lane) ^ warp.value(operand, first)) & 0xffffffffU) == 0) return;
      stop(FindingKind::range, one.has(Word::aligned) ? Grade::error : Grade::unsupported,
           at(warp, pc, lane), "the lanes of a warp name different barriers, or counts");
    });
  if (stopped_) return Went::stays;
  const std::uint64_t number = warp.value(one.operands[0], first) & 0xffffffffU;
  const int threads =
      one.operands.size() > 1 ? static_cast<int>(warp.value(one.operands[1], first)) : 0;
  if (number > 15 || threads % lanes_of_warp != 0 || (one.op == Op::bar_arrive && threads == 0)) {
    stop(FindingKind::range, Grade::error, at(warp, pc, first),
         fmt::format("barrier {} for {} threads: numbers go from 0 to 15, threads are a multiple "
                     "of {}",
                     number, threads, lanes_of_warp));
    return Went::stays;
  }
  Cta& cta = cta_of(warp);
  CtaBarrier& barrier = cta.named[number];
  if (barrier.component == no_component) barrier.component = new_component();
  // "bar.sync 0" and "bar.sync 0, 64" are one barrier where the CTA has 64 threads and none has
  // left: which counts those that leave is open, so the number of threads decides.
  const int of_cta = lanes_of_warp * launch_.warps();
  const auto count_of = [&](int number) { return number == 0 ? of_cta : number; };
  if (barrier.arrived > 0 && count_of(barrier.expected) != count_of(threads))
    report(FindingKind::named, Grade::error, at(warp, pc, first),
           fmt::format("barrier {} is for {} threads here and for {} elsewhere", number, threads,
                       barrier.expected),
           {{barrier.first, "the other count"}});
  if (barrier.phase > 0 && warp.clocks.of(first).order.of(barrier.component) < barrier.phase &&
      !warp.issued_by(first).order.covers(barrier.last.order, barrier.component))
    report(FindingKind::named, Grade::error, at(warp, pc, first),
           fmt::format("barrier {} may still be in use: nothing orders this arrival after its "
                       "phase before",
                       number),
           {{barrier.first, "arrives in that phase"}});
  if (barrier.arrived == 0) barrier.first = at(warp, pc, first);
  barrier.expected = barrier.arrived > 0 ? std::max(threads, barrier.expected) : threads;
  barrier.arrived += lanes_of_warp;
  warp.publish(all, true, barrier.current);
  ++warp.time;
  if (threads > 0 && barrier.arrived > threads)
    report(FindingKind::named, Grade::error, at(warp, pc, first),
           fmt::format("{} threads come to barrier {} for {}", barrier.arrived, number, threads));
  if (one.op == Op::bar_arrive) {
    each_lane(all, [&](int lane) { warp.pcs[static_cast<std::size_t>(lane)] = pc + 1; });
  } else {
    barrier.waiters.push_back({static_cast<int>(&warp - warps_.data()), all});
    warp.waiting |= all;
  }
  try_complete(cta, barrier);
  return Went::elsewhere;
}

void Machine::try_complete(Cluster& cluster) {
  if (cluster.arrived == 0 || cluster.arrived < live_threads(cluster)) return;
  ++cluster.phase;
  cluster.arrived = 0;
  cluster.current.order.join(cluster.left);
  cluster.last = std::move(cluster.current);
  cluster.current.clear();
  const auto per_cta = warps_.size() / ctas_.size();
  const auto first = static_cast<std::size_t>(cluster.first_cta) * per_cta;
  const auto count = per_cta * static_cast<std::size_t>(launch_.ctas_of_cluster());
  for (std::size_t n = first; n < first + count; ++n) {
    Warp& warp = warps_[n];
    each_lane(warp.waiting & warp.live, [&](int lane) {
      if (program_.code[warp.pcs[static_cast<std::size_t>(lane)]].op == Op::cluster_wait)
        warp.waiting &= ~(1U << lane);
    });
  }
  ++progress_;
}

Machine::Went Machine::cluster_barrier(Warp& warp, const Instruction& one, std::uint32_t pc,
                                       Mask lanes) {
  Mask all = lanes;
  if (one.has(Word::aligned) && !gather(warp, one, pc, all)) return Went::stays;
  Cluster& cluster = clusters_[static_cast<std::size_t>(cta_of(warp).cluster)];
  const bool is_relaxed = one.order == Order::relaxed;
  if (one.op == Op::cluster_arrive) {
    each_lane(all, [&](int lane) {
      std::uint32_t& phase = warp.cluster_phase[static_cast<std::size_t>(lane)];
      if (phase != 0)
        stop(FindingKind::named, Grade::error, at(warp, pc, lane),
             "this thread arrives again at the cluster's barrier before it has waited");
      phase = cluster.phase + 1;
      warp.pcs[static_cast<std::size_t>(lane)] = pc + 1;
    });
    if (!one.has(Word::aligned)) tell(warp, pc, all);
    warp.publish(all, !is_relaxed, cluster.current,
                 launch_.ctas_of_cluster() > 1 ? Scope::cluster : Scope::cta);
    cluster.arrived += std::popcount(all);
    ++warp.time;
    try_complete(cluster);
    return Went::elsewhere;
  }
  Mask over = 0;
  each_lane(all, [&](int lane) {
    const std::uint32_t phase = warp.cluster_phase[static_cast<std::size_t>(lane)];
    if (phase == 0)
      stop(FindingKind::named, Grade::error, at(warp, pc, lane),
           "this thread waits for the cluster's barrier without an arrival");
    if (phase <= cluster.phase) over |= 1U << lane;
  });
  tell(warp, pc, over);
  if (over != 0) warp.learn(over, cluster.last, !is_relaxed);
  each_lane(over, [&](int lane) {
    warp.cluster_phase[static_cast<std::size_t>(lane)] = 0;
    warp.pcs[static_cast<std::size_t>(lane)] = pc + 1;
  });
  warp.waiting |= all & ~over;
  if (over != 0) ++progress_;
  return Went::elsewhere;
}

void Machine::report_stuck() {
  Finding found;
  found.kind = FindingKind::deadlock;
  const auto add = [&](const Warp& warp, Mask lanes, std::string what) {
    const int lane = std::countr_zero(lanes);
    const std::uint32_t pc = warp.pcs[static_cast<std::size_t>(lane)];
    if (found.related.empty()) found.at = at(warp, pc, lane);
    found.related.push_back({at(warp, pc, lane), std::move(what)});
  };
  for (const auto& barrier : barriers_)
    for (const Waiters& one : barrier->waiters)
      add(warps_[static_cast<std::size_t>(one.warp)], one.lanes,
          fmt::format(
              "waits for phase {} (parity {}) of barrier {}: {} of {} arrivals and {} bytes "
              "are missing",
              barrier->phase, barrier->phase & 1, name_of(*barrier), barrier->pending,
              barrier->expected, barrier->bytes));
  for (const Cta& cta : ctas_)
    for (std::size_t n = 0; n < cta.named.size(); ++n)
      for (const Waiters& one : cta.named[n].waiters)
        add(warps_[static_cast<std::size_t>(one.warp)], one.lanes,
            fmt::format("waits at barrier {}: {} threads have come", n, cta.named[n].arrived));
  for (const Cta& cta : ctas_)
    for (const Waiters& one : cta.register_waiters)
      add(warps_[static_cast<std::size_t>(one.warp)], one.lanes,
          fmt::format("waits for registers: {} a thread are free", cta.free_registers));
  for (const Warp& warp : warps_) {
    Mask left = warp.live;
    for (const Finding::Related& one : found.related)
      if (one.at.thread / lanes_of_warp == warp.first_thread / lanes_of_warp) left &= ~warp.waiting;
    if (const Mask parked = left & warp.parked; parked != 0)
      add(warp, parked, fmt::format("waits for lanes of its warp: {:#010x} are here", parked));
    if (const Mask polling = left & warp.polling; polling != 0)
      add(warp, polling, "polls a word that no thread stores to any more");
    if (const Mask waiting = left & warp.waiting & ~warp.parked; waiting != 0)
      add(warp, waiting, "waits for the cluster's barrier");
  }
  found.what = std::string("every thread that is left waits, and nothing can end that");
  outcome_.findings.push_back(std::move(found));
}

}  // namespace phasebit::ptx::run
