#include "core/ptx/run/machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::ptx::run {

// The lanes that must come together with one of them: those of its mask, or of an aligned
// instruction all that are left.
Mask Machine::named_lanes(const Warp& warp, const Instruction& one, int lane) {
  const bool has_mask = one.op == Op::bar_warp_sync || one.op == Op::shfl || one.op == Op::vote ||
                        one.op == Op::elect || one.op == Op::match || one.op == Op::redux;
  if (!has_mask || one.operands.empty()) return warp.live;
  return static_cast<Mask>(warp.value(one.operands.back(), lane));
}

// Whether all of them are here: then `lanes` are those that go on together. Else these wait. Lanes
// that name another mask come later.
bool Machine::gather(Warp& warp, const Instruction& one, std::uint32_t pc, Mask& lanes) {
  const Mask named = named_lanes(warp, one, std::countr_zero(lanes)), all = lanes;
  each_lane(all, [&](int lane) {
    if (named_lanes(warp, one, lane) != named) lanes &= ~(1U << lane);
  });
  each_lane(lanes == all ? 0 : all, [&](int lane) {
    const Mask own = named_lanes(warp, one, lane);
    each_lane(own & all, [&](int other) {
      if (named_lanes(warp, one, other) != own)
        stop(FindingKind::range, Grade::error, at(warp, pc, lane),
             fmt::format("the mask {:#010x} names lane {}, which names others", own, other));
    });
  });
  if (stopped_) return false;
  if ((lanes & ~named) != 0) {
    stop(FindingKind::range, Grade::error, at(warp, pc, std::countr_zero(lanes & ~named)),
         fmt::format("the mask {:#010x} does not name the lane that runs it", named));
    return false;
  }
  if ((named & ~warp.live) != 0 && one.op != Op::bar_warp_sync)
    report(FindingKind::early_exit, Grade::note, at(warp, pc, std::countr_zero(lanes)),
           fmt::format("the mask {:#010x} names lanes that have left", named));
  Mask here = lanes;
  each_lane(warp.parked, [&](int lane) {
    const std::uint32_t where = warp.pcs[static_cast<std::size_t>(lane)];
    const bool is_same =
        one.op == Op::bar_warp_sync ? program_.code[where].op == Op::bar_warp_sync : where == pc;
    if (is_same && named_lanes(warp, program_.code[where], lane) == named) here |= 1U << lane;
  });
  if ((named & warp.live & ~here) != 0) {
    warp.parked |= lanes;
    return false;
  }
  lanes = here & named;
  warp.parked &= ~lanes;
  if (one.retry < 0 && one.op != Op::cluster_wait && one.op != Op::setmaxnreg)
    tell(warp, pc, lanes);
  if (!options_.is_strict || one.op == Op::bar_warp_sync) warp.meet(lanes);
  return true;
}

Machine::Went Machine::warp_sync(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  Mask all = lanes;
  if (!gather(warp, one, pc, all)) return Went::stays;
  const Mask named = named_lanes(warp, one, std::countr_zero(all));
  // They may have been there still when the others came.
  each_lane(named & warp.launched & ~warp.live, [&](int lane) {
    const Mask other = warp.synced[static_cast<std::size_t>(lane)];
    if (other != 0 && other != named)
      report(FindingKind::early_exit, Grade::unproved, at(warp, pc, std::countr_zero(all)),
             fmt::format("the mask {:#010x} names lane {}, which has left after a bar.warp.sync "
                         "with the mask {:#010x}",
                         named, lane, other));
  });
  each_lane(all, [&](int lane) {
    warp.synced[static_cast<std::size_t>(lane)] = named;
    ++warp.pcs[static_cast<std::size_t>(lane)];
  });
  return Went::elsewhere;
}

void Machine::shuffle(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const Operand& to = one.operands[0];
  const std::size_t in = one.results;
  const Operand& from = one.operands[in];
  std::array<std::uint64_t, lanes_of_warp> values{};
  LaneBases bases{};
  Mask valid = 0, unsure = 0, alone = 0;
  const Unsure known = warp.unsure(from);
  each_lane(lanes, [&](int lane) {
    const auto by = static_cast<int>(warp.value(one.operands[in + 1], lane) & 31);
    const auto clamp = static_cast<int>(warp.value(one.operands[in + 2], lane));
    const int segment = clamp >> 8 & 31, limit = clamp & 31;
    const int least = lane & segment, most = least | (limit & ~segment);
    int source = least | (by & ~segment);
    if (one.has(Word::up)) source = lane - by;
    if (one.has(Word::down)) source = lane + by;
    if (one.has(Word::bfly)) source = lane ^ by;
    const bool is_valid = one.has(Word::up) ? source >= most : source <= most;
    if (!is_valid) source = lane;
    if (is_valid) valid |= 1U << lane;
    if ((known.lanes >> source & 1) != 0) unsure |= 1U << lane;
    if ((lanes >> source & 1) == 0) alone |= 1U << lane;
    values[static_cast<std::size_t>(lane)] = warp.value(from, source);
    bases[static_cast<std::size_t>(lane)] = warp.base(from, source);
  });
  each_lane(lanes, [&](int lane) {
    warp.set_lane(to, lane, values[static_cast<std::size_t>(lane)] & 0xffffffffU);
  });
  warp.set_unsure(to, lanes, {unsure, known.why});
  warp.set_bases(to, lanes, bases);
  // What such a lane has is not specified.
  if (alone != 0) warp.set_unsure(to, alone, {alone, reason(Reason::Kind::lane, pc)});
  if (one.results < 2) return;
  warp.set_mask(one.operands[1], lanes, valid);
  warp.set_unsure(one.operands[1], lanes, {});
}

// "match.any.sync.b32 same, value, mask", "match.all.sync.b32 same|all, value, mask"
void Machine::compare_lanes(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const Operand& from = one.operands[one.results];
  check_number(warp, from, pc, lanes);
  const std::uint64_t bits = one.type.bits == 64 ? ~std::uint64_t{0} : 0xffffffffU;
  const Unsure known = warp.unsure(from);
  const Unsure made{(known.lanes & lanes) != 0 ? lanes : 0, known.why};
  std::array<Mask, lanes_of_warp> same{};
  each_lane(lanes, [&](int lane) {
    each_lane(lanes, [&](int other) {
      if (((warp.value(from, lane) ^ warp.value(from, other)) & bits) == 0)
        same[static_cast<std::size_t>(lane)] |= 1U << other;
    });
  });
  const bool all = same[static_cast<std::size_t>(std::countr_zero(lanes))] == lanes;
  each_lane(lanes, [&](int lane) {
    const Mask mask = same[static_cast<std::size_t>(lane)];
    warp.set_lane(one.operands[0], lane, one.has(Word::any) || all ? mask : 0);
  });
  warp.set_unsure(one.operands[0], lanes, made);
  if (one.results < 2) return;
  warp.set_mask(one.operands[1], lanes, all ? lanes : 0);
  warp.set_unsure(one.operands[1], lanes, made);
}

void Machine::reduce_lanes(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  if (one.type.kind == Type::Kind::float_) return compute_unfollowed(warp, one, pc, lanes);
  const Operand& from = one.operands[1];
  const Unsure known = warp.unsure(from);
  const bool is_based = (warp.based[from.row] & lanes) != 0;
  auto made = static_cast<std::uint32_t>(warp.value(from, std::countr_zero(lanes)));
  each_lane(lanes & (lanes - 1), [&](int lane) {
    const auto value = static_cast<std::uint32_t>(warp.value(from, lane));
    const bool is_less = one.type.kind == Type::Kind::signed_
                             ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(made)
                             : value < made;
    if (one.has(Word::add)) made += value;
    if (one.has(Word::and_)) made &= value;
    if (one.has(Word::or_)) made |= value;
    if (one.has(Word::xor_)) made ^= value;
    if (one.has(Word::min) && is_less) made = value;
    if (one.has(Word::max) && !is_less) made = value;
  });
  each_lane(lanes, [&](int lane) { warp.set_lane(one.operands[0], lane, made); });
  warp.set_unsure(one.operands[0], lanes, {(known.lanes & lanes) != 0 ? lanes : 0, known.why});
  each_lane(is_based ? lanes : 0,
            [&](int lane) { warp.set_base(one.operands[0], lane, made_of_address); });
}

void Machine::vote(Warp& warp, const Instruction& one, Mask lanes) {
  const Operand& from = one.operands[1];
  const Mask votes = warp.mask_of(from) & lanes;
  const Unsure known = warp.unsure(from);
  const Unsure made{(known.lanes & lanes) != 0 ? lanes : 0, known.why};
  if (one.has(Word::ballot)) {
    each_lane(lanes, [&](int lane) { warp.set_lane(one.operands[0], lane, votes); });
  } else {
    const bool holds = one.has(Word::all)   ? votes == lanes
                       : one.has(Word::any) ? votes != 0
                                            : votes == 0 || votes == lanes;
    warp.set_mask(one.operands[0], lanes, holds ? lanes : 0);
  }
  warp.set_unsure(one.operands[0], lanes, made);
}

// Which lane is chosen is not specified, but it is always the same: a run for each of the mask.
void Machine::elect(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const Mask before = lanes & (all_lanes >> (lanes_of_warp - 1 - options_.elected));
  const int chosen = 31 - std::countl_zero(before != 0 ? before : lanes & (0 - lanes));
  outcome_.electable |= lanes;
  const bool is_other = elected_of_ != 0 && elected_of_ != lanes;
  if ((lanes & (lanes - 1)) != 0) elected_of_ = lanes;
  if (is_other)
    report(FindingKind::decision, Grade::unproved, at(warp, pc, chosen),
           "which lane is elected of other masks, too: only the same place in each is run");
  each_lane(lanes, [&](int lane) {
    warp.set_lane(one.operands[0], lane, static_cast<std::uint64_t>(chosen));
  });
  const bool is_open = (lanes & (lanes - 1)) != 0;
  warp.set_unsure(one.operands[0], lanes, {is_open ? lanes : 0, reason(Reason::Kind::elected, pc)});
  if (one.results < 2) return;
  warp.set_mask(one.operands[1], lanes, 1U << chosen);
  warp.set_unsure(one.operands[1], lanes, {});
}

// The CTA begins with as many registers as its threads have: what one warp takes, another has
// given.
Machine::Went Machine::set_registers(Warp& warp, const Instruction& one, std::uint32_t pc,
                                     Mask lanes) {
  Mask all = lanes;
  if (!gather(warp, one, pc, all)) return Went::stays;
  const int lane = std::countr_zero(all);
  const auto wanted = static_cast<int>(warp.value(one.operands[0], lane));
  const bool takes = one.has(Word::inc);
  Cta& cta = cta_of(warp);
  if (wanted < 24 || wanted > 256 || wanted % 8 != 0)
    stop(FindingKind::range, Grade::error, at(warp, pc, lane),
         fmt::format("{} registers: a multiple of 8 from 24 to 256 is possible", wanted));
  const bool is_known = program_.registers > 0;
  if (!is_known)
    report(FindingKind::registers, Grade::note, at(warp, pc, lane),
           fmt::format("with how many registers a thread begins is not known (.maxnreg says): "
                       "taken as {}, the most that there is room for",
                       warp.registers));
  if (!is_known && takes == (wanted < warp.registers)) {
    // Nothing to take, or to give.
  } else if (takes == (wanted < warp.registers) && wanted != warp.registers) {
    stop(FindingKind::registers, Grade::error, at(warp, pc, lane),
         fmt::format("{} to {} registers, of a thread that has {}", takes ? "up" : "down", wanted,
                     warp.registers));
  } else if (wanted - warp.registers > cta.free_registers) {
    cta.register_waiters.push_back({static_cast<int>(&warp - warps_.data()), all});
    warp.waiting |= all;
    return Went::stays;
  } else {
    cta.free_registers -= wanted - warp.registers;
    if (wanted != warp.registers) note_registers(warp, wanted, at(warp, pc, lane));
    warp.registers = wanted;
    for (const Waiters& other : cta.register_waiters)
      warps_[static_cast<std::size_t>(other.warp)].waiting &= ~other.lanes;
    cta.register_waiters.clear();
  }
  tell(warp, pc, all);
  note_group(warp, pc, 1ULL << 32 | (takes ? 1U << 16 : 0U) | static_cast<unsigned>(wanted));
  each_lane(all, [&](int other) { warp.pcs[static_cast<std::size_t>(other)] = pc + 1; });
  return Went::elsewhere;
}

void Machine::note_registers(Warp& warp, int after, RunPlace by) {
  std::vector<RegisterChange>& all =
      clusters_[static_cast<std::size_t>(cta_of(warp).cluster)].register_changes;
  RegisterChange made{static_cast<int>(&warp - warps_.data()),
                      warp.registers,
                      after,
                      warp.time,
                      std::vector<bool>(all.size()),
                      by};
  warp.clocks.look(warp.launched, [&](const Clocks& clocks, Mask) {
    for (std::size_t n = 0; n < all.size(); ++n) {
      const Warp& other = warps_[static_cast<std::size_t>(all[n].warp)];
      for (int lane = 0; lane < lanes_of_warp && &other != &warp && !made.known[n]; ++lane)
        made.known[n] = clocks.order.of(other.thread(lane)) >= all[n].time;
    }
  });
  all.push_back(std::move(made));
  ++warp.time;
}

// How many registers the other warp may have, at most, where threads are stuck: a setmaxnreg that
// waits is `wanted` or comes later in the run. What the run has done before it is done. The warp
// then is at its end, or waits for registers itself, or for a thread that waits for them.
int Machine::registers_when_stuck(const Cluster& cluster, std::size_t wanted,
                                  const Warp& warp) const {
  const std::vector<RegisterChange>& all = cluster.register_changes;
  const int number = static_cast<int>(&warp - warps_.data());
  int most = 0;
  const RegisterChange* last = nullptr;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const RegisterChange& next = all[n];
    if (next.warp != number) continue;
    bool may_wait = next.after > next.before;
    for (std::size_t other = wanted; other < n; ++other)
      may_wait =
          may_wait || (next.known[other] && all[other].after > all[other].before &&
                       (last == nullptr || other >= last->known.size() || !last->known[other]));
    if (n > wanted && may_wait) most = std::max(most, next.before);
    if (n > wanted && next.known[wanted]) return most;
    last = &next;
  }
  return std::max(most, warp.registers);
}

// Whether each setmaxnreg gets its registers, whichever warp asks first. Where none may wait: of
// those that would, take the one that was first in the run. The others have then at most what
// registers_when_stuck says.
void Machine::check_registers(const Cluster& cluster) {
  const auto per_cta = warps_.size() / ctas_.size();
  for (std::size_t n = 0; n < cluster.register_changes.size(); ++n) {
    const RegisterChange& wanted = cluster.register_changes[n];
    if (wanted.after < wanted.before) continue;
    const Cta& cta = cta_of(warps_[static_cast<std::size_t>(wanted.warp)]);
    int most = wanted.after, all = cta.free_registers;
    for (std::size_t other = 0; other < per_cta; ++other) {
      const Warp& warp = warps_[static_cast<std::size_t>(cta.first_warp) + other];
      all += warp.registers;
      if (&warp != &warps_[static_cast<std::size_t>(wanted.warp)])
        most += registers_when_stuck(cluster, n, warp);
    }
    if (most <= all) continue;
    report(FindingKind::registers, Grade::unproved, wanted.at,
           fmt::format("this waits for {} registers a thread, of {}, and others may hold all but "
                       "{}: who asks first may keep others waiting",
                       wanted.after, all, all - (most - wanted.after)));
  }
}

// What each warp of its warpgroup must run, too: of wgmma the same instruction, of setmaxnreg an
// equal one.
void Machine::note_group(Warp& warp, std::uint32_t pc, std::uint64_t what) {
  warp.group_path = warp.group_path * 0x9E3779B97F4A7C15U + what + 1;
  warp.group_places = warp.group_places * 0x9E3779B97F4A7C15U + pc + 1;
  warp.group_pc = pc;
}

// An instruction that is none where lanes are missing.
Machine::Went Machine::execute_whole(Warp& warp, const Instruction& one, std::uint32_t pc,
                                     Mask lanes) {
  Mask all = lanes;
  if (!gather(warp, one, pc, all)) return Went::stays;
  if (all != warp.launched)
    report(FindingKind::early_exit, Grade::error, at(warp, pc, std::countr_zero(all)),
           fmt::format("all lanes of the warp must run this together: {:#010x} have left",
                       warp.launched & ~all));
  if (one.op == Op::opaque)
    compute_unfollowed(warp, one, pc, all);
  else if (one.op == Op::ld_matrix || one.op == Op::st_matrix)
    execute_memory(warp, one, pc, all);
  else if (one.op != Op::nothing)
    execute_copy(warp, one, pc, all);
  each_lane(all, [&](int lane) { warp.pcs[static_cast<std::size_t>(lane)] = pc + 1; });
  return Went::elsewhere;
}

Machine::Went Machine::execute_together(Warp& warp, const Instruction& one, std::uint32_t pc,
                                        Mask lanes) {
  if (one.op == Op::nanosleep || one.op == Op::nothing) return Went::on;
  if (!require_sure(warp, one, pc, lanes)) return Went::on;
  if (one.op == Op::active_mask) {
    each_lane(lanes, [&](int lane) { warp.set_lane(one.operands[0], lane, lanes); });
    warp.set_unsure(one.operands[0], lanes, {lanes, reason(Reason::Kind::turns, pc)});
    return Went::on;
  }
  if (one.op == Op::setmaxnreg) return set_registers(warp, one, pc, lanes);
  Mask all = lanes;
  if (!gather(warp, one, pc, all)) return Went::stays;
  if (one.op == Op::shfl) shuffle(warp, one, pc, all);
  if (one.op == Op::vote) vote(warp, one, all);
  if (one.op == Op::elect) elect(warp, one, pc, all);
  if (one.op == Op::match) compare_lanes(warp, one, pc, all);
  if (one.op == Op::redux) reduce_lanes(warp, one, pc, all);
  each_lane(all, [&](int lane) { warp.pcs[static_cast<std::size_t>(lane)] = pc + 1; });
  return Went::elsewhere;
}

// A value that is made by arithmetic that is not followed, of whatever.
void Machine::compute_unfollowed(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  outcome_.has_unfollowed = true;
  const Unsure made{lanes, reason(Reason::Kind::unfollowed, pc)};
  for (std::size_t n = 0; n < one.results; ++n) {
    each_lane(lanes, [&](int lane) { warp.set_lane(one.operands[n], lane, 0); });
    warp.set_unsure(one.operands[n], lanes, made);
  }
}

}  // namespace phasebit::ptx::run
