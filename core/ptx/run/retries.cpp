#include "core/ptx/flow/flow.h"
#include "core/ptx/run/warp.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::ptx::run {
namespace {

bool is_poll(const Instruction& one) {
  return one.op == Op::mbarrier_wait || (one.op == Op::ld && one.order != Order::weak);
}

// Nothing that others see, and no wait of another kind.
bool is_without_effect(const Instruction& one) {
  return one.op <= Op::bra || one.op == Op::clock || one.op == Op::nanosleep;
}

// A row or a predicate as one number.
std::uint64_t name_of(const Operand& operand) {
  return std::uint64_t{operand.row} << 1 | (operand.kind == Operand::Kind::predicate ? 1 : 0);
}

// Where a loop goes on after a try that failed: what is computed is known as far as that answer and
// constants say it.
class FailedTry {
 public:
  FailedTry(const RunProgram& program, std::uint32_t poll, std::uint32_t first, std::uint32_t last)
      : program_(program), poll_(poll), first_(first), last_(last) {}

  // Whether all ways from there lead to the next try, when `answer` has that value.
  bool stays(std::uint32_t from, const Operand& answer, bool value) {
    forget();
    warp_.set_mask(answer, one_lane, value ? one_lane : 0);
    warp_.set_unsure(answer, one_lane, {});
    seen_.clear();
    open_.clear();
    reach(from);
    while (!open_.empty()) {
      const std::uint32_t pc = open_.back();
      open_.pop_back();
      if (pc == poll_) continue;
      if (pc < first_ || pc > last_) return false;
      restore(seen_.at(pc));
      step(program_.code[pc], pc);
    }
    return true;
  }

 private:
  static constexpr Mask one_lane = 1;
  static constexpr Unsure unknown{one_lane, 0};
  struct State {
    std::vector<std::uint64_t> values;
    std::vector<std::uint32_t> predicates;
    std::vector<Unsure> unsure_rows, unsure_predicates;
  };

  void forget() {
    warp_.values.assign(std::size_t{program_.rows} * lanes_of_warp, 0);
    warp_.predicates.assign(program_.predicates, 0);
    warp_.unsure_rows.assign(program_.rows, unknown);
    warp_.unsure_predicates.assign(program_.predicates, unknown);
    for (const ConstantRow& one : program_.constants) {
      warp_.row(one.row)[0] = one.value;
      warp_.unsure_rows[one.row] = {};
    }
  }

  void restore(const State& state) {
    warp_.values = state.values;
    warp_.predicates = state.predicates;
    warp_.unsure_rows = state.unsure_rows;
    warp_.unsure_predicates = state.unsure_predicates;
  }

  // What differs between two ways to a place is unknown there.
  void reach(std::uint32_t pc) {
    const auto [found, is_new] = seen_.try_emplace(
        pc, State{warp_.values, warp_.predicates, warp_.unsure_rows, warp_.unsure_predicates});
    State& kept = found->second;
    bool more = is_new;
    const auto join = [&](Unsure& was, const Unsure& now, bool is_same) {
      if (was.lanes != 0 || (now.lanes == 0 && is_same)) return;
      was = unknown;
      more = true;
    };
    for (std::uint32_t n = 0; n < program_.rows; ++n)
      join(kept.unsure_rows[n], warp_.unsure_rows[n],
           kept.values[std::size_t{n} * lanes_of_warp] == warp_.row(n)[0]);
    for (std::uint32_t n = 0; n < program_.predicates; ++n)
      join(kept.unsure_predicates[n], warp_.unsure_predicates[n],
           ((kept.predicates[n] ^ warp_.predicates[n]) & one_lane) == 0);
    if (more) open_.push_back(pc);
  }

  void step(const Instruction& one, std::uint32_t pc) {
    bool may = true, may_not = false;
    if (one.guard.kind != Operand::Kind::none) {
      const bool is_known = warp_.unsure(one.guard).lanes == 0;
      may = !is_known || (warp_.mask_of(one.guard) & one_lane) != 0;
      may_not = !is_known || !may;
    }
    if (one.op == Op::bra) {
      // Both are reached with what is known here.
      if (may) reach(one.target);
      if (may_not) reach(pc + 1);
      return;
    }
    const bool computes =
        one.op < Op::bra && one.op != Op::opaque && one.op != Op::policy && one.op != Op::cvta;
    if (may && computes) compute(warp_, one, one_lane);
    for (std::size_t n = 0; n < one.results && may && (!computes || may_not); ++n)
      warp_.set_unsure(one.operands[n], one_lane, unknown);
    reach(pc + 1);
  }

  const RunProgram& program_;
  std::uint32_t poll_, first_, last_;
  Warp warp_;  // of one lane
  std::map<std::uint32_t, State> seen_;
  std::vector<std::uint32_t> open_;
};

class RetryFinder {
 public:
  RetryFinder(const PtxFile& file, const PtxFunction& function, RunProgram& program)
      : program_(program), flow_(flow::flow_of(file, function)) {
    for (std::uint32_t pc = 0; pc < program.code.size(); ++pc)
      pc_of_[program.code[pc].statement] = pc;
  }

  void find() {
    std::vector<flow::PtxLoop> loops = flow::loops_of(flow_);
    for (std::size_t n = 0, count = loops.size(); n < count; ++n) {
      std::vector<flow::PtxLoop> within = flow::loops_within(flow_, loops[n]);
      loops.insert(loops.end(), within.begin(), within.end());
    }
    std::stable_sort(loops.begin(), loops.end(), [](const auto& a, const auto& b) {
      return a.blocks.size() < b.blocks.size();
    });
    for (const flow::PtxLoop& loop : loops) add(loop);
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) find_skip(pc);
  }

 private:
  // All of its instructions, in order; empty where it is not one run of the text.
  std::vector<std::uint32_t> code_of(const flow::PtxLoop& loop) const {
    std::vector<std::uint32_t> code;
    for (const std::size_t at : flow::statements_of(flow_, loop))
      if (const auto pc = pc_of_.find(static_cast<std::uint32_t>(at)); pc != pc_of_.end())
        code.push_back(pc->second);
    std::sort(code.begin(), code.end());
    const bool whole = !code.empty() && code.back() - code.front() + 1 == code.size();
    return whole ? code : std::vector<std::uint32_t>();
  }

  void add(const flow::PtxLoop& loop) {
    const std::vector<std::uint32_t> code = code_of(loop);
    RetryLoop made;
    int polls = 0;
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      if (one.retry >= 0) return;  // a loop around one that waits
      if (is_poll(one)) {
        made.poll = pc;
        ++polls;
      } else if (!is_without_effect(one)) {
        return;
      }
    }
    if (polls != 1 || !find_exit(loop, made) || !is_left_by_try(made, code)) return;
    find_changing(code, made);
    find_comparison(code, made);
    for (const std::uint32_t pc : code)
      program_.code[pc].retry = static_cast<std::int32_t>(program_.retries.size());
    program_.retries.push_back(std::move(made));
  }

  // One place to go on at.
  bool find_exit(const flow::PtxLoop& loop, RetryLoop& made) const {
    std::set<int> exits;
    for (const int block : loop.blocks)
      for (const int next : flow_.blocks[static_cast<std::size_t>(block)].successors)
        if (!loop.holds(next)) exits.insert(next);
    if (exits.size() != 1) return false;
    for (const std::size_t at : flow::statements_of(flow_, *exits.begin()))
      if (const auto pc = pc_of_.find(static_cast<std::uint32_t>(at)); pc != pc_of_.end()) {
        made.exit = pc->second;
        return true;
      }
    // A block of labels alone: the closing brace, where the kernel ends.
    return false;
  }

  bool leaves(std::uint32_t pc, const std::vector<std::uint32_t>& code) const {
    const Instruction& one = program_.code[pc];
    if (one.op != Op::bra) return false;
    const bool conditional = one.guard.kind != Operand::Kind::none;
    return one.target < code.front() || one.target > code.back() ||
           (conditional && pc == code.back());
  }

  // Whether a failed try stays, and the try alone decides it.
  bool is_left_by_try(const RetryLoop& loop, const std::vector<std::uint32_t>& code) const {
    const Instruction& poll = program_.code[loop.poll];
    FailedTry failed(program_, loop.poll, code.front(), code.back());
    if (poll.op == Op::ld) return is_left_by_word(loop, code, failed);
    for (const std::uint32_t pc : code)
      if (pc < loop.poll && leaves(pc, code)) return false;
    return failed.stays(loop.poll + 1, poll.operands[0], false);
  }

  // The one comparison of what was loaded decides. Where there are several the run tells.
  bool is_left_by_word(const RetryLoop& loop, const std::vector<std::uint32_t>& code,
                       FailedTry& failed) const {
    std::set<std::uint64_t> loaded;
    std::vector<std::uint32_t> comparisons;
    const Instruction& poll = program_.code[loop.poll];
    for (std::size_t n = 0; n < poll.results; ++n) loaded.insert(name_of(poll.operands[n]));
    for (bool more = true; more;) more = spread(code, loaded);
    for (const std::uint32_t pc : code)
      if (program_.code[pc].op == Op::setp) comparisons.push_back(pc);
    if (comparisons.size() != 1) return !comparisons.empty();
    const Instruction& one = program_.code[comparisons.front()];
    if (!loaded.contains(name_of(one.operands[0])) || one.operands.size() > one.results + 2U)
      return false;
    const bool unequal = one.has(Word::ne);
    const auto stays = [&](bool answer) {
      return failed.stays(comparisons.front() + 1, one.operands[0], answer);
    };
    return stays(unequal) || (!unequal && !one.has(Word::eq) && stays(true));
  }

  template <typename Visit>
  static void each_read(const Instruction& one, const Visit& visit) {
    if (one.guard.kind != Operand::Kind::none) visit(one.guard);
    for (std::size_t n = one.results; n < one.operands.size(); ++n) visit(one.operands[n]);
  }

  // Rows that are handed from turn to turn, and what is made of them.
  void find_changing(const std::vector<std::uint32_t>& code, RetryLoop& made) const {
    std::set<std::uint64_t> written, done, changing;
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      for (std::size_t n = 0; n < one.results && pc != made.poll; ++n)
        written.insert(name_of(one.operands[n]));
    }
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      each_read(one, [&](const Operand& read) {
        if (written.contains(name_of(read)) && !done.contains(name_of(read)))
          changing.insert(name_of(read));
      });
      // What a guard may leave as it was is not written for sure.
      for (std::size_t n = 0; n < one.results && one.guard.kind == Operand::Kind::none; ++n)
        done.insert(name_of(one.operands[n]));
    }
    // What only a failed try does, the run does not show.
    bool only_failed = false;
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      const bool maybe = only_failed || one.guard.kind != Operand::Kind::none;
      for (std::size_t n = 0; n < one.results && maybe && pc != made.poll; ++n)
        changing.insert(name_of(one.operands[n]));
      only_failed = only_failed || leaves(pc, code);
    }
    for (bool more = !changing.empty(); more;) more = spread(code, changing);
    for (const std::uint64_t name : changing)
      ((name & 1) != 0 ? made.predicates : made.rows)
          .push_back(static_cast<std::uint32_t>(name >> 1));
  }

  bool spread(const std::vector<std::uint32_t>& code, std::set<std::uint64_t>& changing) const {
    bool more = false;
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      bool reads = false;
      each_read(one,
                [&](const Operand& read) { reads = reads || changing.contains(name_of(read)); });
      for (std::size_t n = 0; reads && n < one.results; ++n)
        more = changing.insert(name_of(one.operands[n])).second || more;
    }
    return more;
  }

  // Of a load: whether one setp.eq decides, or setp.ne.
  void find_comparison(const std::vector<std::uint32_t>& code, RetryLoop& made) const {
    const Instruction& poll = program_.code[made.poll];
    if (poll.op != Op::ld || poll.results != 1) return;
    int comparisons = 0, equal = 0;
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      if (one.op != Op::setp) continue;
      ++comparisons;
      if (one.has(Word::eq) || one.has(Word::ne)) ++equal;
    }
    made.of_equal = comparisons == 1 && equal == 1;
  }

  // "@token bra ready; wait: try ...; @!done bra wait; ready:"
  void find_skip(std::uint32_t pc) {
    Instruction& branch = program_.code[pc];
    if (branch.op != Op::bra || branch.guard.kind == Operand::Kind::none || branch.retry >= 0 ||
        branch.target <= pc + 1)
      return;
    const std::int32_t loop = program_.code[pc + 1].retry;
    if (loop < 0 || program_.retries[static_cast<std::size_t>(loop)].exit != branch.target) return;
    for (std::uint32_t at = pc + 1; at < branch.target; ++at)
      if (program_.code[at].retry != loop) return;
    branch.skips = loop;
  }

  RunProgram& program_;
  flow::PtxFlow flow_;
  std::map<std::uint32_t, std::uint32_t> pc_of_;
};

}  // namespace

void find_retries(const PtxFile& file, const PtxFunction& function, RunProgram& program) {
  RetryFinder(file, function, program).find();
}

}  // namespace phasebit::ptx::run
