// Columns of Tensor Memory, and the products that are made there.
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace phasebit::ptx::run {

// Products in Tensor Memory that their CTA has issued must be done before columns are given back.
void Machine::check_products_done(const Warp& warp, std::uint32_t pc, int lane) {
  const VectorClock& known = warp.clocks.of(lane).order;
  const auto count = warps_.size() / ctas_.size();
  const auto first = static_cast<std::size_t>(cta_of(warp).first_warp);
  for (std::size_t n = first; n < first + count; ++n)
    for (int other = 0; other < lanes_of_warp; ++other) {
      const Warp::Groups& own = warps_[n].tensor_memory[static_cast<std::size_t>(other)];
      if (own.component != no_component && known.of(own.component) < own.issued)
        report(FindingKind::race, Grade::error, at(warp, pc, lane),
               "gives columns of Tensor Memory back before a tcgen05.mma is known to be done",
               {{{own.last, warps_[n].first_thread + other}, "the product"}});
    }
}

// "tcgen05.alloc [to], columns": one warp. What it is given is not known.
void Machine::allocate_columns(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  constexpr int most_columns = 512;
  const int lane = std::countr_zero(lanes);
  const auto columns = static_cast<int>(warp.value(one.operands[1], lane));
  const auto complain = [&](const std::string& what) {
    stop(FindingKind::range, Grade::error, at(warp, pc, lane), what);
  };
  std::vector<int>& taken = cta_of(warp).columns;
  if (one.op == Op::tcgen05_dealloc) {
    const auto found = std::find(taken.begin(), taken.end(), columns);
    if (found == taken.end())
      return complain(
          fmt::format("gives {} columns of Tensor Memory back: no allocation has so "
                      "many",
                      columns));
    check_products_done(warp, pc, lane);
    taken.erase(found);
    return;
  }
  taken.push_back(columns);
  if (columns < 32 || columns > most_columns || (columns & (columns - 1)) != 0)
    return complain(
        fmt::format("{} columns of Tensor Memory: 32, 64, 128, 256 and 512 are possible", columns));
  if (const int all = std::accumulate(taken.begin(), taken.end(), 0); all > most_columns)
    return complain(fmt::format("{} columns of Tensor Memory are taken: 0 to {} are possible", all,
                                most_columns));
  if (cta_of(warp).has_relinquished)
    return complain("allocates Tensor Memory after tcgen05.relinquish_alloc_permit");
  report(FindingKind::decision, Grade::note, at(warp, pc, lane),
         "what is in Tensor Memory is not followed: the order of accesses to it is not checked");
  const auto to = place(warp, one, pc, lane, Space::shared, one.operands[0], 4, 4);
  if (!to) return;
  outcome_.has_unfollowed = true;
  touch(*to, 4, access_of(warp, one, pc, lane, true), warp.viewer(lane));
  to->region->set_unsure(to->offset, 4, reason(Reason::Kind::unfollowed, pc));
}

// "tcgen05.mma [d], a, b, shape, enabled": both matrices, or the second, are in shared memory, and
// are read until a commit after it has arrived.
void Machine::multiply_in_tensor_memory(Warp& warp, const Instruction& one, std::uint32_t pc,
                                        Mask lanes) {
  const bool in_tensor_memory = one.has(Word::group);
  each_lane(lanes, [&](int lane) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{3}})
      if (n != 1 || !in_tensor_memory)
        if ((warp.unsure(one.operands[n]).lanes >> lane & 1) != 0)
          return report_decision(warp, one.operands[n], pc, 1U << lane, "the place of a matrix");
    const std::uint64_t shape = warp.value(one.operands[3], lane);
    const int columns = static_cast<int>(shape >> 17 & 0x3f) << 3;
    const int rows = static_cast<int>(shape >> 24 & 0x1f) << 4;
    Warp::Groups& own = warp.tensor_memory[static_cast<std::size_t>(lane)];
    Access access = access_of(warp, one, pc, lane, false);
    access.epoch = {component_of(own), own.issued + 1};
    access.is_async = true;
    ++own.issued;
    own.last = pc;
    const auto read = [&](std::size_t operand, int count, unsigned flag) {
      const std::uint64_t descriptor = warp.value(one.operands[operand], lane);
      if ((descriptor >> 61 & 1) != 0)
        return stop(FindingKind::decision, Grade::unsupported, at(warp, pc, lane),
                    "this swizzle of a matrix is not modelled");
      if ((shape >> flag & 1) != 0)
        touch_columns(warp, descriptor, count, access);
      else
        touch_matrix(warp, pc, descriptor, 0, count, 32, access);
    };
    if (!in_tensor_memory) read(1, rows, 15);
    read(2, columns, 16);
  });
}

// It arrives when what the thread has issued is done, and orders nothing else.
void Machine::commit_tensor_memory(Warp& warp, const Instruction& one, std::uint32_t pc,
                                   Mask lanes) {
  Instruction arrival = one;
  arrival.order = Order::relaxed;
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    Mbarrier* barrier = barrier_at(warp, one, pc, lane, one.operands[0], one.space);
    if (barrier == nullptr) return;
    const Warp::Groups& own = warp.tensor_memory[static_cast<std::size_t>(lane)];
    if (own.component != no_component) {
      // The products came after the copies that their thread had waited for.
      const auto threads = static_cast<Component>(warps_.size() * lanes_of_warp);
      barrier->current.memory.join_outside(warp.issued_by(lane).memory, 0, threads);
      barrier->current.raise(own.component, own.issued);
    }
    arrive_at(*barrier, warp, arrival, pc, lane, 1);
  });
  ++warp.time;
}

}  // namespace phasebit::ptx::run
