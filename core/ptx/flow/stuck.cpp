#include "core/ptx/flow/stuck.h"

#include "core/base/text.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace phasebit::ptx::flow {

using base::starts_with_any;
using isa::PtxFact;

namespace {

// Of "setp.ge.and.u32" whether it holds between numbers in this order; nothing for other words.
// 2: one is a NaN, for which those hold that end with "u".
std::optional<bool> order_holds(std::string_view opcode, int order) {
  for (const std::string_view word : base::split(opcode, '.')) {
    if (word == "nan" || word == "num") return (word == "nan") == (order == 2);
    if (order == 2 && base::is_listed(" eq ne lt le gt ge ", word)) return false;
    if (order == 2 && base::is_listed(" equ neu ltu leu gtu geu ", word)) return true;
    if (word == "eq" || word == "equ") return order == 0;
    if (word == "ne" || word == "neu") return order != 0;
    if (word == "lt" || word == "lo" || word == "ltu") return order < 0;
    if (word == "le" || word == "ls" || word == "leu") return order <= 0;
    if (word == "gt" || word == "hi" || word == "gtu") return order > 0;
    if (word == "ge" || word == "hs" || word == "geu") return order >= 0;
  }
  return std::nullopt;
}

// It goes straight through, and looks at nothing but its parameters and what it keeps of them.
bool only_computes(const PtxFile& file, const PtxFunction& function, const PtxFlow& flow) {
  for (std::size_t i = function.open + 1; i < function.close; ++i) {
    const PtxStatement& one = file.statements[i].parsed;
    const bool clock = one.operands.size() == 2 && one.operand(1).starts_with('%') &&
                       starts_with_any(one.operand(1), {"%clock", "%globaltimer"});
    if (clock || (is(one, PtxFact::effect) && !flow.locals.contains(i))) return false;
  }
  return true;
}

std::size_t bits_of(std::string_view word) {
  return word.size() < 2 || word.size() > 3 || !base::is_listed(" u s b ", word.substr(0, 1))
             ? 0
             : static_cast<std::size_t>(std::atoi(std::string(word.substr(1)).c_str()));
}

// The number as a register of the opcode's last type has it: -1 is 0xffffffff in one of .u32.
long of_type(long number, std::string_view opcode) {
  std::string_view type;
  for (const std::string_view word : base::split(opcode, '.'))
    if (bits_of(word) != 0) type = word;
  const std::size_t bits = bits_of(type);
  if (bits == 0 || bits >= 64) return number;
  const unsigned long mask = (1UL << bits) - 1;
  const auto low = static_cast<long>(static_cast<unsigned long>(number) & mask);
  return type[0] == 's' && (low >> (bits - 1)) != 0 ? low - static_cast<long>(mask) - 1 : low;
}

bool of_floats(std::string_view opcode) {
  for (const std::string_view word : base::split(opcode, '.'))
    if (base::is_listed(" f16 f16x2 bf16 bf16x2 f32 f64 ", word)) return true;
  return false;
}

int order_between(long left, long right, std::string_view opcode) {
  left = of_type(left, opcode), right = of_type(right, opcode);
  if (left == right) return 0;
  const bool wide = opcode.ends_with(".u64") || opcode.ends_with(".b64");
  const bool less =
      wide ? static_cast<unsigned long>(left) < static_cast<unsigned long>(right) : left < right;
  return less ? -1 : 1;
}

std::optional<long> combined(std::string_view stem, std::string_view opcode, long left,
                             long right) {
  const auto bits = static_cast<unsigned long>(of_type(left, opcode));
  const bool in_word = right >= 0 && right < 64;
  if (stem == "and") return left & right;
  if (stem == "mul")
    return opcode.find(".lo") == opcode.npos ? std::nullopt : std::optional(left * right);
  if (stem == "or") return left | right;
  if (stem == "xor") return left ^ right;
  if (stem == "add") return left + right;
  if (stem == "sub") return left - right;
  if (stem == "min" || stem == "max")
    return (order_between(left, right, opcode) < 0) == (stem == "min") ? left : right;
  if (stem == "shl" && in_word) return static_cast<long>(bits << right);
  if (stem != "shr" || !in_word) return std::nullopt;
  return opcode.find(".s") != opcode.npos ? of_type(left, opcode) >> right
                                          : static_cast<long>(bits >> right);
}

}  // namespace

std::optional<long> literal_number(const std::string& text) {
  if (starts_with_any(text, {"0f", "0F", "0d", "0D"}))
    return text.find_first_not_of('0', 2) == std::string::npos ? std::optional(0L) : std::nullopt;
  const auto number = literal_integer(text);
  return number ? std::optional(static_cast<long>(*number)) : std::nullopt;
}

PtxStuck::PtxStuck(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                   const PtxLoopNames& names, std::function<bool(std::size_t)> is_poll,
                   PtxPolled polled, std::set<PtxName> moving, std::map<PtxName, Value> given)
    : file_(file),
      flow_(flow),
      loop_(loop),
      names_(names),
      is_poll_(std::move(is_poll)),
      polled_(polled),
      moving_(std::move(moving)),
      given_(std::move(given)),
      blocks_(loop.blocks.begin(), loop.blocks.end()) {
  for (const int block : blocks_)
    ways_[block] = flow.blocks[static_cast<std::size_t>(block)].successors;
  // Each round leaves out what the one before showed never to run.
  for (std::map<int, std::vector<int>> before; before != ways_;) {
    before = ways_;
    find_values();
    find_blocks();
  }
}

bool PtxStuck::runs_statement(std::size_t statement) const {
  const auto block = names_.block_of.find(statement);
  return block != names_.block_of.end() && runs(block->second) && taken(statement).value_or(true);
}

bool PtxStuck::always_runs(std::size_t statement) const {
  return taken(statement).value_or(false);
}

bool PtxStuck::goes(int block, int next) const {
  const auto ways = ways_.find(block);
  return ways != ways_.end() &&
         std::find(ways->second.begin(), ways->second.end(), next) != ways->second.end();
}

std::optional<long> PtxStuck::number_at(std::size_t statement, std::size_t operand) const {
  const auto& operands = at(statement).operands;
  const Known known =
      operand < operands.size() ? value_of(statement, operands[operand]) : std::nullopt;
  const bool word = at(statement).name.ends_with("32");
  return known ? std::optional(of_type(known->number, word ? ".s32" : ".s64")) : std::nullopt;
}

std::optional<long> PtxStuck::number(const PtxName& name) const {
  const Known known = value_of(name);
  return known ? std::optional(known->number) : std::nullopt;
}

std::vector<PtxName> PtxStuck::made_of(std::size_t statement) const {
  std::vector<PtxName> names = names_.reads.at(statement);
  const PtxStatement& parsed = at(statement);
  if (stem_of(parsed) == "selp" && parsed.operands.size() == 4)
    if (const Known chosen = value_of(statement, parsed.operand(3))) {
      const std::string& other = parsed.operand(chosen->number != 0 ? 2 : 1);
      if (other != parsed.operand(chosen->number != 0 ? 1 : 2))
        std::erase_if(names, [&](const PtxName& name) { return name.second == other; });
    }
  std::erase_if(names, [&](const PtxName& name) { return value_at(statement, name).has_value(); });
  return names;
}

bool PtxStuck::gives_number(std::size_t statement, const PtxName& name) const {
  return result_of(statement, name).has_value();
}

void PtxStuck::find_values() {
  values_.clear();
  results_.clear();
  for (int round = 0; round < 64; ++round)
    if (!find_values_again()) return;
  values_.clear();
  results_.clear();
}

// A name that every statement which runs gives the same number; what a turn reads before it writes
// may be older. Whether that is another than before.
bool PtxStuck::find_values_again() {
  std::map<PtxName, Known> now;
  bool changed = false;
  for (const int block : blocks_)
    for (const std::size_t i : statements_of(flow_, block)) {
      const auto& names = names_.writes.at(i);
      if (!names_.deciding.contains(i) || names.empty() || !taken(i).value_or(true)) continue;
      const Known result = made(i), before = std::exchange(results_[i], result);
      changed = changed || before.has_value() != result.has_value();
      for (const PtxName& name : names) {
        const Known one = result_of(i, name);
        const auto [known, first] = now.emplace(name, one);
        if (!first && (!known->second || !one || known->second->number != one->number))
          known->second = std::nullopt;
      }
    }
  for (const PtxName& name : names_.from_before)
    if (!polled_.later || !comes_from_a_turn(name)) now[name] = std::nullopt;
  const auto equal = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.has_value() == b.second.has_value() &&
           (!a.second || a.second->number == b.second->number);
  };
  changed = changed || now.size() != values_.size() ||
            !std::equal(now.begin(), now.end(), values_.begin(), equal);
  values_ = std::move(now);
  return changed;
}

// What the first turn finds in it is gone, or was given by the like of its polls.
bool PtxStuck::comes_from_a_turn(const PtxName& name) const {
  const auto writes = [&](std::size_t i) {
    const auto& names = names_.writes.at(i);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  bool by_polls = true;
  std::set<int> writers;
  for (const int block : loop_.blocks)
    for (const std::size_t i : statements_of(flow_, block)) {
      if (!writes(i)) continue;
      by_polls = by_polls && is_poll_(i);
      if (at(i).guard.empty()) writers.insert(block);
    }
  if (by_polls) return true;
  std::set<int> seen;
  std::vector<int> open = {loop_.header};
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (writers.contains(block) || !seen.insert(block).second) continue;
    for (const int next : flow_.blocks[static_cast<std::size_t>(block)].successors) {
      if (next == loop_.header) return false;
      if (loop_.holds(next)) open.push_back(next);
    }
  }
  return true;
}

PtxStuck::Known PtxStuck::result_of(std::size_t statement, const PtxName& name) const {
  if (is_poll_(statement)) {
    if (!polled_.known) return std::nullopt;
    const bool predicate = flow_.scopes.type_of(name.first, name.second) == ".pred";
    return Value{predicate ? static_cast<long>(polled_.predicate) : polled_.number, statement + 1};
  }
  const auto found = results_.find(statement);
  if (found == results_.end() || !found->second) return std::nullopt;
  const std::string& results = at(statement).operands.front();
  if (const auto bar = results.find('|');
      bar == results.npos || name.second != results.substr(bar + 1))
    return found->second;
  // Of "p|q", q: of a comparison it is the other answer.
  if (is(at(statement), PtxFact::compares))
    return Value{1 - found->second->number, found->second->poll};
  if (found->second->poll == 0) return std::nullopt;
  return Value{static_cast<long>(polled_.predicate), found->second->poll};
}

void PtxStuck::find_blocks() {
  std::map<int, std::vector<int>> found;
  std::vector<int> open = {loop_.header};
  goes_round_ = false;
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (found.contains(block)) continue;
    // A way that an earlier round left out stays so.
    std::vector<int>& ways = found[block] = ways_out(block);
    std::erase_if(ways, [&](int next) { return !goes(block, next); });
    for (const int next : ways) {
      goes_round_ = goes_round_ || next == loop_.header;
      if (loop_.holds(next)) open.push_back(next);
    }
  }
  blocks_.clear();
  for (const auto& [block, ways] : found) blocks_.insert(block);
  ways_ = std::move(found);
}

std::vector<int> PtxStuck::ways_out(int block) const {
  const auto jump = std::find_if(flow_.jumps.begin(), flow_.jumps.end(),
                                 [&](const PtxJump& one) { return one.block == block; });
  if (jump == flow_.jumps.end()) return flow_.blocks[static_cast<std::size_t>(block)].successors;
  const auto is_taken = taken(jump->statement);
  std::vector<int> ways = is_taken.value_or(true) ? jump->targets : std::vector<int>();
  if (!is_taken.value_or(false) && jump->falls_to >= 0) ways.push_back(jump->falls_to);
  return ways;
}

std::optional<bool> PtxStuck::taken(std::size_t statement) const {
  const std::string& guard = at(statement).guard;
  if (guard.empty()) return true;
  const Known known = value_of(statement, guard.substr(1));
  return known ? std::optional(known->number != 0) : std::nullopt;
}

PtxStuck::Known PtxStuck::value_of(const PtxName& name) const {
  if (const auto known = given_.find(name); known != given_.end()) return known->second;
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : found->second;
}

// By the last statement of the block that writes it, by all of the loop, or by those that a turn
// may come from.
PtxStuck::Known PtxStuck::value_at(std::size_t statement, const PtxName& name) const {
  if (const auto own = names_.writers.find(statement); own != names_.writers.end())
    if (const auto writer = own->second.find(name); writer != own->second.end()) {
      if (at(writer->second).guard.empty()) return result_of(writer->second, name);
      return value_of(name);
    }
  const Known known = value_of(name);
  const auto block = names_.block_of.find(statement);
  const auto writers = names_.written.find(name);
  const bool several_write = writers != names_.written.end() && writers->second > 1;
  return known || block == names_.block_of.end() || !several_write
             ? known
             : value_before(block->second, name);
}

// As all statements give it that write it last on some way to the block.
PtxStuck::Known PtxStuck::value_before(int block, const PtxName& name) const {
  std::set<int> seen;
  std::vector<int> open = {block};
  Known known;
  while (!open.empty()) {
    const int to = open.back();
    open.pop_back();
    if (to == loop_.header) return std::nullopt;
    for (const int from : flow_.blocks[static_cast<std::size_t>(to)].predecessors) {
      if (!loop_.holds(from) || !goes(from, to) || !seen.insert(from).second) continue;
      const auto last = names_.last.find({from, name});
      if (last == names_.last.end()) {
        open.push_back(from);
        continue;
      }
      const Known one =
          at(last->second).guard.empty() ? result_of(last->second, name) : std::nullopt;
      if (!one || (known && known->number != one->number)) return std::nullopt;
      known = known && known->poll != one->poll ? Value{one->number, several} : one;
    }
  }
  return known;
}

bool PtxStuck::moves(std::size_t statement, const std::string& operand) const {
  return moving_.contains(flow_.name_at(statement, operand));
}

PtxStuck::Known PtxStuck::value_of(std::size_t statement, const std::string& operand) const {
  if (const auto number = literal_number(operand)) return Value{*number};
  const bool inverted = operand.starts_with('!');
  const std::string name = inverted ? operand.substr(1) : operand;
  Known known = value_at(statement, flow_.name_at(statement, name));
  if (known && inverted) known->number = known->number == 0 ? 1 : 0;
  return known;
}

PtxStuck::Known PtxStuck::same_value(std::size_t statement,
                                     const std::vector<PtxName>& names) const {
  if (names.empty()) return std::nullopt;
  const Known first = value_at(statement, names.front());
  const bool same = std::all_of(names.begin(), names.end(), [&](const PtxName& name) {
    const Known other = value_at(statement, name);
    return first && other && other->number == first->number;
  });
  return same ? first : std::nullopt;
}

// Moves, and memory that is followed like registers.
PtxStuck::Known PtxStuck::copied(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  if (parsed.operands.size() < 2) return std::nullopt;
  if (is(parsed, PtxFact::store)) return value_of(statement, parsed.operand(1));
  if (parsed.name == "mov.pred")
    if (const auto number = literal_number(parsed.operand(1))) return Value{*number != 0 ? 1 : 0};
  if (!is(parsed, PtxFact::load)) return value_of(statement, parsed.operand(1));
  if (const auto own = flow_.locals.find(statement); own != flow_.locals.end())
    return same_value(statement, own->second);
  return is(parsed, PtxFact::parameter) ? same_value(statement, read_by(file_, flow_, statement))
                                        : std::nullopt;
}

// Between two numbers; between the news of a poll and what is not known, which may be its limit;
// between those of two polls, which need not be alike.
std::optional<bool> PtxStuck::order_of(std::size_t statement, const Known& left,
                                       const Known& right) const {
  const PtxStatement& parsed = at(statement);
  const std::size_t first = left ? left->poll : 0, second = right ? right->poll : 0;
  const bool free = first != 0 || second != 0;
  const bool alike = first == second || first == 0 || second == 0;
  if (left && right && !(free && (of_floats(parsed.name) || !alike)))
    return order_holds(parsed.name, order_between(left->number, right->number, parsed.name));
  if (first != 0 && (right || !moves(statement, parsed.operand(2))))
    return order_holds(parsed.name, polled_.order);
  if (second != 0 && (left || !moves(statement, parsed.operand(1))))
    return order_holds(parsed.name, polled_.order == 2 ? 2 : -polled_.order);
  return std::nullopt;
}

PtxStuck::Known PtxStuck::compared(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  if (parsed.operands.size() < 3) return std::nullopt;
  const std::optional<bool> result = order_of(statement, value_of(statement, parsed.operand(1)),
                                              value_of(statement, parsed.operand(2)));
  if (parsed.operands.size() == 3) return result ? Known(Value{*result ? 1 : 0}) : std::nullopt;
  if (parsed.operand(0).find('|') != std::string::npos) return std::nullopt;
  const Known third = value_of(statement, parsed.operand(3));
  const bool conjunction = parsed.name.find(".and.") != std::string::npos;
  if (!conjunction && parsed.name.find(".or.") == std::string::npos) return std::nullopt;
  const long decides = conjunction ? 0 : 1;
  if ((result && *result == (decides != 0)) || (third && third->number == decides))
    return Value{decides};
  return result && third ? Known(Value{1 - decides}) : std::nullopt;
}

// One side may decide.
PtxStuck::Known PtxStuck::of_predicates(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  const std::string_view stem = stem_of(parsed);
  const Known left = value_of(statement, parsed.operand(1)),
              right = value_of(statement, parsed.operand(2));
  const long decides = stem == "or" ? 1 : 0;
  if (stem != "xor" && ((left && left->number == decides) || (right && right->number == decides)))
    return Value{decides};
  if (!left || !right) return std::nullopt;
  return Value{stem == "xor" ? left->number ^ right->number : 1 - decides};
}

// selp: where both are one number it does not matter which.
PtxStuck::Known PtxStuck::chosen(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  if (const Known choice = value_of(statement, parsed.operand(3)))
    return value_of(statement, parsed.operand(choice->number != 0 ? 1 : 2));
  const Known one = value_of(statement, parsed.operand(1)),
              other = value_of(statement, parsed.operand(2));
  if (!one || !other || one->number != other->number) return std::nullopt;
  return Value{one->number, one->poll == other->poll ? one->poll : several};
}

// What the lanes of a warp make of one value, which all of them have.
PtxStuck::Known PtxStuck::of_one(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  if (parsed.operands.size() < 2) return std::nullopt;
  const Known value = value_of(statement, parsed.operand(1));
  if (!value) return std::nullopt;
  const bool zero = value->number == 0;
  if (parsed.name.starts_with("vote.sync.ballot") && parsed.operands.size() == 3)
    return zero ? Known(Value{0}) : value_of(statement, parsed.operand(2));
  if (starts_with_any(parsed.name,
                      {"redux.sync.and", "redux.sync.or", "redux.sync.min", "redux.sync.max"}))
    return value;
  if (starts_with_any(parsed.name, {"redux.sync.", "popc."}))
    return zero ? Known(Value{0}) : std::nullopt;
  return stem_of(parsed) == "not" ? Known(Value{~value->number}) : std::nullopt;
}

// Compilers that do not optimise call a function for what is one instruction.
PtxStuck::Known PtxStuck::called(std::size_t statement) const {
  const PtxCall call = call_of(at(statement));
  const PtxFunction* callee = file_.find(call.callee);
  if (callee == nullptr || !callee->has_body || call.results.size() != 1 ||
      callee->returns.size() != 1 || call.arguments.size() != callee->parameters.size())
    return std::nullopt;
  const PtxFlow flow = flow_of(file_, *callee);
  if (!only_computes(file_, *callee, flow)) return std::nullopt;
  std::map<PtxName, Value> given;
  for (std::size_t n = 0; n < call.arguments.size(); ++n)
    if (const Known known = value_of(statement, call.arguments[n]))
      given[{0, callee->parameters[n].name}] = *known;
  PtxLoop all;
  for (std::size_t block = 0; block < flow.blocks.size(); ++block)
    all.blocks.push_back(static_cast<int>(block));
  const PtxLoopNames names(file_, flow, all, {{0, callee->returns.front().name}});
  const PtxStuck within(
      file_, flow, all, names, [](std::size_t) { return false; }, polled_, {}, given);
  const PtxName result{0, callee->returns.front().name};
  for (std::size_t i = callee->close; i-- > callee->open;)
    if (writes(file_, flow, i, result)) return within.result_of(i, result);
  return std::nullopt;
}

PtxStuck::Known PtxStuck::computed(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  const std::string_view stem = stem_of(parsed);
  const Known left = value_of(statement, parsed.operand(1)),
              right = value_of(statement, parsed.operand(2));
  const bool zero = (left && left->number == 0) || (right && right->number == 0);
  if (zero && (stem == "and" || stem == "mul")) return Value{0};
  if (stem == "mad" && zero && parsed.operands.size() == 4)
    return value_of(statement, parsed.operand(3));
  if (!left || !right || parsed.operands.size() != 3 || of_floats(parsed.name)) return std::nullopt;
  const auto number = combined(stem, parsed.name, left->number, right->number);
  return number ? Known(Value{*number}) : std::nullopt;
}

PtxStuck::Known PtxStuck::made(std::size_t statement) const {
  bool steady = true;
  const std::size_t poll = poll_of(statement, steady);
  Known known = followed(statement);
  if (known) known->poll = poll;
  return known || poll == 0 || !steady ? known : news(statement, poll);
}

// The poll that it is made of, at once or through others. `steady`: and of nothing that the loop
// changes.
std::size_t PtxStuck::poll_of(std::size_t statement, bool& steady) const {
  std::size_t poll = 0;
  for (const PtxName& name : names_.reads.at(statement)) {
    const Known known = value_at(statement, name);
    steady = steady && (known || !names_.written.contains(name));
    if (known && known->poll != 0) poll = poll == 0 || poll == known->poll ? known->poll : several;
  }
  return poll;
}

// What is not followed may give anything of a poll, and gives the same each turn: as a poll would.
PtxStuck::Known PtxStuck::news(std::size_t statement, std::size_t poll) const {
  const PtxStatement& parsed = at(statement);
  if (parsed.operands.size() < 2 || is(parsed, PtxFact::call, PtxFact::compares))
    return std::nullopt;
  const bool predicate = parsed.name.ends_with(".pred");
  return Value{predicate ? static_cast<long>(polled_.predicate) : polled_.number, poll};
}

PtxStuck::Known PtxStuck::followed(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  const std::string_view stem = stem_of(parsed);
  if (base::is_listed(" mov cvt cvta ld st ", stem)) return copied(statement);
  if (is(parsed, PtxFact::call)) return called(statement);
  if (is(parsed, PtxFact::compares)) return compared(statement);
  if (starts_with_any(parsed.name, {"vote.sync.any.pred", "vote.sync.all.pred", "shfl.sync."}))
    return copied(statement);
  if (parsed.name == "not.pred" && parsed.operands.size() == 2)
    return value_of(statement, "!" + parsed.operand(1));
  if (parsed.name.ends_with(".pred") && parsed.operands.size() == 3)
    return of_predicates(statement);
  if (stem == "selp" && parsed.operands.size() == 4) return chosen(statement);
  if (parsed.operands.size() < 3 || base::is_listed(" popc redux vote not ", stem))
    return of_one(statement);
  return computed(statement);
}

}  // namespace phasebit::ptx::flow
