#include "core/ptx/flow/flow.h"
#include "core/ptx/run/instruction.h"
#include "core/ptx/run/warp.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace phasebit::ptx::run {
namespace {

bool is_poll(const Instruction& one) {
  return one.op == Op::mbarrier_wait || (one.op == Op::ld && one.order != Order::weak);
}

// Nothing that others see, and no wait of another kind.
bool is_without_effect(const Instruction& one) {
  return one.op <= Op::bra || one.op == Op::clock || one.op == Op::nanosleep;
}

class RetryFinder {
 public:
  RetryFinder(const PtxFile& file, const PtxFunction& function, RunProgram& program)
      : program_(program), flow_(flow::flow_of(file, function)) {
    for (std::uint32_t pc = 0; pc < program.code.size(); ++pc)
      pc_of_[program.code[pc].statement] = pc;
    lane_.values.resize(std::size_t{program.rows} * lanes_of_warp);
    lane_.predicates.resize(program.predicates);
    lane_.unsure_rows.resize(program.rows);
    lane_.unsure_predicates.resize(program.predicates);
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
    find_tokens();
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
    if (polls != 1 || !find_exit(loop, made)) return;
    // Where a try fails, the loop must stay. The run leaves on success. Polls of words have a rule
    // of their own.
    const Instruction& poll = program_.code[made.poll];
    if (poll.guard.kind != Operand::Kind::none) return;
    if (poll.op != Op::ld && !stays(made.poll, made.poll, false, code)) return;
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

  // What is known of rows and predicates, by name.
  using Known = std::map<std::uint64_t, std::uint64_t>;

  // Into a row of the one lane that computes.
  void put(const Operand& read, const Known& known) {
    if (read.kind == Operand::Kind::none) return;
    const auto found = known.find(row_name(read));
    lane_.unsure(read) = {found == known.end() ? 1U : 0U, 0};
    if (found != known.end()) lane_.set_value(read, 0, found->second);
  }

  std::optional<bool> holds(const Operand& guard, const Known& known) {
    if (guard.kind == Operand::Kind::none) return true;
    put(guard, known);
    if (lane_.unsure(guard).lanes != 0) return std::nullopt;
    return (lane_.mask_of(guard) & 1) != 0;
  }

  void evaluate(const Instruction& one, Known& known) {
    const std::optional<bool> runs = holds(one.guard, known);
    if (runs == false) return;
    each_read(one, [&](const Operand& read) { put(read, known); });
    const bool is_number =
        runs && one.op < Op::opaque && one.op != Op::cvta && one.op != Op::policy;
    const bool is_open = !is_number || compute(lane_, one, 1) != 0;
    for (std::size_t n = 0; n < one.results; ++n) {
      const Operand& made = one.operands[n];
      if (made.kind == Operand::Kind::none) continue;
      if (is_open || (lane_.unsure(made).lanes & 1) != 0)
        known.erase(row_name(made));
      else
        known[row_name(made)] = lane_.value_of(made, 0);
    }
  }

  // Whether each way from the poll leads back to it where the instruction `at` gives `answer`.
  bool stays(std::uint32_t poll, std::uint32_t at, bool answer,
             const std::vector<std::uint32_t>& code) {
    struct Way {
      std::uint32_t pc;
      Known known;
    };
    Known constants{{row_name({Operand::Kind::predicate, false, false_predicate, 0}), 0}};
    for (const ConstantRow& one : program_.constants)
      constants[row_name({Operand::Kind::row, false, one.row, 0})] = one.value;
    std::vector<Way> ways{{poll, std::move(constants)}};
    constexpr int most_steps = 2000;
    for (int steps = 0; !ways.empty();) {
      Way way = std::move(ways.back());
      ways.pop_back();
      for (bool is_begin = way.pc == poll; is_begin || way.pc != poll; is_begin = false) {
        if (way.pc < code.front() || way.pc > code.back() || ++steps > most_steps) return false;
        const Instruction& one = program_.code[way.pc];
        std::uint32_t next = way.pc + 1;
        if (one.op == Op::bra) {
          const std::optional<bool> taken = holds(one.guard, way.known);
          if (!taken && one.target != poll) ways.push_back({one.target, way.known});
          if (taken == true) next = one.target;
        } else {
          evaluate(one, way.known);
        }
        if (way.pc == at) way.known[row_name(one.operands[0])] = answer ? 1 : 0;
        way.pc = next;
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
        written.insert(row_name(one.operands[n]));
    }
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      each_read(one, [&](const Operand& read) {
        if (written.contains(row_name(read)) && !done.contains(row_name(read)))
          changing.insert(row_name(read));
      });
      // What a guard may leave as it was is not written for sure.
      for (std::size_t n = 0; n < one.results && one.guard.kind == Operand::Kind::none; ++n)
        done.insert(row_name(one.operands[n]));
    }
    // What only a failed try does, the run does not show.
    bool only_failed = false;
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      const bool maybe = only_failed || one.guard.kind != Operand::Kind::none;
      for (std::size_t n = 0; n < one.results && maybe && pc != made.poll; ++n)
        changing.insert(row_name(one.operands[n]));
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
                [&](const Operand& read) { reads = reads || changing.contains(row_name(read)); });
      for (std::size_t n = 0; reads && n < one.results; ++n)
        more = changing.insert(row_name(one.operands[n])).second || more;
    }
    return more;
  }

  // Of a load: the one comparison of what it loaded, and the answer without which the loop stays.
  void find_comparison(const std::vector<std::uint32_t>& code, RetryLoop& made) {
    const Instruction& poll = program_.code[made.poll];
    if (poll.op != Op::ld || poll.results != 1) return;
    const std::uint64_t loaded = row_name(poll.operands[0]);
    std::set<std::uint64_t> written;
    int readers = 0;
    std::uint32_t setp = 0;
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      for (std::size_t n = 0; n < one.results; ++n) written.insert(row_name(one.operands[n]));
      bool reads = false;
      each_read(one, [&](const Operand& read) { reads = reads || row_name(read) == loaded; });
      if (!reads) continue;
      ++readers;
      setp = pc;
    }
    const Instruction& one = program_.code[setp];
    if (readers != 1 || one.op != Op::setp || one.results != 1 || one.operands.size() != 3 ||
        one.guard.kind != Operand::Kind::none || one.type.kind == Type::Kind::float_ ||
        one.type.bits != poll.type.bits)
      return;
    made.wanted = row_name(one.operands[1]) == loaded ? 2 : 1;
    if (written.contains(row_name(one.operands[made.wanted]))) return;
    for (const bool answer : {false, true}) {
      if (!stays(made.poll, setp, answer, code)) continue;
      made.comparison = static_cast<std::int32_t>(setp);
      made.leaves_when = !answer;
      return;
    }
  }

  // Computes one number of others, and nothing else.
  static bool is_plain(const Instruction& one) {
    return one.op < Op::opaque && one.op != Op::cvta && one.op != Op::policy &&
           one.guard.kind == Operand::Kind::none && one.retry < 0;
  }

  // "@token bra ready; wait: try ...; @!done bra wait; ready:", and before the wait what it needs.
  void find_skip(std::uint32_t pc) {
    Instruction& branch = program_.code[pc];
    if (branch.op != Op::bra || branch.guard.kind == Operand::Kind::none || branch.retry >= 0 ||
        branch.target <= pc + 1)
      return;
    std::uint32_t at = pc + 1;
    while (at < branch.target && is_plain(program_.code[at])) ++at;
    const std::int32_t loop = program_.code[at].retry;
    if (at >= branch.target || loop < 0) return;
    const RetryLoop& retry = program_.retries[static_cast<std::size_t>(loop)];
    if (retry.exit != branch.target) return;
    for (std::uint32_t other = at; other < branch.target; ++other)
      if (program_.code[other].retry != loop) return;
    for (; at < retry.poll; ++at)
      if (program_.code[at].op >= Op::opaque || program_.code[at].op == Op::cvta) return;
    branch.skips = loop;
  }

  // Tries from whose answer the predicate of a skip may come.
  void find_tokens() {
    std::set<std::uint64_t> wanted;
    for (const Instruction& one : program_.code)
      if (one.skips >= 0) wanted.insert(row_name(one.guard));
    for (std::size_t before = 0; before != wanted.size();) {
      before = wanted.size();
      for (Instruction& one : program_.code) {
        bool writes = false;
        for (std::size_t n = 0; n < one.results; ++n)
          writes = writes || wanted.contains(row_name(one.operands[n]));
        if (!writes) continue;
        one.is_token = one.op == Op::mbarrier_wait;
        if (!one.is_token)
          each_read(one, [&](const Operand& read) { wanted.insert(row_name(read)); });
      }
    }
  }

  RunProgram& program_;
  Warp lane_;
  flow::PtxFlow flow_;
  std::map<std::uint32_t, std::uint32_t> pc_of_;
};

}  // namespace

void find_retries(const PtxFile& file, const PtxFunction& function, RunProgram& program) {
  RetryFinder(file, function, program).find();
}

}  // namespace phasebit::ptx::run
