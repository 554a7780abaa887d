#include "core/ptx/flow/flow.h"
#include "core/ptx/run/instruction.h"

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
    if (polls != 1 || !find_exit(loop, made) || !is_left_by(made.poll, code)) return;
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

  // A value that tells the poll's answer, one way or the other, and nothing else.
  static bool tells(const Instruction& one, const std::set<std::uint64_t>& told) {
    const auto is_told = [&](std::size_t n) { return told.contains(name_of(one.operands[n])); };
    const bool guarded = one.guard.kind != Operand::Kind::none;
    if (guarded || one.results != 1 || one.operands.size() < 2) return false;
    switch (one.op) {
      case Op::mov:
      case Op::cvt:
      case Op::not_: return is_told(1);
      case Op::selp:
        return one.operands.size() == 4 && is_told(3) && !is_told(1) && !is_told(2) &&
               one.operands[1].row != one.operands[2].row;
      case Op::setp:
        return one.operands.size() == 3 && (one.has(Word::eq) || one.has(Word::ne)) &&
               is_told(1) != is_told(2);
      default: return false;
    }
  }

  // Whether each way out is decided by the answer of this turn's try. The run leaves on success;
  // so a failed try stays. Polls of words have a rule of their own.
  bool is_left_by(std::uint32_t poll, const std::vector<std::uint32_t>& code) const {
    if (program_.code[poll].op == Op::ld) return true;
    std::set<std::uint64_t> told = {name_of(program_.code[poll].operands[0])};
    bool after_branch = false;  // that the answer decides
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      const bool decided =
          one.guard.kind != Operand::Kind::none && told.contains(name_of(one.guard));
      if (leaves(pc, code) && (pc < poll || (!decided && !after_branch))) return false;
      after_branch = one.op == Op::bra && decided;
      if (pc <= poll) continue;
      const bool is_answer = tells(one, told);
      for (std::size_t n = 0; n < one.results; ++n) {
        told.erase(name_of(one.operands[n]));
        if (is_answer) told.insert(name_of(one.operands[n]));
      }
    }
    return true;
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
