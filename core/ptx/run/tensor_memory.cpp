// Columns of Tensor Memory, and the products that are made there.
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace phasebit::ptx::run {
namespace {

// So far apart that no column of one is another allocation's.
constexpr std::uint32_t allocation_step = 0x01001000;
constexpr int most_columns = 512;  // of an SM

}  // namespace

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
  const int lane = std::countr_zero(lanes);
  const auto columns = static_cast<int>(warp.value(one.operands[1], lane));
  const auto complain = [&](const std::string& what) {
    stop(FindingKind::range, Grade::error, at(warp, pc, lane), what);
  };
  std::vector<Columns>& taken = cta_of(warp).columns;
  if (one.op == Op::tcgen05_dealloc) {
    check_products_done(warp, pc, lane);
    return free_columns(warp, one, pc, lane, columns);
  }
  if (columns < 32 || columns > most_columns || (columns & (columns - 1)) != 0)
    return complain(
        fmt::format("{} columns of Tensor Memory: 32, 64, 128, 256 and 512 are possible", columns));
  AddressBase base;
  base.form = AddressBase::Form::columns;
  taken.push_back({++allocations_ * allocation_step, columns, add_base(base)});
  const int all =
      std::accumulate(taken.begin(), taken.end(), 0,
                      [](int sum, const Columns& columns) { return sum + columns.count; });
  most_columns_ = std::max(most_columns_, all);
  if (all > most_columns)
    return complain(fmt::format("{} columns of Tensor Memory are taken: 0 to {} are possible", all,
                                most_columns));
  int& least = cta_of(warp).least_columns;
  if (least > 0 && columns > least)
    return complain(
        fmt::format("allocates {} columns of Tensor Memory after {}: the number must "
                    "not grow within a CTA (PTX ISA, tcgen05.alloc)",
                    columns, least));
  least = columns;
  if (cta_of(warp).has_relinquished)
    return complain("allocates Tensor Memory after tcgen05.relinquish_alloc_permit");
  report(FindingKind::decision, Grade::note, at(warp, pc, lane),
         "what is in Tensor Memory is not followed: the order of accesses to it is not checked");
  const auto to = place(warp, one, pc, lane, Space::shared, one.operands[0], 4, 4);
  if (!to) return;
  outcome_.has_unfollowed = true;
  touch(*to, 4, access_of(warp, one, pc, lane, true), warp.viewer(lane));
  to->region->write(to->offset, 4, taken.back().address);
  to->region->set_unsure(to->offset, 4, 0);
  to->region->hold(to->offset, 4, {taken.back().base, warp.first_thread + lane});
}

// tcgen05.alloc waits for columns that another CTA of its SM holds, which must not wait for it.
void Machine::check_columns() {
  const int together = std::min(residency_.most_on_an_sm, static_cast<int>(ctas_.size()));
  if (!other_polled_ || together * most_columns_ <= most_columns || together < 2) return;
  report(FindingKind::decision, Grade::unsupported, *other_polled_,
         fmt::format("it waits for another CTA, which may wait for Tensor Memory that this one "
                     "holds: {} CTAs with {} columns each may be on one SM, which has {}",
                     together, most_columns_, most_columns));
}

// What is given back is one allocation, whole: its address, which no thread computes, and its
// columns.
void Machine::free_columns(Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                           int columns) {
  const Operand& from = one.operands[0];
  std::vector<Columns>& taken = cta_of(warp).columns;
  const auto address = static_cast<std::uint32_t>(warp.value(from, lane));
  const auto has_as_many = [&](const Columns& known) { return known.count == columns; };
  if (std::none_of(taken.begin(), taken.end(), has_as_many))
    return stop(
        FindingKind::range, Grade::error, at(warp, pc, lane),
        fmt::format("gives {} columns of Tensor Memory back: no allocation has so many", columns));
  const Base base = warp.base(from, lane);
  if (base <= made_of_address || bases_[base].form != AddressBase::Form::columns)
    return stop(FindingKind::decision, Grade::unsupported, at(warp, pc, lane),
                "gives columns of Tensor Memory back at an address that does not come from "
                "tcgen05.alloc: which ones is not known");
  const auto found = std::find_if(taken.begin(), taken.end(), [&](const Columns& known) {
    return known.base == base && known.address == address && has_as_many(known);
  });
  if (found == taken.end())
    return stop(FindingKind::range, Grade::error, at(warp, pc, lane),
                fmt::format("gives {} columns of Tensor Memory back at another address than they "
                            "were allocated at",
                            columns));
  taken.erase(found);
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
