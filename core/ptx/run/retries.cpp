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

// Nothing that others see, and no wait of another kind. Nor numbers of 128 bits, which have two
// rows.
bool is_without_effect(const Instruction& one) {
  return (one.op <= Op::bra || one.op == Op::clock || one.op == Op::nanosleep) &&
         one.type.bits != 128;
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
  // All of its instructions, in order. Others may be among them: compilers put the end of a loop
  // after what follows it.
  std::vector<std::uint32_t> code_of(const flow::PtxLoop& loop) const {
    std::vector<std::uint32_t> code;
    for (const std::size_t at : flow::statements_of(flow_, loop))
      if (const auto pc = pc_of_.find(static_cast<std::uint32_t>(at)); pc != pc_of_.end())
        code.push_back(pc->second);
    std::sort(code.begin(), code.end());
    return code;
  }
  static bool is_in(const std::vector<std::uint32_t>& code, std::uint32_t pc) {
    return std::binary_search(code.begin(), code.end(), pc);
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
    if (polls != 1 || !(find_exit(loop, made) || find_exit_and_keeps(code, made))) return;
    // Where a try fails, the loop must stay. The run leaves on success. Polls of words have a rule
    // of their own.
    const Instruction& poll = program_.code[made.poll];
    if (poll.guard.kind != Operand::Kind::none) return;
    if (poll.op != Op::ld && !stays(made, made.poll, false, code)) return;
    if (poll.op == Op::ld && !made.keeps.empty()) return;
    if (!find_changing(code, made)) return;
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

  // One place to go on at by what changes, others by predicates that no turn changes.
  bool find_exit_and_keeps(const std::vector<std::uint32_t>& code, RetryLoop& made) const {
    std::set<std::uint64_t> written;
    for (const std::uint32_t pc : code)
      each_write(program_.code[pc], [&](std::uint64_t name) { written.insert(name); });
    std::set<std::uint32_t> exits;
    for (const std::uint32_t pc : code) {
      const Instruction& one = program_.code[pc];
      const bool jumps_out = one.op == Op::bra && !is_in(code, one.target);
      const bool falls_out =
          (one.op != Op::bra || one.guard.kind != Operand::Kind::none) && !is_in(code, pc + 1);
      if (!jumps_out && !falls_out) continue;
      if (one.op != Op::bra || one.guard.kind == Operand::Kind::none || (jumps_out && falls_out))
        return false;
      if (written.contains(row_name(one.guard))) {
        exits.insert(jumps_out ? one.target : pc + 1);
        continue;
      }
      made.keeps.push_back(one.guard);
      if (jumps_out) made.keeps.back().negated = !one.guard.negated;
    }
    if (exits.size() != 1) return false;
    made.exit = *exits.begin();
    return true;
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
  bool stays(const RetryLoop& loop, std::uint32_t at, bool answer,
             const std::vector<std::uint32_t>& code) {
    const std::uint32_t poll = loop.poll;
    struct Way {
      std::uint32_t pc;
      Known known;
    };
    Known constants{{row_name({Operand::Kind::predicate, false, false_predicate, 0}), 0}};
    for (const ConstantRow& one : program_.constants)
      constants[row_name({Operand::Kind::row, false, one.row, 0})] = one.value;
    for (const Operand& keep : loop.keeps) constants[row_name(keep)] = keep.negated ? 0 : 1;
    std::vector<Way> ways{{poll, std::move(constants)}};
    constexpr int most_steps = 2000;
    for (int steps = 0; !ways.empty();) {
      Way way = std::move(ways.back());
      ways.pop_back();
      for (bool is_begin = way.pc == poll; is_begin || way.pc != poll; is_begin = false) {
        if (!is_in(code, way.pc) || ++steps > most_steps) return false;
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
    for (std::size_t n = one.results; n < one.operands.size(); ++n)
      if (one.operands[n].kind != Operand::Kind::none) visit(one.operands[n]);
  }

  // By name.
  template <typename Visit>
  static void each_write(const Instruction& one, const Visit& visit) {
    for (std::size_t n = 0; n < one.results; ++n)
      if (one.operands[n].kind != Operand::Kind::none) visit(row_name(one.operands[n]));
  }

  // Which write of each row an instruction sees, by any way: the one of the loop, or one of these.
  enum Write : std::int64_t { no_way = -3, several = -2, before_loop = -1 };
  using Writes = std::map<std::uint64_t, std::int64_t>;

  static bool join(std::int64_t& kept, std::int64_t other) {
    const std::int64_t was = kept;
    if (kept == no_way)
      kept = other;
    else if (other != no_way && other != kept)
      kept = several;
    return kept != was;
  }

  // Where the rest of the program branches to, and the first of the loop.
  std::set<std::uint32_t> entries_of(const std::vector<std::uint32_t>& code) const {
    std::set<std::uint32_t> entries{code.front()};
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instruction& one = program_.code[pc];
      if (is_in(code, pc)) continue;
      if (one.op == Op::bra) entries.insert(one.target);
      if (one.op == Op::brx)
        entries.insert(program_.tables[one.target].begin(), program_.tables[one.target].end());
    }
    return entries;
  }

  std::vector<std::uint32_t> successors_of(std::uint32_t pc) const {
    const Instruction& one = program_.code[pc];
    std::vector<std::uint32_t> all;
    if (one.op == Op::brx) all = program_.tables[one.target];
    if (one.op == Op::bra) all.push_back(one.target);
    const bool always = one.guard.kind == Operand::Kind::none;
    const bool falls = one.op < Op::bra || one.op > Op::trap || !always;
    if (falls && pc + 1 < program_.code.size()) all.push_back(pc + 1);
    return all;
  }

  // Before each instruction of the loop; without rows that it does not write.
  std::map<std::uint32_t, Writes> writes_before(const std::vector<std::uint32_t>& code) const {
    Writes none;
    for (const std::uint32_t pc : code)
      each_write(program_.code[pc], [&](std::uint64_t name) { none[name] = no_way; });
    std::map<std::uint32_t, Writes> before;
    for (const std::uint32_t pc : code) before[pc] = none;
    for (const std::uint32_t pc : entries_of(code))
      if (const auto found = before.find(pc); found != before.end())
        for (auto& [name, write] : found->second) write = before_loop;
    for (bool more = true; more;) {
      more = false;
      for (const std::uint32_t pc : code) {
        const Instruction& one = program_.code[pc];
        Writes after = before[pc];
        each_write(one, [&](std::uint64_t name) {
          std::int64_t& write = after[name];
          if (one.guard.kind == Operand::Kind::none) write = no_way;
          join(write, pc);
        });
        for (const std::uint32_t next : successors_of(pc))
          if (const auto found = before.find(next); found != before.end())
            for (const auto& [name, write] : after) more = join(found->second[name], write) || more;
      }
    }
    return before;
  }

  // Whether the instruction finds the same in a row in each turn: what was there before the loop,
  // or what one instruction of it computes of nothing but the like. `known`: of instructions.
  bool is_same(const std::map<std::uint32_t, Writes>& before, std::uint32_t pc, std::uint64_t name,
               std::map<std::uint32_t, bool>& known) const {
    const Writes& writes = before.at(pc);
    const auto found = writes.find(name);
    if (found == writes.end() || found->second == before_loop) return true;
    if (found->second < 0) return false;
    const auto by = static_cast<std::uint32_t>(found->second);
    const auto [answer, is_new] = known.emplace(by, false);
    if (!is_new) return answer->second;
    const Instruction& one = program_.code[by];
    bool same = one.op < Op::opaque && one.guard.kind == Operand::Kind::none;
    each_read(one, [&](const Operand& read) {
      same = same && is_same(before, by, row_name(read), known);
    });
    return answer->second = same;
  }

  // The rows that the poll may find other in another turn: how many there were, the run does not
  // show. False where it polls by one of them.
  bool find_changing(const std::vector<std::uint32_t>& code, RetryLoop& made) const {
    const std::map<std::uint32_t, Writes> before = writes_before(code);
    std::map<std::uint32_t, bool> known;
    bool same = true;
    each_read(program_.code[made.poll], [&](const Operand& read) {
      same = same && is_same(before, made.poll, row_name(read), known);
    });
    for (const auto& [name, write] : before.at(made.poll))
      if (!is_same(before, made.poll, name, known))
        ((name & 1) != 0 ? made.predicates : made.rows)
            .push_back(static_cast<std::uint32_t>(name >> 1));
    return same;
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
        one.type.bits < poll.type.bits || (poll.type.bits >= 32 && one.type.bits != poll.type.bits))
      return;
    made.wanted = row_name(one.operands[1]) == loaded ? 2 : 1;
    if (written.contains(row_name(one.operands[made.wanted]))) return;
    for (const bool answer : {false, true}) {
      if (!stays(made, setp, answer, code)) continue;
      made.comparison = static_cast<std::int32_t>(setp);
      made.leaves_when = !answer;
      return;
    }
  }

  // Computes one number of others, and nothing else.
  static bool is_plain(const Instruction& one) {
    return one.op < Op::opaque && one.op != Op::cvta && one.op != Op::policy &&
           one.guard.kind == Operand::Kind::none && one.retry < 0 && one.type.bits != 128;
  }

  // "@token bra ready; wait: try ...; @!done bra wait; ready:", and before the wait what it needs.
  // What is skipped leaves nothing that is read after it.
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
    if (retry.exit != branch.target || program_.code[retry.poll].op != Op::mbarrier_wait ||
        !retry.keeps.empty())
      return;
    for (std::uint32_t other = at; other < branch.target; ++other)
      if (program_.code[other].retry != loop) return;
    for (; at < retry.poll; ++at)
      if (const Instruction& one = program_.code[at];
          one.op >= Op::opaque || one.op == Op::cvta || one.guard.kind != Operand::Kind::none)
        return;
    bool leaves = false;
    for (std::uint32_t other = pc + 1; other < branch.target; ++other)
      each_write(program_.code[other],
                 [&](std::uint64_t name) { leaves = leaves || is_read_from(branch.target, name); });
    if (!leaves) branch.skips = loop;
  }

  // Whether some way from there reads what the row holds there.
  bool is_read_from(std::uint32_t from, std::uint64_t name) const {
    std::vector<bool> seen(program_.code.size());
    std::vector<std::uint32_t> ways{from};
    while (!ways.empty()) {
      const std::uint32_t pc = ways.back();
      ways.pop_back();
      if (pc >= seen.size() || seen[pc]) continue;
      seen[pc] = true;
      const Instruction& one = program_.code[pc];
      bool reads = false, writes = false;
      each_read(one, [&](const Operand& read) { reads = reads || row_name(read) == name; });
      if (reads || one.op == Op::call) return true;
      each_write(one, [&](std::uint64_t other) { writes = writes || other == name; });
      if (writes && one.guard.kind == Operand::Kind::none) continue;
      for (const std::uint32_t next : successors_of(pc)) ways.push_back(next);
    }
    return false;
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
