#include "core/ptx/flow/stuck.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstdlib>

namespace phasebit::ptx::flow {

using base::starts_with_any;

namespace {

std::optional<long> literal_number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (starts_with_any(text, {"0f", "0F", "0d", "0D"}))
    return text.find_first_not_of('0', 2) == std::string::npos ? std::optional(0L) : std::nullopt;
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 0);
  return *end == '\0' || *end == 'U' ? std::optional(number) : std::nullopt;
}

// Of "setp.ge.and.u32" whether it holds between numbers in this order; nothing for other words.
std::optional<bool> order_holds(std::string_view opcode, int order) {
  for (const std::string_view word : base::split(opcode, '.')) {
    if (word == "eq" || word == "equ") return order == 0;
    if (word == "ne" || word == "neu") return order != 0;
    if (word == "lt" || word == "lo" || word == "ltu") return order < 0;
    if (word == "le" || word == "ls" || word == "leu") return order <= 0;
    if (word == "gt" || word == "hi" || word == "gtu") return order > 0;
    if (word == "ge" || word == "hs" || word == "geu") return order >= 0;
  }
  return std::nullopt;
}

// It goes straight through, and looks at nothing but its parameters.
bool only_computes(const PtxFile& file, const PtxFunction& function) {
  for (std::size_t i = function.open + 1; i < function.close; ++i) {
    const PtxStatement& one = file.statements[i].parsed;
    const std::string_view stem = stem_of(one);
    const bool memory =
        base::is_listed(" ld ldu st ", stem) && one.name.find(".param") == one.name.npos;
    const bool clock = one.operands.size() == 2 && one.operands[1].starts_with('%') &&
                       starts_with_any(one.operands[1], {"%clock", "%globaltimer"});
    if (one.part == PtxStatement::Part::label || memory || clock ||
        base::is_listed(" atom red call bra brx mbarrier tex suld multimem ", stem))
      return false;
  }
  return true;
}

}  // namespace

PtxStuck::PtxStuck(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                   std::function<bool(std::size_t)> is_poll, PtxPolled polled,
                   std::set<PtxName> moving, std::map<PtxName, long> given)
    : file_(file),
      flow_(flow),
      loop_(loop),
      is_poll_(std::move(is_poll)),
      polled_(polled),
      moving_(std::move(moving)),
      given_(std::move(given)),
      from_before_(carried_over(file, flow, loop, nullptr)),
      blocks_(loop.blocks.begin(), loop.blocks.end()) {
  find_writers();
  // Each round leaves out what the one before showed never to run.
  for (std::size_t before = 0; before != blocks_.size();) {
    before = blocks_.size();
    find_values();
    find_blocks();
  }
}

bool PtxStuck::runs_statement(std::size_t statement) const {
  const auto block = block_of_.find(statement);
  return block != block_of_.end() && runs(block->second) && taken(statement).value_or(true);
}

std::optional<long> PtxStuck::number(const PtxName& name) const {
  const Known known = value_of(name);
  return known ? std::optional(known->number) : std::nullopt;
}

std::vector<PtxName> PtxStuck::made_of(std::size_t statement) const {
  std::vector<PtxName> names = read_by(file_, flow_, statement);
  const PtxStatement& parsed = at(statement);
  if (stem_of(parsed) == "selp" && parsed.operands.size() == 4)
    if (const Known chosen = value_of(statement, parsed.operands[3])) {
      const std::string& other = parsed.operands[chosen->number != 0 ? 2 : 1];
      if (other != parsed.operands[chosen->number != 0 ? 1 : 2])
        std::erase_if(names, [&](const PtxName& name) { return name.second == other; });
    }
  std::erase_if(names, [&](const PtxName& name) { return value_at(statement, name).has_value(); });
  return names;
}

bool PtxStuck::keeps_value(std::size_t statement) const {
  const std::string_view stem = stem_of(at(statement));
  if (base::is_listed(" add xor ", stem))
    return is_number(statement, 1, 0) || is_number(statement, 2, 0);
  // The same bits or the same bound each turn: after the first it changes nothing.
  if (base::is_listed(" and or min max ", stem))
    return is_number(statement, 1) || is_number(statement, 2);
  if (base::is_listed(" sub shl shr ", stem)) return is_number(statement, 2, 0);
  if (base::is_listed(" mad fma ", stem))
    return is_number(statement, 1, 0) || is_number(statement, 2, 0);
  return false;
}

bool PtxStuck::is_number(std::size_t statement, std::size_t operand,
                         std::optional<long> number) const {
  const auto& operands = at(statement).operands;
  if (operand >= operands.size()) return false;
  const Known known = value_of(statement, operands[operand]);
  return known && known->number == number.value_or(known->number);
}

bool PtxStuck::gives_number(std::size_t statement, const PtxName& name) const {
  return result_of(statement, name).has_value();
}

void PtxStuck::find_writers() {
  for (const int block : loop_.blocks) {
    std::map<PtxName, std::size_t> last;
    for (const std::size_t i : flow_.blocks[static_cast<std::size_t>(block)].statements) {
      block_of_[i] = block;
      for (const PtxName& name : read_by(file_, flow_, i))
        if (const auto written = last.find(name); written != last.end())
          writers_[i][name] = written->second;
      for (PtxName& name : written_by(file_, flow_, i)) last[std::move(name)] = i;
    }
  }
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
    for (const std::size_t i : flow_.blocks[static_cast<std::size_t>(block)].statements) {
      const auto names = written_by(file_, flow_, i);
      if (names.empty() || !taken(i).value_or(true)) continue;
      const Known result = made(i), before = std::exchange(results_[i], result);
      changed = changed || before.has_value() != result.has_value();
      for (const PtxName& name : names) {
        const Known one = result_of(i, name);
        const auto [known, first] = now.emplace(name, one);
        if (!first && (!known->second || !one || known->second->number != one->number))
          known->second = std::nullopt;
      }
    }
  for (const PtxName& name : from_before_) now[name] = std::nullopt;
  const auto equal = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.has_value() == b.second.has_value() &&
           (!a.second || a.second->number == b.second->number);
  };
  changed = changed || now.size() != values_.size() ||
            !std::equal(now.begin(), now.end(), values_.begin(), equal);
  values_ = std::move(now);
  return changed;
}

PtxStuck::Known PtxStuck::result_of(std::size_t statement, const PtxName& name) const {
  if (is_poll_(statement)) {
    const bool predicate = flow_.scopes.type_of(name.first, name.second) == ".pred";
    return Value{predicate ? static_cast<long>(polled_.predicate) : polled_.number, true};
  }
  const auto found = results_.find(statement);
  return found == results_.end() ? std::nullopt : found->second;
}

void PtxStuck::find_blocks() {
  std::set<int> found;
  std::vector<int> open = {loop_.header};
  goes_round_ = false;
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (!found.insert(block).second) continue;
    for (const int next : ways_out(block)) {
      goes_round_ = goes_round_ || next == loop_.header;
      if (loop_.holds(next)) open.push_back(next);
    }
  }
  blocks_ = std::move(found);
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
  if (const auto known = given_.find(name); known != given_.end()) return Value{known->second};
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : found->second;
}

// By the last statement of the block that writes it, or by all of the loop.
PtxStuck::Known PtxStuck::value_at(std::size_t statement, const PtxName& name) const {
  const auto own = writers_.find(statement);
  if (own == writers_.end()) return value_of(name);
  const auto writer = own->second.find(name);
  if (writer == own->second.end() || !at(writer->second).guard.empty()) return value_of(name);
  return result_of(writer->second, name);
}

bool PtxStuck::moves(std::size_t statement, const std::string& operand) const {
  return moving_.contains({flow_.scopes.declaring(flow_.scopes.of(statement), operand), operand});
}

PtxStuck::Known PtxStuck::value_of(std::size_t statement, const std::string& operand) const {
  if (const auto number = literal_number(operand)) return Value{*number, false};
  const bool inverted = operand.starts_with('!');
  const std::string name = inverted ? operand.substr(1) : operand;
  Known known =
      value_at(statement, {flow_.scopes.declaring(flow_.scopes.of(statement), name), name});
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
  if (parsed.name.starts_with("st.")) return value_of(statement, parsed.operands[1]);
  if (!parsed.name.starts_with("ld.")) return value_of(statement, parsed.operands[1]);
  if (const auto own = flow_.locals.find(statement); own != flow_.locals.end())
    return same_value(statement, own->second);
  return parsed.name.starts_with("ld.param")
             ? same_value(statement, read_by(file_, flow_, statement))
             : std::nullopt;
}

// setp: by the numbers, or by what a poll is against one that is not known.
PtxStuck::Known PtxStuck::compared(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  if (parsed.operands.size() < 3 || parsed.operands[0].find('|') != std::string::npos)
    return std::nullopt;
  const Known left = value_of(statement, parsed.operands[1]),
              right = value_of(statement, parsed.operands[2]);
  std::optional<bool> result;
  if (left && right) {
    const int below = left->number < right->number ? -1 : 0;
    result = order_holds(parsed.name, left->number > right->number ? 1 : below);
  } else if (left && left->polled && !moves(statement, parsed.operands[2])) {
    result = order_holds(parsed.name, polled_.order);
  } else if (right && right->polled && !moves(statement, parsed.operands[1])) {
    result = order_holds(parsed.name, -polled_.order);
  }
  if (parsed.operands.size() == 3) return result ? Known(Value{*result ? 1 : 0}) : std::nullopt;
  const Known third = value_of(statement, parsed.operands[3]);
  const bool conjunction = parsed.name.find(".and.") != std::string::npos;
  if (!conjunction && parsed.name.find(".or.") == std::string::npos) return std::nullopt;
  const long decides = conjunction ? 0 : 1;
  if ((result && *result == (decides != 0)) || (third && third->number == decides))
    return Value{decides};
  return result && third ? Known(Value{1 - decides}) : std::nullopt;
}

// selp: where both are one number it does not matter which.
PtxStuck::Known PtxStuck::chosen(std::size_t statement) const {
  const auto& operands = at(statement).operands;
  if (const Known choice = value_of(statement, operands[3]))
    return value_of(statement, operands[choice->number != 0 ? 1 : 2]);
  const Known one = value_of(statement, operands[1]), other = value_of(statement, operands[2]);
  if (!one || !other || one->number != other->number) return std::nullopt;
  return Value{one->number, one->polled && other->polled};
}

// What the lanes of a warp make of one value, which all of them have.
PtxStuck::Known PtxStuck::of_one(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  if (parsed.operands.size() < 2) return std::nullopt;
  const Known value = value_of(statement, parsed.operands[1]);
  if (!value) return std::nullopt;
  const bool zero = value->number == 0;
  if (parsed.name.starts_with("vote.sync.ballot") && parsed.operands.size() == 3)
    return zero ? Known(Value{0}) : value_of(statement, parsed.operands[2]);
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
      callee->returns.size() != 1 || call.arguments.size() != callee->parameters.size() ||
      !only_computes(file_, *callee))
    return std::nullopt;
  std::map<PtxName, long> given;
  for (std::size_t n = 0; n < call.arguments.size(); ++n)
    if (const Known known = value_of(statement, call.arguments[n]))
      given[{0, callee->parameters[n].name}] = known->number;
  const PtxFlow flow = flow_of(file_, *callee);
  PtxLoop all;
  for (std::size_t block = 0; block < flow.blocks.size(); ++block)
    all.blocks.push_back(static_cast<int>(block));
  const PtxStuck within(file_, flow, all, [](std::size_t) { return false; }, polled_, {}, given);
  const PtxName result{0, callee->returns.front().name};
  for (std::size_t i = callee->close; i-- > callee->open;)
    if (writes(file_, flow, i, result)) return within.result_of(i, result);
  return std::nullopt;
}

PtxStuck::Known PtxStuck::computed(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  const std::string_view stem = stem_of(parsed);
  const Known left = value_of(statement, parsed.operands[1]),
              right = value_of(statement, parsed.operands[2]);
  const bool zero = (left && left->number == 0) || (right && right->number == 0);
  if (stem == "and" || stem == "mul") {
    if (zero) return Value{0};
    if (!left || !right) return std::nullopt;
    return Value{stem == "and" ? left->number & right->number : left->number * right->number};
  }
  if (stem == "mad" && zero && parsed.operands.size() == 4)
    return value_of(statement, parsed.operands[3]);
  if (!left || !right) return std::nullopt;
  if (stem == "or") return Value{left->number | right->number};
  if (stem == "xor") return Value{left->number ^ right->number};
  if (stem == "add") return Value{left->number + right->number};
  if (stem == "sub") return Value{left->number - right->number};
  if (stem == "min") return Value{std::min(left->number, right->number)};
  if (stem == "max") return Value{std::max(left->number, right->number)};
  const bool shifts = right->number >= 0 && right->number < 32 && left->number >= 0;
  if (stem == "shl" && shifts && left->number < 65536) return Value{left->number << right->number};
  if (stem == "shr" && shifts) return Value{left->number >> right->number};
  return std::nullopt;
}

PtxStuck::Known PtxStuck::made(std::size_t statement) const {
  const PtxStatement& parsed = at(statement);
  const std::string_view stem = stem_of(parsed);
  if (base::is_listed(" mov cvt cvta ld st ", stem)) return copied(statement);
  if (stem == "call") return called(statement);
  if (stem == "setp") return compared(statement);
  if (starts_with_any(parsed.name, {"vote.sync.any.pred", "vote.sync.all.pred", "shfl.sync."}))
    return parsed.operands[0].find('|') == std::string::npos ? copied(statement) : std::nullopt;
  if (parsed.name == "not.pred" && parsed.operands.size() == 2)
    return value_of(statement, "!" + parsed.operands[1]);
  if (stem == "selp" && parsed.operands.size() == 4) return chosen(statement);
  if (parsed.operands.size() < 3 || base::is_listed(" popc redux vote not ", stem))
    return of_one(statement);
  return computed(statement);
}

}  // namespace phasebit::ptx::flow
