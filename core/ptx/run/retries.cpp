#include "core/ptx/flow/flow.h"
#include "core/ptx/run/instruction.h"

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

  std::optional<std::uint64_t> value_of(const Operand& operand, const Known& known) const {
    const auto found = known.find(row_name(operand));
    if (operand.kind != Operand::Kind::predicate)
      return found == known.end() || operand.offset != 0 ? std::nullopt
                                                         : std::optional(found->second);
    const bool is_constant = operand.row == false_predicate;
    if (!is_constant && found == known.end()) return std::nullopt;
    return ((is_constant ? 0 : found->second) != 0) != operand.negated ? 1 : 0;
  }

  // `a` and `b`, or `a` or `b`: one that is known may be enough.
  static std::optional<std::uint64_t> joined(std::optional<std::uint64_t> a,
                                             std::optional<std::uint64_t> b, bool is_or) {
    const std::uint64_t enough = is_or ? 1 : 0;
    if ((a && *a == enough) || (b && *b == enough)) return enough;
    return a && b ? std::optional(1 - enough) : std::nullopt;
  }

  // Of predicates, and of numbers where a comparison or a choice is told from them.
  std::optional<std::uint64_t> result_of(const Instruction& one, const Known& known) const {
    if (one.results != 1 || one.operands.size() < 2) return std::nullopt;
    const auto in = [&](std::size_t n) { return value_of(one.operands[n], known); };
    const bool is_predicate = one.operands[0].kind == Operand::Kind::predicate;
    const bool is_number = one.type.kind != Type::Kind::float_;
    if (one.op == Op::mov && one.operands.size() == 2) return in(1);
    if (one.op == Op::cvt && is_number && one.from.kind != Type::Kind::float_) return in(1);
    if (one.op == Op::selp && in(3)) return *in(3) != 0 ? in(1) : in(2);
    if (is_predicate && one.op == Op::not_ && in(1)) return 1 - *in(1);
    if (is_predicate && (one.op == Op::and_ || one.op == Op::or_))
      return joined(in(1), in(2), one.op == Op::or_);
    if (one.op == Op::and_ && in(1) && in(2)) return *in(1) & *in(2);
    if (one.op != Op::setp || !is_number) return std::nullopt;
    std::optional<std::uint64_t> holds;
    if (in(1) && in(2)) holds = compared(one, *in(1), *in(2)) ? 1 : 0;
    if (one.operands.size() == 3) return holds;
    if (one.has(Word::xor_)) return std::nullopt;
    return joined(holds, in(3), one.has(Word::or_));
  }

  void evaluate(const Instruction& one, Known& known) const {
    const bool guarded = one.guard.kind != Operand::Kind::none;
    const auto runs = guarded ? value_of(one.guard, known) : std::optional<std::uint64_t>(1);
    if (runs && *runs == 0) return;
    const auto made = runs ? result_of(one, known) : std::nullopt;
    for (std::size_t n = 0; n < one.results; ++n) known.erase(row_name(one.operands[n]));
    if (made) known[row_name(one.operands[0])] = *made;
  }

  // Whether each way from the poll leads back to it where the instruction `at` gives `answer`.
  bool stays(std::uint32_t poll, std::uint32_t at, bool answer,
             const std::vector<std::uint32_t>& code) const {
    struct Way {
      std::uint32_t pc;
      Known known;
    };
    Known constants;
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
          const bool guarded = one.guard.kind != Operand::Kind::none;
          const auto taken =
              guarded ? value_of(one.guard, way.known) : std::optional<std::uint64_t>(1);
          if (!taken && one.target != poll) ways.push_back({one.target, way.known});
          if (taken && *taken != 0) next = one.target;
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
  void find_comparison(const std::vector<std::uint32_t>& code, RetryLoop& made) const {
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

  RunProgram& program_;
  flow::PtxFlow flow_;
  std::map<std::uint32_t, std::uint32_t> pc_of_;
};

}  // namespace

void find_retries(const PtxFile& file, const PtxFunction& function, RunProgram& program) {
  RetryFinder(file, function, program).find();
}

}  // namespace phasebit::ptx::run
