#include "core/ptx/flow/proof.h"

#include "core/base/text.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <cstdlib>

namespace phasebit::ptx::flow {
namespace {

constexpr int most_depth = 16;
constexpr long most_turns = 1L << 40;  // a count that goes on for longer is not a bound

std::string_view order_word(const PtxStatement& setp) {
  for (const std::string_view word : base::split(setp.name, '.'))
    if (base::is_listed(" eq ne lt le gt ge lo ls hi hs ", word))
      return word == "lo"   ? "lt"
             : word == "ls" ? "le"
             : word == "hi" ? "gt"
             : word == "hs" ? "ge"
                            : word;
  return {};
}

std::string_view opposite(std::string_view order) {
  if (order == "eq") return "ne";
  if (order == "ne") return "eq";
  if (order == "lt") return "ge";
  if (order == "ge") return "lt";
  return order == "gt" ? "le" : "gt";
}

std::string_view turned_round(std::string_view order) {
  if (order == "lt") return "gt";
  if (order == "gt") return "lt";
  if (order == "le") return "ge";
  return order == "ge" ? "le" : order;
}

// "u32": 32 bits, no sign. 0 bits: no integer.
struct Type {
  int bits = 0;
  bool has_sign = false;
};

Type type_of(const PtxStatement& setp) {
  const std::string_view word = base::split(setp.name, '.').back();
  if (!base::is_listed(" u32 s32 b32 u64 s64 b64 ", word)) return {};
  return {std::atoi(std::string(word.substr(1)).c_str()), word[0] == 's'};
}

// As a value of so many bits; one of 64 bits without a sign that is above all of `long`: nothing.
std::optional<long> as_type(long number, Type type) {
  if (type.bits == 64) return type.has_sign || number >= 0 ? std::optional(number) : std::nullopt;
  const auto low = static_cast<long>(static_cast<unsigned long>(number) & 0xffffffffUL);
  return type.has_sign && low > 0x7fffffffL ? low - 0x100000000L : low;
}

bool holds(std::string_view order, long left, long right) {
  if (order == "eq") return left == right;
  if (order == "ne") return left != right;
  if (order == "lt") return left < right;
  if (order == "le") return left <= right;
  return order == "gt" ? left > right : left >= right;
}

bool is_size(const std::string& name) {
  return base::starts_with_any(name, {"%ntid", "%nctaid", "%nclusterid", "%cluster_nctaid"}) ||
         name == "WARP_SZ";
}

}  // namespace

PtxOnce::PtxOnce(const PtxFile& file, const PtxFlow& flow) : file_(file), flow_(flow) {
  for (const auto& block : flow.blocks)
    for (const std::size_t i : block.statements)
      for (PtxName& name : written_by(file, flow, i)) writers_[std::move(name)].push_back(i);
}

std::optional<long> PtxOnce::number(const PtxName& name, int depth) const {
  const auto found = writers_.find(name);
  return found == writers_.end() || found->second.size() != 1 || depth > most_depth
             ? std::nullopt
             : moved(found->second.front(), depth);
}

// Of a mov, through others.
std::optional<long> PtxOnce::moved(std::size_t i, int depth) const {
  const PtxStatement& made = file_.statements[i].parsed;
  if (!made.guard.empty() || !is(made, isa::PtxFact::moves)) return std::nullopt;
  const std::string& from = made.operand(1);
  if (const auto known = literal_number(from)) return known;
  return number(flow_.name_at(i, from), depth + 1);
}

std::optional<long> PtxOnce::number_before(const PtxLoop& loop, const PtxName& name) const {
  const auto found = writers_.find(name);
  if (found == writers_.end()) return std::nullopt;
  std::optional<std::size_t> outside;
  for (const std::size_t i : found->second) {
    if (loop.holds(flow_.block_of(i))) continue;
    if (outside) return std::nullopt;
    outside = i;
  }
  return outside ? moved(*outside, 0) : std::nullopt;
}

bool PtxOnce::positive(const PtxName& name, int depth) const {
  if (is_size(name.second)) return true;
  const auto found = writers_.find(name);
  if (found == writers_.end() || found->second.size() != 1 || depth > most_depth) return false;
  const std::size_t i = found->second.front();
  const PtxStatement& made = file_.statements[i].parsed;
  const std::string_view stem = stem_of(made);
  const auto is = [&](std::size_t operand) { return positive_operand(i, operand, depth + 1); };
  if (!made.guard.empty() || made.name.find(".hi") != std::string::npos) return false;
  if (base::is_listed(" mov cvt ", stem)) return is(1);
  if (base::is_listed(" mul add ", stem)) return is(1) && is(2);
  if (stem == "max") return is(1) || is(2);
  if (stem == "mad") return is(1) && is(2) && is(3);
  const auto by = literal_number(made.operand(2));
  return stem == "shl" && by && *by >= 0 && *by < 8 && is(1);
}

bool PtxOnce::positive_operand(std::size_t i, std::size_t operand, int depth) const {
  const std::string& text = file_.statements[i].parsed.operand(operand);
  if (const auto number = literal_number(text)) return *number > 0 && *number < 0x80000000L;
  return positive(flow_.name_at(i, text), depth);
}

PtxProof::PtxProof(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                   const PtxLoopNames& names, const PtxSteady& steady, const PtxOnce& once,
                   const PtxStuck& stuck, std::function<bool(std::size_t)> is_poll,
                   std::function<bool(std::size_t)> is_clock)
    : file_(file),
      flow_(flow),
      loop_(loop),
      names_(names),
      steady_(steady),
      once_(once),
      stuck_(stuck),
      strict_{std::move(is_clock),
              [this](std::size_t i, std::size_t operand) { return this->steady(i, operand); },
              [this](std::size_t i, std::size_t operand) {
                const auto known = number(i, operand);
                return known ? *known > 0
                             : once_.positive(flow_.name_at(i, at(i).operand(operand)));
              },
              [this](std::size_t i, std::size_t operand) { return number(i, operand); }},
      counts_(file, flow, loop, names, std::move(is_poll), &stuck, &strict_) {
  for (const auto& [statement, written] : names.writes)
    for (const PtxName& name : written) writers_[name].push_back(statement);
}

std::optional<long> PtxProof::number(std::size_t i, std::size_t operand) const {
  if (operand >= at(i).operands.size()) return std::nullopt;
  const auto known = stuck_.number_at(i, operand);
  return known ? known : once_.number(flow_.name_at(i, at(i).operand(operand)));
}

// Nothing that runs in the loop writes it, or what does makes the same each turn.
bool PtxProof::steady(std::size_t i, std::size_t operand) const {
  if (operand >= at(i).operands.size()) return false;
  if (number(i, operand)) return true;
  const PtxName name = flow_.name_at(i, at(i).operand(operand));
  if (steady_.name(name, i)) return true;
  if (name.first < 0) return false;
  const auto own = writers_.find(name);
  return own == writers_.end() ||
         std::none_of(own->second.begin(), own->second.end(),
                      [&](std::size_t writer) { return stuck_.runs_statement(writer); });
}

bool PtxProof::each_turn_passes(int block) const {
  std::set<int> seen = {block};
  std::vector<int> open = {loop_.header};
  while (!open.empty()) {
    const int here = open.back();
    open.pop_back();
    if (!loop_.holds(here) || !seen.insert(here).second) continue;
    for (const int next : flow_.blocks[static_cast<std::size_t>(here)].successors) {
      if (!stuck_.goes(here, next)) continue;
      if (next == loop_.header) return false;
      open.push_back(next);
    }
  }
  return true;
}

bool PtxProof::ends_by(const PtxJump& jump) const {
  if (jump.by_index || jump.predicate.empty() || !stuck_.runs_statement(jump.statement) ||
      !each_turn_passes(jump.block))
    return false;
  const bool negated = at(jump.statement).guard.starts_with("@!");
  const bool if_taken =
      jump.leaves || std::all_of(jump.targets.begin(), jump.targets.end(),
                                 [&](int target) { return leads_out(jump.block, target); });
  if (if_taken && comes(jump.statement, jump.predicate, {!negated})) return true;
  return jump.falls_to >= 0 && leads_out(jump.block, jump.falls_to) &&
         comes(jump.statement, jump.predicate, {negated});
}

// Whether this way ends the loop: what is known after it decides each branch that follows.
bool PtxProof::leads_out(int from, int way) const {
  std::map<PtxName, bool> known;
  follow(from, known);
  for (int steps = 0; steps < most_depth && way != loop_.header; ++steps) {
    if (!loop_.holds(way)) return true;
    follow(way, known);
    const auto& block = flow_.blocks[static_cast<std::size_t>(way)];
    const auto jump = std::find_if(flow_.jumps.begin(), flow_.jumps.end(),
                                   [&](const PtxJump& one) { return one.block == way; });
    if (jump == flow_.jumps.end() || jump->predicate.empty()) {
      if (block.successors.size() != 1) return false;
      way = block.successors.front();
      continue;
    }
    const auto decided = known.find(flow_.name_at(jump->statement, jump->predicate));
    if (decided == known.end()) return false;
    const bool taken = decided->second != at(jump->statement).guard.starts_with("@!");
    if (taken && jump->leaves) return true;
    if (taken && jump->targets.size() != 1) return false;
    way = taken ? jump->targets.front() : jump->falls_to;
    if (way < 0) return false;
  }
  return false;
}

// The predicates that the block's statements make of numbers and of each other.
void PtxProof::follow(int block, std::map<PtxName, bool>& known) const {
  const auto value = [&](std::size_t i, const std::string& operand) -> std::optional<bool> {
    if (const auto number = literal_number(operand)) return *number != 0;
    const bool inverted = operand.starts_with('!');
    const auto found = known.find(flow_.name_at(i, inverted ? operand.substr(1) : operand));
    return found == known.end() ? std::nullopt : std::optional(found->second != inverted);
  };
  for (const std::size_t i : statements_of(flow_, block)) {
    std::optional<bool> made;
    if (at(i).guard.empty() && (at(i).name == "mov.pred" || at(i).name == "not.pred"))
      if (const auto of = value(i, at(i).operand(1))) made = *of != (at(i).name == "not.pred");
    for (const PtxName& name : names_.writes.at(i)) {
      known.erase(name);
      if (made) known[name] = *made;
    }
  }
}

// What wrote the name last in this turn, on every way to the reader; nothing where some way has
// no statement, or one that may not run.
std::vector<std::size_t> PtxProof::definitions(std::size_t reader, const PtxName& name) const {
  const auto sure = [&](std::size_t i) { return at(i).guard.empty() || stuck_.always_runs(i); };
  const auto own = names_.writers.find(reader);
  if (own != names_.writers.end())
    if (const auto writer = own->second.find(name); writer != own->second.end())
      return sure(writer->second) ? std::vector{writer->second} : std::vector<std::size_t>();
  std::vector<std::size_t> found;
  std::set<int> seen;
  std::vector<int> open = {flow_.block_of(reader)};
  while (!open.empty()) {
    const int to = open.back();
    open.pop_back();
    if (to == loop_.header) return {};
    for (const int from : flow_.blocks[static_cast<std::size_t>(to)].predecessors) {
      if (!loop_.holds(from) || !stuck_.goes(from, to) || !seen.insert(from).second) continue;
      const auto last = names_.last.find({from, name});
      if (last == names_.last.end())
        open.push_back(from);
      else if (sure(last->second))
        found.push_back(last->second);
      else
        return {};
    }
  }
  return found;
}

// Whether the predicate is as wanted in some turn.
bool PtxProof::comes(std::size_t reader, const std::string& operand, Wanted wanted) const {
  if (operand.starts_with('!')) return comes(reader, operand.substr(1), wanted.within(false));
  for (std::size_t n = 0; n < at(reader).operands.size(); ++n)
    if (at(reader).operand(n) == operand)
      if (const auto known = stuck_.number_at(reader, n)) return (*known != 0) == wanted.value;
  const auto defined = definitions(reader, flow_.name_at(reader, operand));
  if (defined.empty() || wanted.depth > most_depth) return false;
  const bool several = defined.size() > 1;
  return std::all_of(defined.begin(), defined.end(), [&](std::size_t i) {
    return comes_of(i, operand, wanted.within(true, several));
  });
}

bool PtxProof::comes_of(std::size_t i, const std::string& operand, Wanted wanted) const {
  const PtxStatement& made = at(i);
  if (is(made, isa::PtxFact::compares)) {
    const std::size_t bar = made.operand(0).find('|');
    const bool second = bar != std::string::npos && made.operand(0).substr(bar + 1) == operand;
    return (!second || made.operands.size() == 3) && comes_of_setp(i, wanted.within(!second));
  }
  if (made.name == "not.pred") return comes(i, made.operand(1), wanted.within(false));
  if (made.name == "mov.pred")
    if (const auto known = literal_number(made.operand(1))) return (*known != 0) == wanted.value;
  if (made.name == "mov.pred" ||
      base::starts_with_any(made.name, {"vote.sync.any.pred", "vote.sync.all.pred"}))
    return comes(i, made.operand(1), wanted.within(true, true));
  if (made.name != "and.pred" && made.name != "or.pred") return false;
  const bool both = (made.name == "and.pred") == wanted.value;
  const bool one = comes(i, made.operand(1), wanted.within(true, both));
  return one != both ? one : comes(i, made.operand(2), wanted.within(true, both));
}

bool PtxProof::comes_of_setp(std::size_t i, Wanted wanted) const {
  const PtxStatement& setp = at(i);
  if (setp.operands.size() == 3) return compares(i, wanted) || comes_of_number(i, wanted);
  const bool conjunction = setp.name.find(".and.") != std::string::npos;
  if (setp.operands.size() != 4 || (!conjunction && setp.name.find(".or.") == std::string::npos))
    return false;
  const bool both = conjunction == wanted.value;
  const bool one = compares(i, wanted.within(true, both));
  return one != both ? one : comes(i, setp.operand(3), wanted.within(true, both));
}

// `selp x, 1, 0, p; setp.ne q, x, 0;`
bool PtxProof::comes_of_number(std::size_t i, Wanted wanted) const {
  const auto limit = number(i, 2);
  const std::string_view order = order_word(at(i));
  const auto defined = definitions(i, flow_.name_at(i, at(i).operand(1)));
  if (!limit || defined.size() != 1 || (order != "eq" && order != "ne")) return false;
  const PtxStatement& made = at(defined.front());
  const auto yes = literal_number(made.operand(1)), no = literal_number(made.operand(2));
  if (stem_of(made) != "selp" || !yes || !no) return false;
  const bool if_yes = holds(order, *yes, *limit), if_no = holds(order, *no, *limit);
  return if_yes != if_no && comes(defined.front(), made.operand(3), wanted.within(if_yes));
}

bool PtxProof::compares(std::size_t i, Wanted wanted) const {
  const PtxStatement& setp = at(i);
  std::string_view order = order_word(setp);
  if (order.empty() || type_of(setp).bits == 0) return false;
  if (!wanted.value) order = opposite(order);
  for (const std::size_t side : {1U, 2U}) {
    if (!steady(i, 3 - side) || number(i, side)) continue;
    const auto mover = counts_.mover(i, flow_.name_at(i, setp.operand(side)));
    if (mover && (!wanted.lasting || mover->direction == 0 || order != "eq") &&
        reaches(i, *mover, side == 1 ? order : turned_round(order), number(i, 3 - side)))
      return true;
  }
  return false;
}

// Whether what moves comes to where the order holds.
bool PtxProof::reaches(std::size_t i, const PtxMover& mover, std::string_view order,
                       std::optional<long> limit) const {
  Type type = type_of(at(i));
  const int own_bits = type.bits;
  if (limit) {
    limit = as_type(*limit, type);
    if (!limit) return false;
  }
  if (mover.direction == 0) return shifts_to(mover, order, limit, own_bits);
  if (order == "eq") return !mover.clock && !mover.scaled && meets(mover, limit, own_bits);
  if (order == "ne") return true;
  const bool up = order == "gt" || order == "ge";
  if (up != (mover.direction > 0)) return false;
  if (!limit) return up || type.has_sign || (mover.lo == mover.hi && std::abs(mover.lo) == 1);
  // The last number that it may have, and a step before that where it could pass it.
  if (mover.bits < own_bits) type = {mover.bits, type.has_sign && mover.bits == own_bits};
  const bool known = !mover.clock && mover.lo == mover.hi && !mover.scaled;
  const long step = known ? std::abs(mover.lo) : mover.clock ? 1 : 0;
  const long last = order == "gt" ? *limit + 1 : order == "lt" ? *limit - 1 : *limit;
  const int bits = std::min(type.bits, 62) - (type.has_sign ? 1 : 0);
  if (up) {
    const long most = bits >= 61 ? mover.clock ? 1L << 61 : most_turns : (1L << bits) - 1;
    return last <= (step == 0 ? most / 2 : most - (step - 1));
  }
  if (type.has_sign) return last > -(1L << bits) / 2;
  return step != 0 && last >= step - 1;
}

// It is that number in some turn.
bool PtxProof::meets(const PtxMover& mover, std::optional<long> limit, int bits) const {
  if (mover.lo != mover.hi) return false;
  if (std::abs(mover.lo) == 1) return true;
  const auto begin = once_.number_before(loop_, mover.name);
  if (!begin || !limit || mover.apart) return false;
  const auto mask = bits == 64 ? ~0UL : (1UL << bits) - 1;
  const auto ahead = static_cast<unsigned long>(*limit - *begin - mover.offset);
  const auto far = (mover.lo < 0 ? -ahead : ahead) & mask;
  return far != 0 && mover.direction * mover.lo > 0 &&
         far < static_cast<unsigned long>(most_turns) &&
         far % static_cast<unsigned long>(std::abs(mover.lo)) == 0;
}

// What is halved or doubled ends at 0, what is shifted with its sign at 0 or -1; what grows passes
// each number that is not near its largest.
bool PtxProof::shifts_to(const PtxMover& mover, std::string_view order, std::optional<long> limit,
                         int bits) const {
  if (mover.apart) return false;
  const long by = mover.offset;
  const bool falls = (mover.shifts & (down | down_signed)) != 0;
  if (falls && !limit) return false;
  if (mover.shifts == down || (mover.shifts == up && by == 0 && order == "eq" && limit == 0))
    return by == 0 && holds(order, 0, *limit);
  if (mover.shifts == down_signed)
    return by == 0 && holds(order, 0, *limit) && holds(order, -1, *limit);
  const auto begin = once_.number_before(loop_, mover.name);
  return begin && *begin > 0 && by == 0 && (order == "gt" || order == "ge") &&
         limit.value_or(0) < (1L << (std::min(bits, 48) - 9));
}

}  // namespace phasebit::ptx::flow
