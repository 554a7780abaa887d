#include "core/ptx/flow/counts.h"

#include "core/base/text.h"
#include "core/isa/opcodes.h"
#include "core/ptx/flow/stuck.h"

#include <algorithm>

namespace phasebit::ptx::flow {

using isa::PtxFact;

namespace {

constexpr long farthest = PtxStep::farthest;
constexpr int most_visits = 6;  // of a block, before a step that still grows is as large
constexpr std::size_t at_end = static_cast<std::size_t>(-1);  // of a turn
const PtxName constant{-2, ""};  // in the place of a name: a value that none of them has

// Its result is a predicate, or what is made of one.
bool tells(const PtxStatement& statement) {
  return is(statement, PtxFact::tells) || statement.name.ends_with(".pred");
}

// Of integers that do not come round within a launch.
bool counts_far(const PtxStatement& statement) {
  const auto words = base::split(statement.name, '.');
  return std::none_of(words.begin(), words.end(), [](std::string_view word) {
    return word.starts_with("f16") || word.starts_with("bf16") ||
           base::is_listed(" f32 f64 f32x2 s8 u8 b8 s16 u16 b16 s16x2 u16x2 sat ", word);
  });
}

bool join(PtxSteps& steps, const PtxName& name, const PtxStep& more, bool widen) {
  const auto [found, first] = steps.emplace(name, more);
  PtxStep& known = found->second;
  if (first) return true;
  const PtxStep before = known;
  const bool decides = more.way == PtxStep::Way::decides;
  if (known.way == PtxStep::Way::decides && !decides) known = more;
  known.mixed = before.mixed || more.mixed;
  known.negated = before.negated || more.negated;
  known.unlike = before.unlike || more.unlike;
  known.apart = before.apart || more.apart;
  known.scaled = before.scaled || more.scaled;
  known.bits = std::min(before.bits, more.bits);
  if (!decides && before.way != PtxStep::Way::decides) {
    known.unlike = known.unlike || before.negated != more.negated;
    known.shifts =
        before.shifts == more.shifts ? before.shifts : before.shifts | more.shifts | skipped;
    known.way = std::min(before.way, more.way);
    known.lo = std::min(before.lo, more.lo);
    known.hi = std::max(before.hi, more.hi);
    if (widen && known.lo < before.lo) known.lo = -farthest;
    if (widen && known.hi > before.hi) known.hi = farthest;
  }
  return known != before;
}

}  // namespace

PtxCounts::PtxCounts(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                     const PtxLoopNames& names, std::function<bool(std::size_t)> stops,
                     const PtxStuck* stuck, const PtxStrict* strict)
    : file_(file),
      flow_(flow),
      loop_(loop),
      names_(names),
      stops_(std::move(stops)),
      stuck_(stuck),
      strict_(strict) {
  for (const PtxJump& jump : flow.jumps) {
    if (!loop.holds(jump.block) || (stuck != nullptr && !stuck->runs_statement(jump.statement)))
      continue;
    const auto read =
        stuck == nullptr ? names.reads.at(jump.statement) : stuck->made_of(jump.statement);
    if (read.empty()) continue;
    for (const int block : names.decided.at(jump.statement))
      deciding_[block].insert(deciding_[block].end(), read.begin(), read.end());
  }
}

bool PtxCounts::decide(std::size_t statement, Moves moves) const {
  const auto names = stuck_ == nullptr ? names_.reads.at(statement) : stuck_->made_of(statement);
  return std::any_of(names.begin(), names.end(),
                     [&](const PtxName& name) { return decides(statement, name, moves); });
}

bool PtxCounts::decides(std::size_t statement, const PtxName& read, Moves moves) const {
  std::set<PtxName> seen;
  std::vector<PtxName> open;
  const auto add = [&](const PtxSteps& steps) {
    for (const auto& [name, step] : steps)
      if ((!step.mixed || stuck_ == nullptr) && seen.insert(name).second) open.push_back(name);
  };
  add(at_head(flow_.block_of(statement), statement, {{read, PtxStep{}}}));
  while (!open.empty()) {
    const PtxName name = std::move(open.back());
    open.pop_back();
    if (!names_.written.contains(name)) continue;
    if (goes_on(name, moves)) return true;
    add(turn_of(name));
  }
  return false;
}

// Whether each turn moves it one way. One that a turn may begin anew does not go on.
bool PtxCounts::goes_on(const PtxName& name, Moves moves) const {
  const PtxSteps& turn = turn_of(name);
  const auto own = turn.find(name);
  if (own == turn.end() || own->second.way == PtxStep::Way::decides) return false;
  const PtxStep& step = own->second;
  if (stuck_ == nullptr) return step.mixed || step.negated || step.lo != 0 || step.hi != 0;
  const bool others = std::any_of(turn.begin(), turn.end(), [&](const auto& one) {
    return one.first != name && one.second.way == PtxStep::Way::base;
  });
  if (others || step.mixed || step.negated) return false;
  return moves == Moves::each_turn
             ? step.lo > 0 || step.hi < 0
             : (step.lo >= 0 || step.hi <= 0) && (step.lo != 0 || step.hi != 0);
}

// What its value at the end of a turn is made of.
const PtxSteps& PtxCounts::turn_of(const PtxName& name) const {
  const auto known = turns_.find(name);
  if (known != turns_.end()) return known->second;
  return turns_[name] = at_head(loop_.header, at_end, {{name, PtxStep{}}});
}

// What those names, read by a statement of the block, are made of. `at_end` of the head: read
// where the turn ends.
PtxSteps PtxCounts::at_head(int block, std::size_t end, PtxSteps steps) const {
  std::map<int, PtxSteps> needed;  // where a block ends
  std::map<int, int> visits;
  std::vector<int> open;
  PtxSteps head;
  const auto pass_on = [&](int from, const PtxSteps& made) {
    for (const int one : flow_.blocks[static_cast<std::size_t>(from)].predecessors) {
      if (!loop_.holds(one) || (stuck_ != nullptr && !stuck_->goes(one, from))) continue;
      bool changed = false;
      const bool widen = ++visits[one] > most_visits;
      for (const auto& [name, step] : made)
        changed = join(needed[one], name, step, widen) || changed;
      if (changed) open.push_back(one);
    }
  };
  const auto up = [&](int from, PtxSteps made, std::size_t until) {
    const auto& own = statements_of(flow_, from);
    for (auto i = own.rbegin(); i != own.rend(); ++i)
      if (*i < until && names_.deciding.contains(*i)) before(*i, made);
    if (from != loop_.header) return pass_on(from, made);
    for (const auto& [name, step] : made) join(head, name, step, false);
  };
  if (end == at_end)
    pass_on(block, steps);
  else
    up(block, std::move(steps), end);
  while (!open.empty()) {
    const int from = open.back();
    open.pop_back();
    up(from, needed[from], at_end);
  }
  return head;
}

// From what is needed after a statement to what is needed before it.
void PtxCounts::before(std::size_t i, PtxSteps& steps) const {
  if (stuck_ != nullptr && !stuck_->runs_statement(i)) return;
  PtxSteps made;
  for (const PtxName& name : names_.writes.at(i)) {
    const auto found = steps.find(name);
    if (found == steps.end()) continue;
    const PtxStep after = found->second;
    if (at(i).guard.empty() || (stuck_ != nullptr && stuck_->always_runs(i))) steps.erase(found);
    if (strict_ != nullptr && strict_->clock(i)) {
      const std::string& source = at(i).operand(1);
      PtxStep read = after;
      if (source == "%clock" || source == "%globaltimer_lo") read.bits = std::min(read.bits, 32);
      read.mixed = read.mixed || source.ends_with("_hi");
      join(made, clock_name, read, false);
    } else if (stops_(i) || (stuck_ != nullptr && stuck_->gives_number(i, name))) {
      if (after.way == PtxStep::Way::base) join(made, constant, after, false);
    } else {
      add_sources(i, after, made);
    }
    if (stops_(i)) continue;
    if (const auto deciding = deciding_.find(flow_.block_of(i)); deciding != deciding_.end())
      for (const PtxName& one : deciding->second)
        join(made, one, PtxStep{PtxStep::Way::decides}, false);
  }
  for (const auto& [name, step] : made) join(steps, name, step, false);
}

void PtxCounts::add_sources(std::size_t i, const PtxStep& after, PtxSteps& made) const {
  bool made_of_name = after.way != PtxStep::Way::base;
  for (const PtxName& name : stuck_ == nullptr ? names_.reads.at(i) : stuck_->made_of(i)) {
    if (strict_ != nullptr && is_steady(i, name)) continue;
    const PtxStep step = through(i, name, after);
    made_of_name = made_of_name || step.way != PtxStep::Way::decides;
    join(made, name, step, false);
  }
  const bool stays = strict_ != nullptr && after.way == PtxStep::Way::base && may_choose_steady(i);
  if (!made_of_name || stays) join(made, constant, after, false);
}

// Of selp: one of what it chooses between, as far as that is not known, stays in the loop.
bool PtxCounts::may_choose_steady(std::size_t i) const {
  if (stem_of(at(i)) != "selp" || at(i).operands.size() != 4) return false;
  const auto choice = stuck_->number_at(i, 3);
  return (choice.value_or(1) != 0 && strict_->steady(i, 1)) ||
         (choice.value_or(0) == 0 && strict_->steady(i, 2));
}

// An operand, and no choice, that stays in the loop.
bool PtxCounts::is_steady(std::size_t i, const PtxName& name) const {
  for (const std::size_t operand : {1U, 2U, 3U})
    if (is_operand(i, operand, name)) return strict_->steady(i, operand);
  return false;
}

bool PtxCounts::is_operand(std::size_t i, std::size_t operand, const PtxName& name) const {
  return operand < at(i).operands.size() && at(i).operand(operand) == name.second;
}

// What the result of a statement has of one of the names that it reads, where `after` is what
// becomes of the result.
PtxStep PtxCounts::through(std::size_t i, const PtxName& name, PtxStep after) const {
  const PtxStatement& parsed = at(i);
  const std::string_view stem = stem_of(parsed);
  const bool guard = !parsed.guard.empty() && parsed.guard.ends_with(name.second) &&
                     !is_operand(i, 1, name) && !is_operand(i, 2, name);
  if (guard || tells(parsed) || (stem == "selp" && is_operand(i, 3, name)))
    return {PtxStep::Way::decides};
  if (strict_ != nullptr) return strictly(i, name, after);
  if (is(parsed, PtxFact::call) && cuts_off(i)) after.mixed = true;
  if (flow_.locals.contains(i)) return after;
  if (is(parsed, PtxFact::carries) && (counts_far(parsed) || stem != "cvt")) return after;
  if (is(parsed, PtxFact::masks) && stuck_ == nullptr) return after;
  if (base::is_listed(" ld ldu ", stem)) {
    after.move_by(1, 1);
    return after;
  }
  if (counts_far(parsed) && base::is_listed(" add sub mad ", stem))
    return through_sum(i, name, after);
  const auto by = stuck_ == nullptr ? std::nullopt : stuck_->number_at(i, 2);
  const bool up = base::is_listed(" mul shl ", stem), down = base::is_listed(" shr div ", stem);
  if (counts_far(parsed) && (up || down) && is_operand(i, 1, name)) {
    const bool same = by && *by == (base::is_listed(" shl shr ", stem) ? 0 : 1);
    if (same) return after;
    if (up && after.lo >= 0 && by.value_or(1) >= 0)
      after.lo = std::max(after.lo, 1L);
    else if (down && after.hi <= 0 && by.value_or(1) >= 0)
      after.hi = std::min(after.hi, -1L);
    else
      after.mixed = true;
    (up ? after.hi : after.lo) = up ? farthest : -farthest;
    return after;
  }
  after.mixed = true;
  return after;
}

// Whether what is called may give back less than it gets: min, max, a remainder.
bool PtxCounts::cuts_off(std::size_t call) const {
  const PtxFunction* callee = file_.find(call_of(at(call)).callee);
  if (callee == nullptr || !callee->has_body) return false;
  for (std::size_t i = callee->open + 1; i < callee->close; ++i)
    if (base::is_listed(" min max rem ", stem_of(at(i)))) return true;
  return false;
}

// Of add, sub, mad: what is added to the name, where that is known, or something that moves it.
PtxStep PtxCounts::through_sum(std::size_t i, const PtxName& name, PtxStep after) const {
  const bool product = stem_of(at(i)) == "mad", difference = stem_of(at(i)) == "sub";
  if (product && !is_operand(i, 3, name)) {
    after.way = std::max(after.way, PtxStep::Way::sum);
    after.lo = std::max(after.lo, 1L), after.hi = farthest;
    return after;
  }
  const std::size_t other = is_operand(i, 1, name) ? 2 : 1;
  const auto by = added(i, other);
  const bool steady = by || product || !names_.written.contains({name.first, at(i).operand(other)});
  if (!steady) after.way = std::max(after.way, PtxStep::Way::sum);
  if (difference && other == 1) after.negated = true;
  const long step = difference ? -by.value_or(1) : by.value_or(1);
  after.move_by(step, step);
  return after;
}

std::optional<long> PtxCounts::added(std::size_t i, std::size_t other) const {
  const bool product = stem_of(at(i)) == "mad";
  if (stuck_ == nullptr) return product ? std::nullopt : literal_number(at(i).operand(other));
  if (!product) return stuck_->number_at(i, other);
  const auto first = stuck_->number_at(i, 1), second = stuck_->number_at(i, 2);
  if ((first && *first == 0) || (second && *second == 0)) return 0;
  return first && second ? std::optional(*first * *second) : std::nullopt;
}

}  // namespace phasebit::ptx::flow
