#include "tests/analysis/sass/schedule_rules.h"

#include "analysis/flow/flow.h"
#include "tests/analysis/sass/operands.h"

#include <algorithm>
#include <array>
#include <set>

namespace phasebit::test {
namespace {

enum class Unit { none, special, shared, memory, constant, system, fp64 };

const std::map<std::string_view, Unit> units = {
    {"MUFU", Unit::special}, {"POPC", Unit::special}, {"FLO", Unit::special},
    {"I2F", Unit::special},  {"F2I", Unit::special},  {"F2F", Unit::special},
    {"BREV", Unit::special}, {"LDS", Unit::shared},   {"STS", Unit::shared},
    {"ATOMS", Unit::shared}, {"SHFL", Unit::shared},  {"LDG", Unit::memory},
    {"STG", Unit::memory},   {"ATOMG", Unit::memory}, {"LDL", Unit::memory},
    {"STL", Unit::memory},   {"LDC", Unit::constant}, {"LDCU", Unit::constant},
    {"S2R", Unit::system},   {"S2UR", Unit::system},  {"DFMA", Unit::fp64},
    {"DADD", Unit::fp64},    {"DMUL", Unit::fp64}};
const std::set<std::string_view> stores = {"STS", "STG", "STL", "ST"};
const std::set<std::string_view> fixed_latency = {
    "IADD", "IADD3", "VIADD", "IMAD", "LOP3",  "PRMT", "SHF",   "SEL",   "LEA",
    "FADD", "FMUL",  "FFMA",  "FSEL", "ISETP", "MOV",  "FSETP", "PLOP3", "HFMA2"};
const std::set<std::string_view> four_cycles = {"IADD", "IADD3", "LOP3", "PRMT", "SHF", "SEL",
                                                "FADD", "FMUL",  "FFMA", "FSEL", "MOV"};

Unit unit_of(const cubin::Instruction& instruction) {
  const auto found = units.find(flow::opcode_stem(instruction));
  return found == units.end() ? Unit::none : found->second;
}

// Shared and global memory take their operands from one queue.
Unit queue_of(Unit unit) {
  return unit == Unit::shared ? Unit::memory : unit;
}

int bit(int scoreboard) {
  return scoreboard == 7 ? 0 : 1 << scoreboard;
}

// "@P4" and "@!P4".
bool never_together(const cubin::Instruction& a, const cubin::Instruction& b) {
  if (a.predicate.size() < 3 || b.predicate.size() < 3) return false;
  const bool negated_a = a.predicate[1] == '!', negated_b = b.predicate[1] == '!';
  return negated_a != negated_b &&
         a.predicate.substr(negated_a ? 2 : 1) == b.predicate.substr(negated_b ? 2 : 1);
}

bool holds(const std::vector<int>& list, int one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

// A register that waits for a scoreboard: its new value (result), or that its old one was read.
struct Pending {
  int reg = 0, producer = 0;
  bool result = false;
  int scoreboards = 0;  // a wait for any of them is enough

  auto key() const { return std::tuple(reg, producer, result); }
};

struct State {
  bool reached = false;
  int ever_set = 0;  // scoreboards that some path has set
  std::vector<Pending> pending;
};

// Whether the union brought anything new: more pending, or fewer scoreboards that would do.
bool merge(State& into, const State& from) {
  bool grown = !into.reached || (from.ever_set & ~into.ever_set) != 0;
  into.reached = true;
  into.ever_set |= from.ever_set;
  std::map<std::tuple<int, int, bool>, std::size_t> index;
  for (std::size_t i = 0; i < into.pending.size(); ++i) index[into.pending[i].key()] = i;
  for (const Pending& one : from.pending) {
    const auto found = index.find(one.key());
    if (found == index.end()) {
      into.pending.push_back(one);
      grown = true;
      continue;
    }
    int& boards = into.pending[found->second].scoreboards;
    grown = grown || (boards & ~one.scoreboards) != 0;
    boards &= one.scoreboards;
  }
  return grown;
}

class Checker {
 public:
  explicit Checker(const cubin::SassKernel& kernel) : kernel_(kernel) {
    for (const cubin::Instruction& instruction : kernel.instructions) {
      uses_.push_back(registers_of(instruction));
      units_.push_back(unit_of(instruction));
    }
    report_.instructions = kernel.instructions.size();
  }

  ScheduleReport run() {
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) check_word(i);
    const auto graph = flow::build_flow_graph(kernel_);
    if (!graph) {
      ++report_.checked["not followed"];
      return std::move(report_);
    }
    for (const flow::BasicBlock& block : graph->blocks) check_distances(block);
    follow(*graph);
    return std::move(report_);
  }

 private:
  const cubin::Instruction& at(int index) const {
    return kernel_.instructions[static_cast<std::size_t>(index)];
  }
  Unit unit(int index) const { return units_[static_cast<std::size_t>(index)]; }
  const RegisterUse& use(int index) const { return uses_[static_cast<std::size_t>(index)]; }

  void expect(const char* rule, bool holds, const cubin::Instruction& where,
              const std::string& why) {
    ++report_.checked[rule];
    if (holds || ++report_.broken[rule] > 1) return;
    report_.lines.push_back(fmt::format("{}: {} {:#x} {} {} {} [{}]: {}", rule, kernel_.entry,
                                        where.address, where.predicate, where.opcode,
                                        where.operands, cubin::to_string(where.control), why));
  }

  void check_word(std::size_t index) {
    const cubin::Instruction& one = kernel_.instructions[index];
    const std::uint64_t high = one.word.high;
    expect("zeros", ((high >> 28U) & 0x1fffU) == 0 && (high >> 61U) == 0, one, "other bits");
    const int value = one.control.stall_cycles + (one.control.yield ? 0 : 16);
    expect("stall", value != 16 && value < 28, one, "no such value");
    check_reuse(one);
    if (fixed_latency.contains(flow::opcode_stem(one)))
      expect("fixed", one.control.write_scoreboard == 7, one, "it has a write scoreboard");
  }

  void check_reuse(const cubin::Instruction& one) {
    constexpr std::string_view mark = ".reuse";
    int printed = 0;
    bool registers = true;
    for (std::size_t i = one.operands.find(mark); i != std::string::npos;
         i = one.operands.find(mark, i + 1), ++printed) {
      std::size_t begin = one.operands[i - 1] == '|' ? i - 1 : i;  // "|R3|.reuse"
      while (begin > 0 && std::isdigit(static_cast<unsigned char>(one.operands[begin - 1])) != 0)
        --begin;
      registers = registers && begin > 0 && one.operands[begin - 1] == 'R' &&
                  (begin < 2 || one.operands[begin - 2] != 'U');
    }
    const int bits = __builtin_popcount(static_cast<unsigned>(one.control.reuse));
    if (bits + printed > 0)
      expect("reuse", bits == printed && registers, one, fmt::format("{} bits", bits));
  }

  void check_distances(const flow::BasicBlock& block) {
    std::map<int, int> written;  // register -> issue cycle
    int cycle = 0;
    for (int i = block.begin; i < block.end; ++i) {
      const bool pipeline = four_cycles.contains(flow::opcode_stem(at(i)));
      for (const int reg : use(i).reads)
        if (const auto found = written.find(reg); found != written.end() && pipeline)
          expect("distance", cycle - found->second >= 4, at(i),
                 fmt::format("R{} comes {} cycles earlier", reg, cycle - found->second));
      for (const int reg : use(i).writes) {
        written.erase(reg);
        if (pipeline && reg < first_uniform) written[reg] = cycle;
      }
      cycle += at(i).control.stall_cycles;
    }
  }

  void follow(const flow::FlowGraph& graph) {
    std::vector<State> states(graph.blocks.size());
    states[0].reached = true;
    std::vector<int> work = {0};
    while (!work.empty()) {
      const int block = work.back();
      work.pop_back();
      State state = states[static_cast<std::size_t>(block)];
      const flow::BasicBlock& here = graph.blocks[static_cast<std::size_t>(block)];
      for (int i = here.begin; i < here.end; ++i) step(i, state, false);
      for (const int next : here.successors)
        if (merge(states[static_cast<std::size_t>(next)], state)) work.push_back(next);
    }
    for (std::size_t b = 0; b < states.size(); ++b)
      for (int i = graph.blocks[b].begin; states[b].reached && i < graph.blocks[b].end; ++i)
        step(i, states[b], true);
  }

  // Everything a wait releases goes; then the rules; then what this instruction leaves pending.
  void step(int index, State& state, bool checks) {
    const cubin::Instruction& one = at(index);
    const int waits = one.control.wait_mask;
    if (checks && waits != 0)
      expect("someone", (waits & ~state.ever_set) == 0, one, "nobody has set one of them");
    std::erase_if(state.pending, [&](const Pending& p) { return (p.scoreboards & waits) != 0; });
    if (checks) check_pending(index, state);
    if (flow::opcode_stem(one) == "BAR")  // it goes through the queue after them
      std::erase_if(state.pending, [&](const Pending& p) {
        return !p.result && queue_of(unit(p.producer)) == Unit::memory;
      });
    if (flow::opcode_stem(one) == "CALL") {  // what the function waits for and sets is not followed
      state.pending.clear();
      state.ever_set = 0x3f;
    }
    if (flow::opcode_stem(one) == "DEPBAR" && one.operands.starts_with("SB")) {
      const int board = 1 << (one.operands[2] - '0');
      std::erase_if(state.pending, [&](const Pending& p) { return (p.scoreboards & board) != 0; });
    }
    if (checks) count_results(one, use(index));
    leave_pending(index, state);
  }

  void count_results(const cubin::Instruction& one, const RegisterUse& registers) {
    if (unit_of(one) == Unit::none) return;
    report_.checked["result"] +=
        stores.contains(flow::opcode_stem(one)) ? 0 : registers.writes.size();
    report_.checked["source"] += registers.reads.size();
  }

  void check_pending(int index, const State& state) {
    const Unit mine = unit(index);
    for (const Pending& one : state.pending) {
      const Unit producer = unit(one.producer);
      const bool in_order = mine != Unit::none &&
                            (one.result ? mine == producer : queue_of(mine) == queue_of(producer));
      if (never_together(at(one.producer), at(index))) continue;
      const bool reads = one.result && holds(use(index).reads, one.reg);
      // A result that is never used may have no scoreboard, and be overwritten by something slower.
      const bool dead = one.result && one.scoreboards == 0;
      const bool writes = !in_order && !dead && holds(use(index).writes, one.reg);
      if (reads || writes)
        expect(one.result ? "result" : "source", false, at(index),
               fmt::format("register {} of {} {} at {:#x} [{}]", one.reg, at(one.producer).opcode,
                           at(one.producer).operands, at(one.producer).address,
                           cubin::to_string(at(one.producer).control)));
    }
  }

  void leave_pending(int index, State& state) {
    const cubin::Instruction& one = at(index);
    const Unit mine = unit(index);
    const int result = bit(one.control.write_scoreboard), read = bit(one.control.read_scoreboard);
    state.ever_set |= result | read;
    std::erase_if(state.pending,
                  [&](const Pending& p) { return p.result && holds(use(index).writes, p.reg); });
    if (mine != Unit::none)
      for (Pending& p : state.pending) {
        const Unit other = unit(p.producer);
        if (p.result && other == mine) p.scoreboards |= result;
        if (!p.result && queue_of(other) == queue_of(mine)) p.scoreboards |= result | read;
      }
    const bool store = stores.contains(flow::opcode_stem(one));
    const bool late = mine != Unit::none && mine != Unit::fp64;
    if ((late && !store) || result != 0)
      for (const int reg : use(index).writes) add_pending(state, {reg, index, true, result});
    if (late || read != 0)
      for (const int reg : use(index).reads)
        if (reg < first_uniform && !holds(use(index).writes, reg))
          add_pending(state, {reg, index, false, result | read});
  }

  static void add_pending(State& state, const Pending& one) {
    for (Pending& other : state.pending)
      if (other.key() == one.key()) return void(other.scoreboards = one.scoreboards);
    state.pending.push_back(one);
  }

  const cubin::SassKernel& kernel_;
  std::vector<RegisterUse> uses_;
  std::vector<Unit> units_;
  ScheduleReport report_;
};

}  // namespace

void add(ScheduleReport& sum, const ScheduleReport& more) {
  sum.instructions += more.instructions;
  for (const auto& [rule, count] : more.checked) sum.checked[rule] += count;
  for (const auto& [rule, count] : more.broken) sum.broken[rule] += count;
  sum.lines.insert(sum.lines.end(), more.lines.begin(), more.lines.end());
}

ScheduleReport check_schedule(const cubin::SassKernel& kernel) {
  return Checker(kernel).run();
}

}  // namespace phasebit::test
