#include "core/ptx/run/machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::ptx::run {
namespace {

constexpr std::uint32_t most_arrivals = (1U << 20) - 1;
constexpr std::int64_t most_bytes = (std::int64_t{1} << 20) - 1;

// What all states of a phase have in common. Each half depends on the barrier and on the phase: two
// halves of different states are none.
std::uint64_t phase_code(const Mbarrier& barrier, std::int64_t phase) {
  std::uint64_t code = (static_cast<std::uint64_t>(barrier.number) + 1) << 32 |
                       (static_cast<std::uint64_t>(phase) & 0xffffffffU);
  for (const int shift : {30, 27, 31}) code = (code ^ code >> shift) * 0xBF58476D1CE4E5B9U;
  return code;
}

// The same of the arrivals that a phase still waits for, of which no other arrival finds as many.
std::uint64_t pending_code(std::uint64_t pending) {
  return pending << 32 | ((pending * 0x9E3779B1U) & 0xffffffffU);
}

// What an arrival gives back.
std::uint64_t state_of(const Mbarrier& barrier) {
  return phase_code(barrier, barrier.phase) ^ pending_code(barrier.pending);
}

bool is_state(const Mbarrier& barrier, std::int64_t phase, std::uint64_t state) {
  const std::uint64_t code = phase_code(barrier, phase) ^ state;
  return code >> 32 <= most_arrivals && code == pending_code(code >> 32);
}

}  // namespace

std::string Machine::name_of(const Mbarrier& barrier) const {
  const SharedVariable* holder = nullptr;
  for (const SharedVariable& one : program_.variables)
    if (one.offset <= barrier.offset && (holder == nullptr || one.offset >= holder->offset))
      holder = &one;
  std::string name = holder == nullptr
                         ? fmt::format("shared memory+{}", barrier.offset)
                         : fmt::format("{}+{}", holder->name, barrier.offset - holder->offset);
  if (ctas_.size() > 1) name += fmt::format(" of CTA {}", barrier.cta);
  return name;
}

void Machine::note_event(const Mbarrier& barrier, std::int64_t phase, RunPlace at) {
  std::uint64_t mixed = 0;
  for (const std::uint64_t one :
       {std::uint64_t{barrier.offset}, static_cast<std::uint64_t>(barrier.cta),
        static_cast<std::uint64_t>(phase), static_cast<std::uint64_t>(at.thread)}) {
    mixed = (mixed ^ one) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29;
  }
  outcome_.events += mixed;
}

Mbarrier* Machine::barrier_in(int cta, std::uint64_t offset, RunPlace at) {
  const auto& known = ctas_[static_cast<std::size_t>(cta)].barriers;
  const auto found = known.find(static_cast<std::uint32_t>(offset));
  if (found == known.end() || !barriers_[static_cast<std::size_t>(found->second)]->is_valid) {
    stop(FindingKind::uninitialised, Grade::error, at,
         fmt::format("there is no mbarrier at byte {} of shared memory of CTA {}",
                     offset - reserved_shared_bytes, cta));
    return nullptr;
  }
  return barriers_[static_cast<std::size_t>(found->second)].get();
}

Mbarrier* Machine::barrier_at(const Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                              const Operand& operand, Space space) {
  const auto found = place(warp, one, pc, lane, space, operand, 8, 8);
  if (!found) return nullptr;
  if (found->cta < 0) {
    stop(FindingKind::uninitialised, Grade::error, at(warp, pc, lane),
         "an mbarrier outside of shared memory");
    return nullptr;
  }
  Mbarrier* barrier = barrier_in(found->cta, found->offset, at(warp, pc, lane));
  if (barrier != nullptr) check_init(*barrier, warp, pc, lane);
  return barrier;
}

// A fence.mbarrier_init publishes the initialisation with whatever comes after it, relaxed or not.
void Machine::check_init(const Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane) {
  if (barrier.init.component == warp.thread(lane)) return;
  const Clocks& known = warp.clocks.of(lane);
  if (known.memory.knows(barrier.init)) return;
  if (barrier.init_fence.component != no_component && known.order.knows(barrier.init_fence)) return;
  report(FindingKind::uninitialised, Grade::error, at(warp, pc, lane),
         fmt::format("barrier {} may not be initialised yet", name_of(barrier)),
         {{{barrier.init_pc, static_cast<std::int32_t>(barrier.init.component)},
           known.order.knows(barrier.init)
               ? "initialises it, and no fence or release makes that visible here"
               : "initialises it, and nothing orders the two"}});
}

// What completes bytes is of the asynchronous proxy (PTX ISA, cp.async.bulk), mbarrier.init is of
// the generic one. Compilers leave out the fence within a CTA.
void Machine::check_init_in_proxy(const Mbarrier& barrier, const Clocks& issued, RunPlace at) {
  if (issued.seen(Proxied::own_shared).knows(barrier.init)) return;
  if (barrier.init_fence.component != no_component && issued.order.knows(barrier.init_fence))
    return;
  report(
      FindingKind::proxy, Grade::note, at,
      fmt::format("neither fence.proxy.async nor fence.mbarrier_init is between the "
                  "initialisation of barrier {} and what completes on it here",
                  name_of(barrier)),
      {{{barrier.init_pc, static_cast<std::int32_t>(barrier.init.component)}, "initialises it"}});
}

// An operation on it, which must not come while its word is read.
void Machine::use(Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane) {
  barrier.used.raise(warp.thread(lane), warp.time);
  barrier.used_pc = pc;
  if (!barrier.looked.is_empty() &&
      !warp.issued_by(lane).order.covers(barrier.looked, warp.thread(lane)))
    report(FindingKind::race, Grade::error, at(warp, pc, lane),
           fmt::format("changes barrier {} while a load may read its word", name_of(barrier)));
}

// A load of its word, which must not come while others use it.
void Machine::look_at(Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane) {
  barrier.looked.raise(warp.thread(lane), warp.time);
  const VectorClock known = warp.issued_by(lane).order;
  if (!known.covers(barrier.used, barrier.component) ||
      !known.covers(barrier.current.order, barrier.component))
    report(FindingKind::race, Grade::error, at(warp, pc, lane),
           fmt::format("reads the word of barrier {} while others may change it", name_of(barrier)),
           {{{barrier.used_pc, -1}, "uses it"}});
}

// Nobody uses it any more.
void Machine::check_unused(const Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane,
                           const char* what) {
  const VectorClock known = warp.issued_by(lane).order;
  if (!known.covers(barrier.used, warp.thread(lane)))
    report(FindingKind::overrun, Grade::error, at(warp, pc, lane),
           fmt::format("barrier {} is {} while threads may use it", name_of(barrier), what),
           {{{barrier.used_pc, -1}, "uses it"}});
  if (barrier.had_bytes && known.of(barrier.component) < barrier.phase)
    report(
        FindingKind::overrun, Grade::error, at(warp, pc, lane),
        fmt::format("barrier {} is {} while bytes may still come to it", name_of(barrier), what));
  const auto check = [&](const Mbarrier::Event& event, const char* how) {
    if (!known.knows(event.epoch))
      report(FindingKind::overrun, Grade::error, at(warp, pc, lane),
             fmt::format("barrier {} is {} while threads may use it", name_of(barrier), what),
             {{event.at, how}});
  };
  for (const Mbarrier::Event& one : barrier.returned) check(one, "waits for it");
  for (const Mbarrier::Event& one : barrier.arrived) check(one, "arrives on it");
  if (!barrier.waiters.empty() || barrier.bytes != 0)
    report(FindingKind::overrun, Grade::error, at(warp, pc, lane),
           fmt::format("barrier {} is {} in the middle of a phase that is waited for",
                       name_of(barrier), what));
}

void Machine::init_barriers(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  each_lane(lanes, [&](int lane) {
    const auto found = place(warp, one, pc, lane, one.space, one.operands[0], 8, 8);
    if (!found) return;
    if (found->cta < 0) {
      stop(FindingKind::range, Grade::error, at(warp, pc, lane),
           "an mbarrier outside of shared memory");
      return;
    }
    const auto count = static_cast<std::uint32_t>(warp.value(one.operands[1], lane));
    if (count < 1 || count > most_arrivals)
      stop(FindingKind::range, Grade::error, at(warp, pc, lane),
           fmt::format("an mbarrier for {} arrivals: 1 to {} are possible", count, most_arrivals));
    Access access = access_of(warp, one, pc, lane, true);
    touch(*found, 8, access, warp.viewer(lane));
    Cta& cta = ctas_[static_cast<std::size_t>(found->cta)];
    const auto [known, is_new] = cta.barriers.emplace(static_cast<std::uint32_t>(found->offset),
                                                      static_cast<std::int32_t>(barriers_.size()));
    if (is_new) barriers_.push_back(std::make_unique<Mbarrier>());
    cta.first_barrier = std::min(cta.first_barrier, found->offset);
    cta.last_barrier = std::max(cta.last_barrier, found->offset);
    Mbarrier& barrier = *barriers_[static_cast<std::size_t>(known->second)];
    if (!is_new && barrier.is_valid) {
      check_unused(barrier, warp, pc, lane, "initialised again");
      report(FindingKind::overwritten, Grade::error, at(warp, pc, lane),
             fmt::format("initialises barrier {} again without mbarrier.inval: the manual leaves "
                         "open what that does (PTX ISA, mbarrier.init)",
                         name_of(barrier)),
             {{{barrier.init_pc, static_cast<std::int32_t>(barrier.init.component)},
               "initialises it"}});
    }
    const std::int32_t number = known->second;
    barrier = Mbarrier();
    barrier.cta = found->cta;
    barrier.offset = static_cast<std::uint32_t>(found->offset);
    barrier.number = number;
    barrier.component = new_component();
    barrier.expected = barrier.pending = count;
    barrier.init = access.epoch;
    barrier.init_pc = pc;
  });
}

// What was counted in the phase before must come before whatever counts in this one.
void Machine::check_phase(const Mbarrier& barrier, const VectorClock& order, RunPlace at,
                          const char* what) {
  if (barrier.is_told(order)) return;
  std::vector<Finding::Related> related;
  for (const Mbarrier::Event& one : barrier.returned)
    if (related.empty()) related.push_back({one.at, "waits for the phase before"});
  report(FindingKind::overrun, Grade::error, at,
         fmt::format("{} barrier {} in phase {} while phase {} may not be complete", what,
                     name_of(barrier), barrier.phase, barrier.phase - 1),
         std::move(related));
}

void Machine::check_phase(const Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane,
                          const char* what) {
  if (barrier.phase > 0 && warp.clocks.of(lane).order.of(barrier.component) < barrier.phase)
    check_phase(barrier, warp.issued_by(lane).order, at(warp, pc, lane), what);
}

void Machine::check_completion(Mbarrier& barrier) {
  for (const Mbarrier::Event& one : barrier.asked)
    if (!barrier.current.order.knows(one.epoch)) outcome_.unsettled.insert(one.at.pc);
  for (const Mbarrier::Event& one : barrier.needs_later)
    if (!barrier.arrivals.knows(one.epoch))
      report(FindingKind::counts, Grade::error, one.at,
             fmt::format("phase {} of barrier {} may complete before this: no arrival of the phase "
                         "comes after it",
                         barrier.phase, name_of(barrier)));
  for (const Mbarrier::Event& one : barrier.returned)
    if (!barrier.current.order.knows(one.epoch))
      report(FindingKind::overrun, Grade::error, one.at,
             fmt::format("phase {} of barrier {} may complete before this wait for phase {} sees "
                         "it, and then the wait never ends",
                         barrier.phase, name_of(barrier),
                         static_cast<std::int64_t>(barrier.phase) - 1),
             {{barrier.arrived.empty() ? RunPlace() : barrier.arrived.front().at,
               "arrives in the next phase, and does not come after the wait"}});
}

void Machine::try_complete(Mbarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  check_completion(barrier);
  ++barrier.phase;
  barrier.expected -= barrier.drops;
  barrier.drops = 0;
  barrier.pending = barrier.expected;
  barrier.previous = std::move(barrier.last.order);
  barrier.had_remote = barrier.has_remote;
  barrier.previous_had_bytes = barrier.had_bytes;
  barrier.had_bytes = barrier.has_bytes;
  barrier.has_remote = barrier.has_bytes = false;
  barrier.last = std::move(barrier.current);
  barrier.last.raise(barrier.component, barrier.phase);
  barrier.current.clear();
  barrier.arrivals.clear();
  barrier.arrived.clear();
  barrier.needs_later.clear();
  barrier.returned.clear();
  barrier.asked.clear();
  for (const Waiters& one : barrier.waiters)
    warps_[static_cast<std::size_t>(one.warp)].waiting &= ~one.lanes;
  barrier.waiters.clear();
  ++progress_;
}

void Machine::expect(Mbarrier& barrier, Warp& warp, std::uint32_t pc, int lane, std::uint64_t bytes,
                     bool is_fused) {
  barrier.bytes += static_cast<std::int64_t>(bytes);
  if (barrier.bytes > most_bytes)
    report(FindingKind::range, Grade::error, at(warp, pc, lane),
           fmt::format("barrier {} expects {} bytes: at most {} are possible", name_of(barrier),
                       barrier.bytes, most_bytes));
  if (is_fused) return;
  check_phase(barrier, warp, pc, lane, "expects bytes on");
  warp.publish(1U << lane, false, barrier.current);
  barrier.needs_later.push_back({{warp.thread(lane), warp.time}, at(warp, pc, lane)});
}

void Machine::complete_bytes(Mbarrier& barrier, const Clocks& issued, RunPlace at,
                             std::int64_t bytes) {
  check_phase(barrier, issued.order, at, "brings bytes to");
  barrier.current.order.join(issued.order);
  note_event(barrier, barrier.phase, at);
  barrier.bytes -= bytes;
  if (barrier.bytes < -most_bytes)
    report(FindingKind::range, Grade::error, at,
           fmt::format("barrier {} has got {} bytes that nothing expects", name_of(barrier),
                       -barrier.bytes));
  try_complete(barrier);
}

// `amount`: arrivals, or with expect_tx the bytes that one arrival announces.
void Machine::arrive_at(Mbarrier& barrier, Warp& warp, const Instruction& one, std::uint32_t pc,
                        int lane, std::uint64_t amount) {
  const RunPlace here = at(warp, pc, lane);
  const bool expects = one.has(Word::expect_tx);
  const std::uint64_t count = expects ? 1 : amount;
  check_phase(barrier, warp, pc, lane, "arrives on");
  if (one.results > 0 && one.operands[0].kind == Operand::Kind::row) {
    warp.set_lane(one.operands[0], lane, state_of(barrier));
    warp.set_unsure(one.operands[0], 1U << lane, {1U << lane, reason(Reason::Kind::state, pc)});
  }
  if (count < 1 || count > barrier.pending) {
    stop(FindingKind::counts, Grade::error, here,
         fmt::format("{} arrivals on barrier {}, whose phase {} waits for {} of {}", count,
                     name_of(barrier), barrier.phase, barrier.pending, barrier.expected));
    return;
  }
  const bool is_remote = barrier.cta != warp.cta;
  barrier.has_remote = barrier.has_remote || is_remote;
  use(barrier, warp, pc, lane);
  if (is_remote && one.order != Order::relaxed &&
      (one.scope == Scope::cta || one.scope == Scope::none))
    report(FindingKind::remote_scope, Grade::note, here,
           "a release at CTA scope on a barrier of another CTA: the manual does not say that it "
           "orders memory there");
  if (expects) expect(barrier, warp, pc, lane, amount, true);
  warp.publish(1U << lane, one.order != Order::relaxed, barrier.current,
               is_remote ? Scope::cluster : Scope::cta);
  note_event(barrier, barrier.phase, here);
  const Epoch epoch{warp.thread(lane), warp.time};
  barrier.arrived.push_back({epoch, here});
  if (one.has(Word::no_complete)) {
    barrier.needs_later.push_back({epoch, here});
  } else {
    barrier.arrivals.join(warp.clocks.of(lane).order);
    barrier.arrivals.raise(epoch.component, epoch.clock);
  }
  if (one.has(Word::drop)) barrier.drops += static_cast<std::uint32_t>(count);
  barrier.pending -= static_cast<std::uint32_t>(count);
  if (one.has(Word::no_complete) && barrier.pending == 0)
    report(FindingKind::counts, Grade::error, here,
           fmt::format("an arrival that must not complete a phase completes phase {} of barrier {}",
                       barrier.phase, name_of(barrier)));
  try_complete(barrier);
}

void Machine::arrive(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const bool is_multicast = one.has(Word::multicast);
  const std::size_t address = one.results;
  const bool has_amount = one.operands.size() > address + (is_multicast ? 2U : 1U);
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const std::uint64_t amount =
        has_amount ? warp.value(one.operands[address + 1], lane) & 0xffffffffU : 1;
    Mbarrier* barrier = barrier_at(warp, one, pc, lane, one.operands[address], one.space);
    if (barrier == nullptr) return;
    if (!is_multicast) return arrive_at(*barrier, warp, one, pc, lane, amount);
    const std::uint64_t mask = warp.value(one.operands.back(), lane) & 0xffffffffU;
    for (const int cta : ctas_of(warp, mask, at(warp, pc, lane))) {
      if (stopped_) return;
      Mbarrier* other = barrier_in(cta, barrier->offset, at(warp, pc, lane));
      if (other == nullptr) return;
      check_init(*other, warp, pc, lane);
      note_visit({nullptr, other->cta, 0}, {warp.thread(lane), warp.time}, at(warp, pc, lane));
      arrive_at(*other, warp, one, pc, lane, amount);
    }
  });
  ++warp.time;
}

// Whether a wait for its parity, or by its state, may return now; and which phase it asks for.
bool Machine::is_over(const Mbarrier& barrier, const Warp& warp, const Instruction& one, int lane,
                      std::int64_t& phase) const {
  const std::uint64_t operand = warp.value(one.operands[2], lane);
  const auto current = static_cast<std::int64_t>(barrier.phase);
  if (!one.has(Word::parity)) {
    phase = is_state(barrier, current, operand) ? current : current - 1;
    return current > phase;
  }
  const bool is_over = (barrier.phase & 1) != (operand & 1);
  phase = is_over ? current - 1 : current;
  return is_over;
}

// The manual allows 0 and 1 (PTX ISA, mbarrier.test_wait). ptxas shifts bit 0 into the place that
// the hardware compares, for sm_80 to sm_120. LLVM extends a predicate by its sign, as for Triton:
// all bits are 1, whether a bit or the whole operand decides.
void Machine::check_parity(const Warp& warp, std::uint32_t pc, int lane, const Operand& operand) {
  constexpr std::uint64_t sign_extended = 0xffffffffU;
  const std::uint64_t parity = warp.value(operand, lane) & 0xffffffffU;
  if (parity == sign_extended)
    report(FindingKind::range, Grade::note, at(warp, pc, lane),
           "parity -1: the manual allows 0 and 1; ptxas takes bit 0 of it, so it is 1");
  else if (parity > 1)
    stop(FindingKind::range, Grade::error, at(warp, pc, lane),
         fmt::format("parity {}: 0 and 1 are possible", parity));
}

// A state is of this barrier, and of its current phase or the one before (PTX ISA,
// mbarrier.test_wait).
void Machine::check_state(const Mbarrier& barrier, const Warp& warp, const Instruction& one,
                          std::uint32_t pc, int lane) {
  if (one.has(Word::parity)) return;
  const std::uint64_t state = warp.value(one.operands[2], lane);
  const auto current = static_cast<std::int64_t>(barrier.phase);
  if (is_state(barrier, current, state) || is_state(barrier, current - 1, state)) return;
  report(FindingKind::overrun, Grade::error, at(warp, pc, lane),
         fmt::format("the state is not one of the current phase of barrier {}, or of the one "
                     "before",
                     name_of(barrier)));
}

// The lanes have waited for a phase. They must have known that the one before it was complete, and
// the one after it must not complete before they have seen this one.
void Machine::wait_over(Mbarrier& barrier, Warp& warp, std::uint32_t pc, Mask lanes,
                        std::int64_t phase, const Instruction& acquire) {
  tell(warp, pc, lanes);
  // An acquire of CTA scope does not reach what another CTA released. Where the text names no
  // scope, it has that one; compilers rely on more.
  const bool is_short = barrier.had_remote && acquire.scope <= Scope::cta;
  const Scope needed = is_short ? Scope::cluster : Scope::cta;
  const bool acquires =
      acquire.order != Order::relaxed && (!is_short || acquire.scope == Scope::none);
  if (is_short && acquires) {
    relies_on_cta_scope_ = true;
    report(FindingKind::remote_scope, Grade::note, at(warp, pc, std::countr_zero(lanes)),
           "a wait at CTA scope for arrivals of another CTA: the manual does not say that it "
           "orders memory of that one");
  }
  each_lane(lanes, [&](int lane) {
    const bool is_known =
        phase < 1 ||
        warp.clocks.of(lane).order.of(barrier.component) >= static_cast<std::uint32_t>(phase) ||
        (!barrier.previous_had_bytes &&
         warp.issued_by(lane).order.covers(barrier.previous, barrier.component));
    if (!is_known)
      report(FindingKind::overrun, Grade::error, at(warp, pc, lane),
             fmt::format("this wait for phase {} of barrier {} may begin before phase {} is "
                         "complete, and then it sees the phase before that",
                         phase, name_of(barrier), phase - 1));
    barrier.returned.push_back({{warp.thread(lane), warp.time}, at(warp, pc, lane)});
    note_event(barrier, phase, at(warp, pc, lane));
  });
  if (barrier.phase > 0) warp.learn(lanes, barrier.last, acquires, needed);
}

// Whether no lane leaves it but by its try.
bool Machine::is_kept(const Warp& warp, const RetryLoop& loop, Mask lanes) const {
  return std::all_of(loop.keeps.begin(), loop.keeps.end(), [&](const Operand& keep) {
    return (warp.unsure(keep).lanes & lanes) == 0 && (lanes & ~warp.mask_of(keep)) == 0;
  });
}

Machine::Went Machine::wait(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const RetryLoop* loop =
      one.retry < 0 ? nullptr : &program_.retries[static_cast<std::size_t>(one.retry)];
  if (loop != nullptr && !is_kept(warp, *loop, lanes)) {
    loop = nullptr;
    ++progress_;
  }
  if (loop != nullptr) mark_turns(warp, pc, *loop, lanes);
  Token token;
  token.pc = pc;
  Mask over = 0;
  std::map<std::pair<std::int32_t, std::int64_t>, Mask> together;
  each_lane(lanes, [&](int lane) {
    const auto n = static_cast<std::size_t>(lane);
    Mbarrier* barrier = barrier_at(warp, one, pc, lane, one.operands[1], one.space);
    if (barrier == nullptr) return;
    if (barrier->cta != warp.cta)
      stop(FindingKind::range, Grade::error, at(warp, pc, lane),
           "a wait for a barrier of another CTA");
    token.barrier[n] = barrier->number;
    use(*barrier, warp, pc, lane);
    if (one.has(Word::parity)) check_parity(warp, pc, lane, one.operands[2]);
    check_state(*barrier, warp, one, pc, lane);
    if (is_over(*barrier, warp, one, lane, token.phase[n])) over |= 1U << lane;
    together[{barrier->number, token.phase[n]}] |= 1U << lane;
  });
  if (stopped_) return Went::stays;
  if (loop == nullptr && options_.watch != nullptr)
    each_lane(lanes, [&](int lane) {
      if (options_.watch->lie(warp, one, lane, over >> lane & 1) != 0) over ^= 1U << lane;
    });
  warp.set_mask(one.operands[0], lanes, over);
  if (loop == nullptr) {
    token.over = over;
    answer(warp, one, lanes, token);
    return Went::on;
  }
  warp.set_unsure(one.operands[0], lanes, {});
  for (const auto& [asked, mask] : together) {
    Mbarrier& barrier = *barriers_[static_cast<std::size_t>(asked.first)];
    if (const Mask done = mask & over; done != 0)
      wait_over(barrier, warp, pc, done, asked.second, one);
    if (const Mask left = mask & ~over; left != 0) {
      barrier.waiters.push_back({static_cast<int>(&warp - warps_.data()), left});
      warp.waiting |= left;
    }
  }
  if (over != 0) ++progress_;
  each_lane(over, [&](int lane) { warp.pcs[static_cast<std::size_t>(lane)] = pc + 1; });
  return Went::elsewhere;
}

Machine::Went Machine::execute_barrier(Warp& warp, const Instruction& one, std::uint32_t pc,
                                       Mask lanes) {
  if (!require_sure(warp, one, pc, lanes)) return Went::on;
  switch (one.op) {
    case Op::bar_warp_sync: return warp_sync(warp, one, pc, lanes);
    case Op::bar_sync:
    case Op::bar_arrive: return cta_barrier(warp, one, pc, lanes);
    case Op::cluster_arrive:
    case Op::cluster_wait: return cluster_barrier(warp, one, pc, lanes);
    case Op::mbarrier_wait: return wait(warp, one, pc, lanes);
    case Op::mbarrier_init: init_barriers(warp, one, pc, lanes); return Went::on;
    case Op::mbarrier_arrive: arrive(warp, one, pc, lanes); return Went::on;
    default: break;
  }
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    if (one.op == Op::mbarrier_pending) {
      stop(FindingKind::decision, Grade::unsupported, at(warp, pc, lane),
           "the count in a barrier's state is not modelled");
      return;
    }
    Mbarrier* barrier = barrier_at(warp, one, pc, lane, one.operands[0], one.space);
    if (barrier == nullptr) return;
    if (one.op == Op::mbarrier_inval) {
      touch({ctas_[static_cast<std::size_t>(barrier->cta)].shared.get(), barrier->cta,
             barrier->offset},
            8, access_of(warp, one, pc, lane, true), warp.viewer(lane));
      check_unused(*barrier, warp, pc, lane, "invalidated");
      barrier->is_valid = false;
      return;
    }
    use(*barrier, warp, pc, lane);
    const std::uint64_t bytes = warp.value(one.operands[1], lane) & 0xffffffffU;
    if (one.op == Op::mbarrier_expect) {
      expect(*barrier, warp, pc, lane, bytes, false);
      return;
    }
    // It is relaxed: a fence before it makes it a release.
    warp.publish(1U << lane, false, barrier->current,
                 barrier->cta == warp.cta ? Scope::cta : Scope::cluster);
    complete_bytes(*barrier, warp.issued_by(lane), at(warp, pc, lane),
                   static_cast<std::int64_t>(bytes));
  });
  ++warp.time;
  return Went::on;
}

}  // namespace phasebit::ptx::run
