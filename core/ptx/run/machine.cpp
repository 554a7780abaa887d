#include "core/ptx/run/machine.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace phasebit::ptx::run {

const char* to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::deadlock: return "deadlock";
    case FindingKind::race: return "race";
    case FindingKind::proxy: return "missing proxy fence";
    case FindingKind::overrun: return "phase overrun";
    case FindingKind::counts: return "counts";
    case FindingKind::uninitialised: return "barrier not initialised";
    case FindingKind::overwritten: return "barrier overwritten";
    case FindingKind::left: return "barrier of a CTA that left";
    case FindingKind::named: return "named barrier";
    case FindingKind::bounds: return "out of bounds";
    case FindingKind::misaligned: return "misaligned";
    case FindingKind::range: return "operand out of range";
    case FindingKind::payload: return "wrong payload";
    case FindingKind::registers: return "registers";
    case FindingKind::decision: return "decision";
    case FindingKind::steps: return "step bound";
    case FindingKind::remote_scope: return "scope of a remote arrival";
    case FindingKind::early_exit: return "early exit";
  }
  bug("a kind of finding without a name");
}

std::string to_string(const Reason& reason) {
  switch (reason.kind) {
    case Reason::Kind::clock: return "a clock";
    case Reason::Kind::poll: return "the answer of a try";
    case Reason::Kind::atomic: return "an atomic that several threads run on one address";
    case Reason::Kind::flag: return "a load that others store to meanwhile";
    case Reason::Kind::answer: return "the answer of cluster launch control";
    case Reason::Kind::turns: return "how often a wait was tried";
    case Reason::Kind::unfollowed: return "a value that is not computed";
    case Reason::Kind::state: return "the state of a barrier";
    case Reason::Kind::unwritten: return "a register that nothing has written to";
    case Reason::Kind::unwritten_memory: return "memory that nothing has written to";
    case Reason::Kind::open: return "a result that the manual leaves open";
    case Reason::Kind::lane: return "a lane that takes no part";
    case Reason::Kind::elected: return "which lane is elected";
    case Reason::Kind::address: return "where a variable or a buffer lies";
    case Reason::Kind::unfilled: return "what a buffer holds that nothing fills";
    case Reason::Kind::place: return "where on the GPU the CTA runs";
  }
  bug("a reason without a name");
}

Machine::Machine(const RunProgram& program, const RunLaunch& launch, const RunOptions& options)
    : program_(program), launch_(launch), options_(options), draw_(options.seed) {
  unwritten_memory_ = reason(Reason::Kind::unwritten_memory, 0);
  if (const auto wrong = complaint_about(program, launch)) {
    report(wrong->kind, wrong->grade, {}, wrong->what);
    stopped_ = wrong->grade != Grade::note;
    if (stopped_) return;
  }
  // CTAs of an SM whose number is given are there at once.
  if (launch.sm_of_cta.empty() && !launch.cooperative) residency_ = residency_of(program, launch);
  for (std::size_t n = 0; n < launch.buffers.size(); ++n) {
    const RunBuffer& buffer = launch.buffers[n];
    buffers_.push_back(
        std::make_unique<Region>(buffer.name, address_of_buffer(n), buffer.bytes, &buffer.words));
    if (!buffer.is_open) continue;
    buffers_.back()->initial_unsure = reason(Reason::Kind::unfilled, 0);
    buffers_.back()->first_unsure = 4 * buffer.words.size();
  }
  for (const SharedVariable& one : program.variables) {
    if (one.space != Space::global) continue;
    variables_.push_back(std::make_unique<Region>(
        one.name, address_of_buffer(first_variable + static_cast<std::size_t>(one.offset)),
        one.bytes, &one.initial));
    Region& made = *variables_.back();
    made.is_constant = one.constant;
    made.is_supposed = one.is_initialised && !one.constant;
    // The host, or an earlier launch, has left something in those without an initialiser.
    if (!one.is_initialised) made.initial_unsure = unwritten_memory_;
  }
  make_bases();
  for (const SharedVariable& one : program.variables)
    for (const auto& [offset, variable] : one.addresses)
      variables_[one.offset]->hold(offset, 8, {base_of_variable(variable), -1});
  for (const RunTensorMap& one : launch.maps)
    maps_[{nullptr, one.offset}] = {one.map, one.address, ++map_versions_};
  make_ctas();
}

void Machine::make_ctas() {
  const int warps = launch_.warps();
  const int size = std::max(1, launch_.ctas_of_cluster());
  next_component_ = static_cast<Component>(launch_.ctas() * warps * lanes_of_warp);
  for (const auto* regions : {&buffers_, &variables_})
    for (const auto& region : *regions) {
      region->threads = warps * lanes_of_warp;
      region->ctas_of_cluster = size;
    }
  clusters_.resize(static_cast<std::size_t>(launch_.ctas() / size));
  warps_.reserve(static_cast<std::size_t>(launch_.ctas()) * static_cast<std::size_t>(warps));
  for (int n = 0; n < launch_.ctas(); ++n) {
    Cta cta;
    cta.cluster = n / size;
    cta.rank = n % size;
    cta.first_warp = n * warps;
    cta.shared = std::make_unique<Region>("shared memory", 0,
                                          program_.static_shared_bytes + launch_.shared_bytes);
    cta.shared->cta = n;
    cta.shared->threads = warps * lanes_of_warp;
    cta.shared->ctas_of_cluster = size;
    cta.shared->initial_unsure = unwritten_memory_;
    ctas_.push_back(std::move(cta));
    for (int number = 0; number < warps; ++number) make_warp(n, number);
  }
  for (std::size_t n = 0; n < clusters_.size(); ++n)
    clusters_[n].first_cta = static_cast<int>(n) * size;
}

void Machine::make_warp(int cta, int number) {
  Warp& warp = warps_.emplace_back();
  warp.cta = cta;
  warp.number = number;
  warp.first_thread = static_cast<int>(warps_.size() - 1) * lanes_of_warp;
  const int left = launch_.threads() - number * lanes_of_warp;
  warp.live = warp.launched = left >= lanes_of_warp ? all_lanes : (1U << left) - 1;
  warp.registers = most_registers(program_, launch_);
  warp.values.resize(std::size_t{program_.rows} * lanes_of_warp);
  warp.predicates.resize(program_.predicates);
  const Unsure unwritten{all_lanes, reason(Reason::Kind::unwritten, 0)};
  warp.unsure_rows.resize(program_.rows, unwritten);
  warp.unsure_predicates.resize(program_.predicates, unwritten);
  warp.based.resize(program_.rows);
  warp.bases.resize(std::size_t{program_.rows} * lanes_of_warp);
  for (const ConstantRow& one : program_.constants) {
    std::fill_n(warp.row(one.row), lanes_of_warp, one.value);
    warp.unsure_rows[one.row] = {};
    for (int lane = 0; lane < lanes_of_warp && one.variable >= 0; ++lane)
      warp.set_base({Operand::Kind::row, false, one.row, 0}, lane, base_of_variable(one.variable));
  }
  warp.unsure_predicates[false_predicate] = {};
  for (const SpecialRow& one : program_.specials) {
    const bool is_place = one.name == "%warpid" || one.name == "%nwarpid" ||
                          (one.name == "%smid" && launch_.sm_of_cta.empty());
    warp.unsure_rows[one.row] =
        is_place ? Unsure{all_lanes, reason(Reason::Kind::place, 0)} : Unsure{};
  }
  for (const SpecialRow& one : program_.specials)
    for (int lane = 0; lane < lanes_of_warp; ++lane)
      warp.row(one.row)[lane] = special(one.name, warp, lane);
}

namespace {

// Of the index of a thread or CTA.
int part(int index, const std::array<int, 3>& size, char axis) {
  if (axis == 'x') return index % size[0];
  return axis == 'y' ? index / size[0] % size[1] : index / size[0] / size[1];
}

}  // namespace

std::uint64_t Machine::special(const std::string& name, const Warp& warp, int lane) {
  const int thread = warp.number * lanes_of_warp + lane;
  const Cta& cta = ctas_[static_cast<std::size_t>(warp.cta)];
  const char axis = name.back();
  const auto extent = [&](const std::array<int, 3>& size) {
    return size[static_cast<std::size_t>(axis - 'x')];
  };
  const std::string base = name.substr(0, name.find('.'));
  const std::uint32_t bit = 1U << lane;
  const std::vector<int>& sms = launch_.sm_of_cta;
  const auto number = static_cast<std::size_t>(warp.cta);
  const std::pair<const char*, std::int64_t> known[] = {
      {"%laneid", lane},
      {"%warpid", warp.number},
      {"%nwarpid", static_cast<std::int64_t>(warps_.capacity() / ctas_.size())},
      {"%smid", number < sms.size() ? sms[number] : 0},
      {"%cluster_ctarank", cta.rank},
      {"%cluster_nctarank", launch_.ctas_of_cluster()},
      {"%is_explicit_cluster", program_.is_explicit_cluster || launch_.ctas_of_cluster() > 1},
      {"%dynamic_smem_size", launch_.shared_bytes},
      {"%lanemask_eq", bit},
      {"%lanemask_lt", bit - 1},
      {"%lanemask_le", bit | (bit - 1)},
      {"%lanemask_gt", std::uint32_t{~(bit | (bit - 1))}},
      {"%lanemask_ge", std::uint32_t{~(bit - 1)}}};
  for (const auto& [word, value] : known)
    if (name == word) return static_cast<std::uint64_t>(value);
  if (axis < 'x' || axis > 'z') {
    stop(FindingKind::decision, Grade::unsupported, {}, name + " is not modelled");
    return 0;
  }
  // CTAs are numbered cluster by cluster.
  const auto index = static_cast<std::size_t>(axis - 'x');
  std::array<int, 3> clusters = launch_.grid;
  for (std::size_t n = 0; n < 3; ++n) clusters[n] /= std::max(1, launch_.cluster[n]);
  const int in_cluster = part(cta.rank, launch_.cluster, axis);
  const int cluster = part(cta.cluster, clusters, axis);
  int value = 0;
  if (base == "%tid")
    value = part(thread, launch_.block, axis);
  else if (base == "%ntid")
    value = extent(launch_.block);
  else if (base == "%ctaid")
    value = cluster * launch_.cluster[index] + in_cluster;
  else if (base == "%nctaid")
    value = extent(launch_.grid);
  else if (base == "%cluster_ctaid")
    value = in_cluster;
  else if (base == "%clusterid")
    value = cluster;
  else if (base == "%nclusterid")
    value = extent(clusters);
  else if (base == "%cluster_nctaid")
    value = extent(launch_.cluster);
  else
    stop(FindingKind::decision, Grade::unsupported, {}, name + " is not modelled");
  return static_cast<std::uint64_t>(value);
}

void Machine::report(FindingKind kind, Grade grade, RunPlace at, std::string what,
                     std::vector<Finding::Related> related) {
  // Without the order that a lock or a flag gave, a missing order is no error yet.
  const bool is_of_order = kind == FindingKind::race || kind == FindingKind::proxy ||
                           kind == FindingKind::overrun || kind == FindingKind::left ||
                           kind == FindingKind::uninitialised;
  if (has_lost_order_ && is_of_order && grade == Grade::error) grade = Grade::unproved;
  const std::uint32_t other = related.empty() ? 0 : related.front().at.pc + 1;
  const auto what_kind =
      static_cast<std::uint8_t>(static_cast<int>(kind) * 4 + static_cast<int>(grade));
  if (!reported_.insert({what_kind, {at.pc, other}}).second) return;
  outcome_.findings.push_back({kind, grade, at, std::move(what), std::move(related)});
}

void Machine::stop(FindingKind kind, Grade grade, RunPlace at, std::string what) {
  report(kind, grade, at, std::move(what));
  stopped_ = true;
}

std::uint32_t Machine::reason(Reason::Kind kind, std::uint32_t pc, int token) {
  if (token < 0) {
    const auto key = std::pair(static_cast<std::uint8_t>(kind), pc);
    const auto [found, is_new] =
        reason_of_.emplace(key, static_cast<std::uint32_t>(reasons_.size()));
    if (is_new) reasons_.push_back({kind, pc, token});
    return found->second;
  }
  reasons_.push_back({kind, pc, token});
  return static_cast<std::uint32_t>(reasons_.size() - 1);
}

void Machine::report_decision(const Warp& warp, const Operand& operand, std::uint32_t pc,
                              Mask lanes, const char* what) {
  const Unsure& unsure = warp.unsure(operand);
  const Reason& why = reasons_[unsure.why];
  const bool is_opaque = why.kind == Reason::Kind::unfollowed;
  const bool has_place = why.kind != Reason::Kind::place && why.kind != Reason::Kind::unwritten &&
                         why.kind != Reason::Kind::unfilled;
  has_lost_order_ =
      has_lost_order_ || why.kind == Reason::Kind::flag || why.kind == Reason::Kind::atomic;
  report(FindingKind::decision, is_opaque ? Grade::unsupported : Grade::unproved,
         at(warp, pc, std::countr_zero(unsure.lanes & lanes)),
         fmt::format("{} depends on {}", what, to_string(why)),
         has_place ? std::vector<Finding::Related>{{{why.pc, -1}, "which comes from here"}}
                   : std::vector<Finding::Related>());
  stopped_ = stopped_ || is_opaque;
}

namespace {

// Whether an operand is a mask, count, size, lane or parity, not an address or data.
bool is_count(const Instruction& one, std::size_t operand) {
  const std::size_t first = one.results;
  if (one.op == Op::brx || (one.op >= Op::bar_sync && one.op < Op::mbarrier_init)) return true;
  if (one.op >= Op::warp_sync && one.op <= Op::redux) return operand > first;
  if (one.op == Op::elect || one.op == Op::setmaxnreg) return true;
  if (one.op == Op::cp_async || one.op == Op::bulk_copy) return operand == 2;
  return one.op == Op::mapa
             ? operand == 2
             : one.op >= Op::mbarrier_init && one.op < Op::cp_async && operand > first;
}

}  // namespace

// What is made of an address differs from launch to launch.
void Machine::check_number(const Warp& warp, const Operand& operand, std::uint32_t pc, Mask lanes) {
  if (operand.kind != Operand::Kind::row || (warp.based[operand.row] & lanes) == 0) return;
  report(FindingKind::decision, Grade::unproved,
         at(warp, pc, std::countr_zero(warp.based[operand.row] & lanes)),
         "it depends on " + to_string(Reason{Reason::Kind::address, pc, -1}));
}

// A finding for each unsure operand, and the guard, of an instruction that has an effect. It runs
// with the values that it has in this schedule: false where they are not known at all. Values that
// are stored may be unsure, and so may the state that a wait asks for.
bool Machine::require_sure(const Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const auto check = [&](const Operand& operand) {
    if (operand.kind != Operand::Kind::none && (warp.unsure(operand).lanes & lanes) != 0)
      report_decision(warp, operand, pc, lanes, "it");
  };
  check(one.guard);
  const bool stores = one.op == Op::st || one.op == Op::red || one.op == Op::atom ||
                      one.op == Op::st_async || one.op == Op::st_matrix;
  for (std::size_t n = one.results; n < one.operands.size(); ++n) {
    const bool is_barrier = one.op == Op::st_async && n + 1 == one.operands.size();
    const bool is_data = stores && n > one.results && !is_barrier;
    const bool is_state = one.op == Op::mbarrier_wait && n == 2 && !one.has(Word::parity) &&
                          reasons_[warp.unsure(one.operands[n]).why].kind == Reason::Kind::state;
    const bool is_vote =
        (one.op == Op::vote || one.op == Op::shfl || one.op == Op::match || one.op == Op::redux) &&
        n == one.results;
    if (!is_data && !is_state && !is_vote) check(one.operands[n]);
    if (is_count(one, n)) check_number(warp, one.operands[n], pc, lanes);
  }
  return !stopped_;
}

void Machine::mark_turns(Warp& warp, std::uint32_t pc, const RetryLoop& loop, Mask lanes) {
  if (loop.rows.empty() && loop.predicates.empty()) return;
  const Unsure turns{lanes, reason(Reason::Kind::turns, pc)};
  for (const std::uint32_t row : loop.rows)
    warp.set_unsure({Operand::Kind::row, false, row, 0}, lanes, turns);
  for (const std::uint32_t row : loop.predicates)
    warp.set_unsure({Operand::Kind::predicate, false, row, 0}, lanes, turns);
}

Machine::Went Machine::branch_by_index(Warp& warp, const Instruction& one, std::uint32_t pc,
                                       Mask lanes) {
  if (!require_sure(warp, one, pc, lanes)) return Went::stays;
  const std::vector<std::uint32_t>& table = program_.tables[one.target];
  each_lane(lanes, [&](int lane) {
    const std::uint64_t index = warp.value(one.operands[0], lane) & 0xffffffffU;
    if (index >= table.size())
      return stop(FindingKind::range, Grade::error, at(warp, pc, lane),
                  fmt::format("entry {} of a table of {}", index, table.size()));
    warp.pcs[static_cast<std::size_t>(lane)] = table[index];
    if (one.has(Word::uni) && warp.value(one.operands[0], std::countr_zero(lanes)) != index)
      report(FindingKind::range, Grade::error, at(warp, pc, lane),
             "the lanes do not agree here, and it says that they do (.uni)");
  });
  return Went::elsewhere;
}

Machine::Went Machine::branch(Warp& warp, const Instruction& one, std::uint32_t pc, Mask group,
                              Mask taken) {
  check_decision(warp, one, pc, group, taken);
  each_lane(taken, [&](int lane) { warp.pcs[static_cast<std::size_t>(lane)] = one.target; });
  if (one.retry < 0) return Went::elsewhere;
  const RetryLoop& loop = program_.retries[static_cast<std::size_t>(one.retry)];
  if (program_.code[loop.poll].op != Op::ld) return Went::elsewhere;
  Mask leaving = 0;
  each_lane(group, [&](int lane) {
    const std::uint32_t next = warp.pcs[static_cast<std::size_t>(lane)];
    if (program_.code[next].retry != one.retry) leaving |= 1U << lane;
  });
  if (one.target <= pc) warp.polling |= taken & ~leaving;
  if (leaving == 0) return Went::elsewhere;
  end_poll(warp, loop, leaving);
  if (one.guard.kind != Operand::Kind::none) warp.set_unsure(one.guard, leaving, {});
  ++progress_;
  return Went::elsewhere;
}

void Machine::leave(Warp& warp, Mask lanes) {
  warp.live &= ~lanes;
  warp.parked = 0;  // they look again
  Cta& cta = cta_of(warp);
  Cluster& cluster = clusters_[static_cast<std::size_t>(cta.cluster)];
  // A thread that has arrived and leaves is neither waited for nor counted.
  Mask arrived = 0;
  each_lane(lanes, [&](int lane) {
    if (warp.cluster_phase[static_cast<std::size_t>(lane)] > cluster.phase) arrived |= 1U << lane;
  });
  cluster.arrived -= std::popcount(arrived);
  // Barriers for all threads that are left wait for those that leave; that publishes no memory.
  Clocks known;
  warp.publish(lanes & ~arrived, false, known);
  cluster.left.join(known.order);
  warp.publish(arrived, false, known);
  cta.left.join(known.order);
  if (warp.live == 0)
    for (CtaBarrier& barrier : cta.named)
      if (barrier.arrived > 0 && barrier.expected == 0) try_complete(cta, barrier);
  ++warp.time;
  try_complete(cluster);
}

Machine::Went Machine::execute(Warp& warp, const Instruction& one, std::uint32_t pc, Mask group,
                               Mask lanes) {
  if (one.op == Op::bra) return branch(warp, one, pc, group, lanes);
  if (one.op == Op::brx) return branch_by_index(warp, one, pc, lanes);
  if (one.op == Op::policy) {
    each_lane(lanes, [&](int lane) { warp.set_lane(one.operands[0], lane, 0); });
    warp.set_unsure(one.operands[0], lanes, {lanes, reason(Reason::Kind::unfollowed, pc)});
  } else if (is_of_whole_warp(one)) {
    return execute_whole(warp, one, pc, lanes);
  } else if (one.op == Op::opaque) {
    compute_unfollowed(warp, one, pc, lanes);
  } else if (one.op == Op::cvta) {
    convert_address(warp, one, lanes);
  } else if (one.op < Op::bra) {
    compute_numbers(warp, one, pc, lanes);
  } else if (one.op == Op::exit) {
    if (require_sure(warp, one, pc, group)) leave(warp, lanes);
    return Went::elsewhere;
  } else if (one.op == Op::trap) {
    stop(FindingKind::range, Grade::error, at(warp, pc, std::countr_zero(lanes)),
         "the kernel stops itself");
  } else if (one.op == Op::call) {
    stop(FindingKind::decision, Grade::unsupported, at(warp, pc, std::countr_zero(lanes)),
         "calls of functions are not modelled");
  } else if (one.op == Op::clock) {
    for (std::size_t n = 0; n < one.results; ++n) {
      each_lane(lanes,
                [&](int lane) { warp.set_lane(one.operands[n], lane, outcome_.instructions); });
      warp.set_unsure(one.operands[n], lanes, {lanes, reason(Reason::Kind::clock, pc)});
    }
  } else if (one.op <= Op::active_mask) {
    return execute_together(warp, one, pc, lanes);
  } else if (one.op <= Op::fence_proxy) {
    execute_memory(warp, one, pc, lanes);
  } else if (one.op <= Op::mbarrier_pending) {
    return execute_barrier(warp, one, pc, lanes);
  } else {
    return execute_copy(warp, one, pc, lanes);
  }
  return Went::on;
}

// One instruction of lanes that are at `pc`. They are further where it went `on`; their own pcs
// say so where it did not.
Machine::Went Machine::step(Warp& warp, std::uint32_t pc, Mask group) {
  const Instruction& one = program_.code[pc];
  ++outcome_.instructions;
  if (one.retry < 0) ++progress_;
  Mask lanes = group, unsure = 0;
  if (one.guard.kind == Operand::Kind::predicate) {
    lanes &= warp.mask_of(one.guard);
    unsure = warp.unsure(one.guard).lanes & group;
  }
  each_lane(group & ~lanes, [&](int lane) { warp.pcs[static_cast<std::size_t>(lane)] = pc + 1; });
  const bool decides = one.op == Op::bra || one.op == Op::exit;
  const bool is_pure = one.op < Op::bra || one.op == Op::query_cancel || one.op == Op::clock;
  if (unsure != 0 && !decides && !is_pure) require_sure(warp, one, pc, group);
  if (unsure != 0 && is_of_whole_warp(one)) report_decision(warp, one.guard, pc, group, "it");
  if (warp.has_products) check_accumulators(warp, one, pc);
  // What lanes do together is told where they have met, a wait where it is over.
  if (one.retry < 0 && !is_of_several(one)) tell(warp, pc, decides ? group : lanes);
  Went went = Went::on;
  if (one.has(Word::uni) && one.op != Op::vote && lanes != 0 && lanes != group)
    report(FindingKind::range, Grade::error, at(warp, pc, std::countr_zero(group & ~lanes)),
           "the lanes do not agree here, and it says that they do (.uni)");
  Otherwise otherwise;
  if (unsure != 0 && is_pure && !warp.otherwise.empty())
    otherwise = guarded_false(warp, one, unsure);
  if (lanes != 0 || decides) went = execute(warp, one, pc, group, lanes);
  // What an unsure guard may have written is unsure.
  if (unsure != 0 && is_pure)
    for (std::size_t n = 0; n < one.results; ++n)
      warp.set_unsure(one.operands[n], unsure, {unsure, warp.unsure(one.guard).why});
  if (otherwise.token >= 0) warp.otherwise[row_name(one.operands[0])] = otherwise;
  return went;
}

namespace {

// Whether it ends at once, and those who run it go on to the next.
bool is_straight(const Instruction& one) {
  const bool is_number = one.op < Op::bra, is_access = one.op >= Op::ld && one.op <= Op::red;
  return (is_number || is_access) && one.retry < 0 && !is_of_whole_warp(one);
}

}  // namespace

void Machine::run_warp(Warp& warp, int quantum) {
  while (quantum > 0 && !stopped_) {
    const Mask ready = warp.live & ~(warp.waiting | warp.parked | warp.polling);
    if (ready == 0) return;
    std::uint32_t pc = 0xffffffffU;
    each_lane(ready,
              [&](int lane) { pc = std::min(pc, warp.pcs[static_cast<std::size_t>(lane)]); });
    Mask group = 0;
    each_lane(ready, [&](int lane) {
      if (warp.pcs[static_cast<std::size_t>(lane)] == pc) group |= 1U << lane;
    });
    Went went = step(warp, pc, group);
    --quantum;
    if (went != Went::on) continue;
    // Lanes that are all together need no look at each.
    while (group == ready && quantum > 0 && !stopped_ && is_straight(program_.code[pc]) &&
           pc + 1 < program_.code.size() && is_straight(program_.code[pc + 1])) {
      step(warp, ++pc, group);
      --quantum;
    }
    each_lane(group, [&](int lane) { warp.pcs[static_cast<std::size_t>(lane)] = pc + 1; });
  }
}

// A CTA must not leave while others use its shared memory, or copies do.
void Machine::check_left() {
  for (std::size_t n = 0; n < ctas_.size(); ++n)
    for (const auto& [component, visit] : ctas_[n].visits)
      if (ctas_[n].left.of(component) < visit.first)
        report(FindingKind::left, Grade::error, visit.second,
               fmt::format("CTA {} may leave before this has ended in its shared memory", n));
}

// What the warps of a warpgroup must run together, and whether registers went to whoever asked
// first.
void Machine::check_groups() {
  constexpr std::size_t group = 4;
  const std::size_t per_cta = warps_.size() / ctas_.size();
  for (std::size_t n = 0; n < warps_.size(); ++n) {
    const Warp &warp = warps_[n], &first = warps_[n - n % per_cta % group];
    const Warp& other = warp.group_path != 0 ? warp : first;
    if (warp.group_path != first.group_path)
      report(FindingKind::early_exit, Grade::error, at(other, other.group_pc, 0),
             "the warps of a warpgroup must run this together, and they do not");
    else if (warp.group_places != first.group_places)
      report(FindingKind::registers, Grade::note, at(warp, warp.group_pc, 0),
             "the manual asks for one setmaxnreg of all warps of a warpgroup: they run equal ones "
             "at different places",
             {{at(first, first.group_pc, 0), "the first warp's last one"}});
  }
  for (const Cluster& cluster : clusters_) check_registers(cluster);
}

RunOutcome Machine::run() {
  std::vector<std::size_t> order(warps_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // A short turn may end within a poll: several rounds show that none comes on.
  const int most_idle = options_.seed == 0 ? 0 : 16;
  int idle = 0;
  while (!stopped_) {
    const std::uint64_t before = progress_;
    bool is_alive = false;
    if (options_.seed != 0) std::shuffle(order.begin(), order.end(), draw_);
    for (const std::size_t n : order) {
      Warp& warp = warps_[n];
      warp.polling = 0;
      is_alive = is_alive || warp.live != 0;
      if (warp.can_run())
        run_warp(warp, options_.seed == 0 ? 4096 : 1 + static_cast<int>(draw_() % 64));
    }
    outcome_.ended = !is_alive;
    if (!is_alive && pending_.empty()) {
      check_left();
      check_groups();
      check_columns();
      break;
    }
    if (outcome_.instructions > options_.most_steps)
      stop(FindingKind::steps, Grade::unproved, {},
           fmt::format("not at its end after {} instructions of warps", options_.most_steps));
    if (!pending_.empty() && (progress_ == before || draw_() % 4 == 0)) {
      const std::size_t which = draw_() % pending_.size();
      Transfer transfer = std::move(pending_[which]);
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(which));
      land(transfer);
      ++progress_;
    } else if (progress_ != before) {
      idle = 0;
    } else if (!stopped_ && idle++ == most_idle) {
      report_stuck();
      break;
    }
  }
  keep_memory();
  return std::move(outcome_);
}

void Machine::keep_memory() {
  const auto is_of_schedule = [](Reason::Kind kind) {
    return kind != Reason::Kind::clock && kind != Reason::Kind::atomic &&
           kind != Reason::Kind::place && kind != Reason::Kind::address &&
           kind != Reason::Kind::unfilled && kind != Reason::Kind::unfollowed;
  };
  for (std::size_t n = 0; n < buffers_.size(); ++n) {
    const Region& buffer = *buffers_[n];
    std::vector<std::uint32_t>& words = outcome_.memory.emplace_back();
    if (buffer.bytes > (std::uint64_t{1} << 26)) continue;
    words.resize(static_cast<std::size_t>((buffer.bytes + 3) / 4));
    for (std::size_t word = 0; word < words.size(); ++word) {
      words[word] = static_cast<std::uint32_t>(buffer.read(4 * word, 4));
      const Reason& why = reasons_[buffer.unsure(4 * word, 4)];
      if (buffer.unsure(4 * word, 4) != 0 && is_of_schedule(why.kind))
        outcome_.unsure.push_back({n, word, {why.pc, -1}, to_string(why)});
    }
  }
}

}  // namespace phasebit::ptx::run
