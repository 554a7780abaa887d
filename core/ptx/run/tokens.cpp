// Numbers, and decisions by values that are not known for sure. The answer of a try may decide
// where it skips the wait for the same phase: so it is followed what each value would be after a
// false answer, too.
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace phasebit::ptx::run {

// The results as they would be if the one try on which the operands depend had answered false.
std::vector<Otherwise> Machine::answered_false(Warp& warp, const Instruction& one, Mask lanes) {
  std::vector<std::pair<Operand, Otherwise>> reads;
  Mask alike = lanes;
  for (std::size_t n = one.results; n < one.operands.size(); ++n) {
    const Operand& operand = one.operands[n];
    const Mask unsure =
        operand.kind == Operand::Kind::none ? 0 : warp.unsure(operand).lanes & lanes;
    if (unsure == 0) continue;
    const auto found = warp.otherwise.find(row_name(operand));
    if (found == warp.otherwise.end() ||
        (!reads.empty() && reads.front().second.token != found->second.token))
      return {};
    alike &= found->second.lanes | ~unsure;
    reads.emplace_back(operand, found->second);
  }
  if (reads.empty() || alike == 0) return {};
  const auto exchange = [&](const Operand& operand, Otherwise& with) {
    each_lane(alike & with.lanes, [&](int lane) {
      const std::uint64_t kept = warp.value_of(operand, lane);
      warp.set_value(operand, lane, with.values[static_cast<std::size_t>(lane)]);
      with.values[static_cast<std::size_t>(lane)] = kept;
    });
  };
  std::vector<Otherwise> made(one.results);
  std::vector<Unsure> unsure;
  for (std::size_t n = 0; n < one.results; ++n) {
    made[n] = {reads.front().second.token, alike, {}};
    const Operand& to = one.operands[n];
    unsure.push_back(to.kind == Operand::Kind::none ? Unsure() : warp.unsure(to));
    if (to.kind == Operand::Kind::none) continue;
    each_lane(alike, [&](int lane) {
      made[n].values[static_cast<std::size_t>(lane)] = warp.value_of(to, lane);
    });
  }
  for (auto& [operand, with] : reads) exchange(operand, with);
  compute(warp, one, alike);
  for (std::size_t n = 0; n < one.results; ++n) {
    if (one.operands[n].kind == Operand::Kind::none) continue;
    exchange(one.operands[n], made[n]);
    warp.unsure(one.operands[n]) = unsure[n];
  }
  for (auto& [operand, with] : reads) exchange(operand, with);
  return made;
}

// What the result of a guarded instruction would be if the one try on which its guard depends had
// answered false: computed, or what was there before. Of no token where that is not known.
Otherwise Machine::guarded_false(Warp& warp, const Instruction& one, Mask unsure) {
  const auto guard = warp.otherwise.find(row_name(one.guard));
  const Operand& to = one.operands[0];
  const bool is_number = one.op < Op::opaque && one.op != Op::cvta && one.op != Op::policy;
  if (guard == warp.otherwise.end() || (unsure & ~guard->second.lanes) != 0 || !is_number ||
      one.results != 1 || one.type.bits == 128 || to.kind == Operand::Kind::none)
    return {};
  for (std::size_t n = 1; n < one.operands.size(); ++n)
    if (const Operand& from = one.operands[n];
        from.kind != Operand::Kind::none &&
        ((warp.unsure(from).lanes & unsure) != 0 ||
         (from.kind == Operand::Kind::row && (warp.based[from.row] & unsure) != 0)))
      return {};
  const Unsure kept = warp.unsure(to);
  const auto before = warp.otherwise.find(row_name(to));
  const bool is_of_token = before != warp.otherwise.end() &&
                           before->second.token == guard->second.token &&
                           (kept.lanes & unsure & ~before->second.lanes) == 0;
  const bool is_based = to.kind == Operand::Kind::row && (warp.based[to.row] & unsure) != 0;
  if (is_based || ((kept.lanes & unsure) != 0 && !is_of_token)) return {};
  Otherwise made{guard->second.token, unsure, {}};
  std::array<std::uint64_t, lanes_of_warp> old{};
  each_lane(unsure, [&](int lane) {
    const auto n = static_cast<std::size_t>(lane);
    old[n] = warp.value_of(to, lane);
    made.values[n] = (kept.lanes >> lane & 1) != 0 ? before->second.values[n] : old[n];
  });
  if (compute(warp, one, unsure) != 0) made.token = -1;
  each_lane(unsure, [&](int lane) {
    const auto n = static_cast<std::size_t>(lane);
    const bool runs = (guard->second.values[n] != 0) != one.guard.negated;
    if (runs) made.values[n] = warp.value_of(to, lane);
    warp.set_value(to, lane, old[n]);
  });
  warp.unsure(to) = kept;
  return made;
}

void Machine::compute_numbers(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const FollowedAddresses followed = follow_addresses(warp, one, pc, lanes);
  std::vector<Otherwise> otherwise;
  if (!warp.otherwise.empty()) otherwise = answered_false(warp, one, lanes);
  const Mask open = compute(warp, one, lanes);
  if ((followed.lanes | followed.open) != 0) set_addresses(warp, one, pc, followed);
  const Operand& to = one.operands[0];
  if (open != 0) {
    warp.set_unsure(to, lanes, {warp.unsure(to).lanes | open, reason(Reason::Kind::open, pc)});
    otherwise.clear();
  }
  for (std::size_t n = 0; n < otherwise.size(); ++n) {
    if (one.operands[n].kind == Operand::Kind::none) continue;
    Otherwise& kept = warp.otherwise[row_name(one.operands[n])];
    const bool is_of_all = kept.token == otherwise[n].token;
    each_lane(is_of_all ? kept.lanes & ~lanes : 0, [&](int lane) {
      otherwise[n].values[static_cast<std::size_t>(lane)] =
          kept.values[static_cast<std::size_t>(lane)];
      otherwise[n].lanes |= 1U << lane;
    });
    kept = otherwise[n];
  }
  // What is made of a barrier's state is none.
  const bool is_chosen = one.op == Op::selp && (warp.unsure(one.operands[3]).lanes & lanes) == 0;
  const Mask unsure = to.kind == Operand::Kind::row ? warp.unsure(to).lanes & lanes : 0;
  if (unsure != 0 && one.op != Op::mov && !is_chosen &&
      reasons_[warp.unsure(to).why].kind == Reason::Kind::state)
    warp.set_unsure(to, lanes, {unsure, reason(Reason::Kind::unfollowed, pc)});
}

// What is between a branch and the wait that it skips: those who skip it do not compute that. Gives
// what was there, to be put back.
std::vector<Machine::Kept> Machine::compute_ahead(Warp& warp, std::uint32_t from, std::uint32_t to,
                                                  Mask lanes) {
  std::vector<Kept> kept;
  for (std::uint32_t at = from; at < to; ++at) {
    const Instruction& one = program_.code[at];
    for (std::size_t n = 0; n < one.results; ++n) {
      const Operand& result = one.operands[n];
      if (result.kind == Operand::Kind::none) continue;
      const bool is_row = result.kind == Operand::Kind::row;
      Kept& made = kept.emplace_back(
          Kept{result, {}, warp.unsure(result), is_row ? warp.based[result.row] : 0, {}});
      each_lane(lanes, [&](int lane) {
        made.values[static_cast<std::size_t>(lane)] = warp.value_of(result, lane);
        if (is_row) made.bases[static_cast<std::size_t>(lane)] = warp.base(result, lane);
      });
    }
    const FollowedAddresses followed = follow_addresses(warp, one, at, lanes);
    compute(warp, one, lanes);
    set_addresses(warp, one, at, followed);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// "@token bra ready" over the wait for the same phase: either way the thread has waited for it.
bool Machine::is_skip(Warp& warp, const Instruction& one, std::uint32_t branch, Mask unsure,
                      Mask taken) {
  const auto found = warp.otherwise.find(row_name(one.guard));
  if (one.skips < 0 || found == warp.otherwise.end() || (unsure & ~found->second.lanes) != 0)
    return false;
  const Token token = tokens_[static_cast<std::size_t>(found->second.token)];
  bool holds = true;
  // After a false answer it must wait; after a true one it need not.
  each_lane(unsure, [&](int lane) {
    const bool is_set = found->second.values[static_cast<std::size_t>(lane)] != 0;
    holds = holds && is_set == one.guard.negated;
  });
  if (!holds || (taken & unsure & ~token.over) != 0) return false;
  const std::uint32_t pc = program_.retries[static_cast<std::size_t>(one.skips)].poll;
  const Instruction& wait = program_.code[pc];
  // What is ordered must not depend on which of the two saw the phase.
  const Instruction& asked = program_.code[token.pc];
  if ((asked.order == Order::relaxed) != (wait.order == Order::relaxed) ||
      asked.scope != wait.scope)
    return false;
  const std::vector<Kept> kept = compute_ahead(warp, branch + 1, pc, unsure);
  each_lane(unsure, [&](int lane) {
    const auto n = static_cast<std::size_t>(lane);
    const Mbarrier* barrier = barrier_at(warp, wait, pc, lane, wait.operands[1], wait.space);
    std::int64_t phase = 0;
    if (barrier == nullptr) return;
    is_over(*barrier, warp, wait, lane, phase);
    holds = holds && barrier->number == token.barrier[n] && phase == token.phase[n];
  });
  const auto is_known = [&](std::size_t n) {
    return (warp.unsure(wait.operands[n]).lanes & unsure) == 0;
  };
  const bool is_number =
      !wait.has(Word::parity) || (is_known(2) && (warp.based[wait.operands[2].row] & unsure) == 0);
  holds = holds && is_known(1) && is_number;
  for (const Kept& one : kept) {
    each_lane(unsure, [&](int lane) {
      warp.set_value(one.operand, lane, one.values[static_cast<std::size_t>(lane)]);
    });
    warp.unsure(one.operand) = one.unsure;
    if (one.operand.kind == Operand::Kind::row) warp.based[one.operand.row] = one.based;
    warp.set_bases(one.operand, one.based & unsure, one.bases);
  }
  if (!holds) return false;
  const auto alike = [&](int first, int lane) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(lane);
    return token.barrier[a] == token.barrier[b] && token.phase[a] == token.phase[b];
  };
  each_group(unsure & taken, alike, [&](int first, Mask same) {
    const auto n = static_cast<std::size_t>(first);
    wait_over(*barriers_[static_cast<std::size_t>(token.barrier[n])], warp, pc, same,
              token.phase[n], asked);
  });
  return true;
}

// A try outside of a retry loop. Its answer is known where the thread knows of all phases that are
// complete, unless the next one completes before it or meanwhile: check_completion says so.
void Machine::answer(Warp& warp, const Instruction& one, Mask lanes, const Token& token) {
  const auto barrier_of = [&](int lane) -> Mbarrier& {
    const auto number = static_cast<std::size_t>(token.barrier[static_cast<std::size_t>(lane)]);
    return *barriers_[number];
  };
  Mask known = 0;
  if (may_settle(one, token.pc))
    each_lane(lanes, [&](int lane) {
      Mbarrier& barrier = barrier_of(lane);
      if (!barrier.is_told(warp.issued_by(lane).order)) return;
      known |= 1U << lane;
      barrier.asked.push_back({{warp.thread(lane), warp.time}, at(warp, token.pc, lane)});
    });
  each_lane(known & token.over, [&](int lane) {
    warp.learn(1U << lane, barrier_of(lane).last, one.order != Order::relaxed);
  });
  tokens_.push_back(token);
  const int number = static_cast<int>(tokens_.size()) - 1;
  const Mask open = lanes & ~known;
  warp.set_unsure(one.operands[0], lanes, {open, reason(Reason::Kind::poll, token.pc, number)});
  if (open != 0) warp.otherwise[row_name(one.operands[0])] = {number, open, {}};
}

// Whether a branch may be taken as it is, although its predicate is not known for sure.
bool Machine::check_decision(Warp& warp, const Instruction& one, std::uint32_t pc, Mask group,
                             Mask taken) {
  if (one.guard.kind == Operand::Kind::none) return true;
  const Unsure unsure = warp.unsure(one.guard);
  if ((unsure.lanes & group) == 0) return true;
  const Reason& why = reasons_[unsure.why];
  if (one.retry >= 0) {
    const RetryLoop& loop = program_.retries[static_cast<std::size_t>(one.retry)];
    const bool is_poll = why.kind == Reason::Kind::flag && why.pc == loop.poll;
    if (is_poll && loop.comparison >= 0) {
      const Instruction& setp = program_.code[static_cast<std::size_t>(loop.comparison)];
      if ((warp.unsure(setp.operands[loop.wanted]).lanes & group) == 0) return true;
    }
  }
  if (is_skip(warp, one, pc, unsure.lanes & group, taken)) return true;
  // In this schedule the phase was complete, and what it tells is known from here on.
  if (why.kind == Reason::Kind::poll && why.token >= 0) {
    const Token& token = tokens_[static_cast<std::size_t>(why.token)];
    const bool acquires = program_.code[why.pc].order != Order::relaxed;
    each_lane(unsure.lanes & group & token.over, [&](int lane) {
      const auto number = static_cast<std::size_t>(token.barrier[static_cast<std::size_t>(lane)]);
      warp.learn(1U << lane, barriers_[number]->last, acquires);
    });
  }
  report_decision(warp, one.guard, pc, group, "this branch");
  return false;
}

}  // namespace phasebit::ptx::run
