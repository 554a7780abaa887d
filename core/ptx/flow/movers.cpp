// PtxCounts where the rule is strict: what moves one way for sure, and by how much.
#include "core/base/text.h"
#include "core/isa/opcodes.h"
#include "core/ptx/flow/counts.h"
#include "core/ptx/flow/stuck.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace phasebit::ptx::flow {
namespace {

constexpr long most_factor = 256;  // a value that grows by more may pass any number

// Bits of the narrowest integer that the opcode names; 0: it names a float, or nothing.
int narrowest(const PtxStatement& statement) {
  int bits = 0;
  for (const std::string_view word : base::split(statement.name, '.')) {
    if (base::is_listed(" sat f16 f16x2 bf16 bf16x2 f32 f64 f32x2 s16x2 u16x2 ", word)) return 0;
    if (word.size() < 2 || word.size() > 3 || !base::is_listed(" u s b ", word.substr(0, 1)))
      continue;
    const int own = std::atoi(std::string(word.substr(1)).c_str());
    if (own != 0) bits = bits == 0 ? own : std::min(bits, own);
  }
  return bits;
}

bool is_signed(const PtxStatement& statement) {
  return statement.name.find(".s") != std::string::npos;
}

PtxStep mixed(PtxStep step) {
  step.mixed = true;
  return step;
}

}  // namespace

std::optional<PtxMover> PtxCounts::mover(std::size_t statement, const PtxName& read) const {
  const auto only = [](const PtxSteps& steps) {
    const auto is_value = [](const auto& one) { return one.second.way != PtxStep::Way::decides; };
    return std::count_if(steps.begin(), steps.end(), is_value) == 1
               ? std::find_if(steps.begin(), steps.end(), is_value)
               : steps.end();
  };
  const PtxSteps made = at_head(flow_.block_of(statement), statement, {{read, PtxStep{}}});
  const auto value = only(made);
  if (value == made.end() || value->second.mixed || value->second.unlike) return std::nullopt;
  const PtxStep& step = value->second;
  PtxMover found;
  found.name = value->first, found.clock = value->first == clock_name;
  found.direction = step.negated ? -1 : 1;
  found.scaled = step.scaled, found.bits = step.bits;
  found.apart = step.apart || step.lo != step.hi, found.offset = step.lo;
  if (found.clock) return found;
  if (!names_.written.contains(found.name)) return std::nullopt;
  const PtxSteps& turn = turn_of(found.name);
  const auto own = only(turn);
  if (own == turn.end() || own->first != found.name) return std::nullopt;
  const PtxStep& each = own->second;
  if (each.mixed || each.unlike || each.negated || each.apart) return std::nullopt;
  found.lo = each.lo, found.hi = each.hi;
  if (each.scaled) {
    const bool alone = each.lo == 0 && each.hi == 0 && !step.negated &&
                       (!step.scaled || step.shifts == each.shifts);
    if (!alone || !std::has_single_bit(each.shifts)) return std::nullopt;
    found.direction = 0, found.shifts = each.shifts;
    return found;
  }
  if (each.lo <= 0 && each.hi >= 0) return std::nullopt;
  if (each.hi < 0) found.direction = -found.direction;
  return found;
}

std::vector<PtxName> PtxCounts::moving(std::size_t statement) const {
  PtxSteps needed;
  for (const PtxName& name : names_.reads.at(statement)) needed.emplace(name, PtxStep{});
  std::vector<PtxName> found;
  for (const auto& [name, step] : at_head(flow_.block_of(statement), statement, std::move(needed)))
    if (step.way != PtxStep::Way::decides && !step.mixed && moves(name)) found.push_back(name);
  return found;
}

bool PtxCounts::moves(const PtxName& name) const {
  if (!names_.written.contains(name)) return false;
  const PtxSteps& turn = turn_of(name);
  const auto own = turn.find(name);
  const bool begun_anew = std::any_of(turn.begin(), turn.end(), [&](const auto& other) {
    return other.first != name && other.second.way == PtxStep::Way::base;
  });
  if (own == turn.end() || begun_anew || own->second.mixed || own->second.negated) return false;
  return own->second.scaled || own->second.lo > 0 || own->second.hi < 0;
}

std::vector<PtxName> PtxCounts::carried(std::size_t statement) const {
  PtxSteps needed;
  for (const PtxName& name : names_.reads.at(statement)) needed.emplace(name, PtxStep{});
  std::vector<PtxName> found;
  for (const auto& [name, step] : at_head(flow_.block_of(statement), statement, std::move(needed)))
    if (step.way != PtxStep::Way::decides && names_.written.contains(name)) found.push_back(name);
  return found;
}

// As `through`, of what is not a branch.
PtxStep PtxCounts::strictly(std::size_t i, const PtxName& name, PtxStep after) const {
  const PtxStatement& parsed = at(i);
  const std::string_view stem = stem_of(parsed);
  if (flow_.locals.contains(i) || is(parsed, isa::PtxFact::parameter) ||
      base::is_listed(" selp cvta ", stem))
    return after;
  const int bits = narrowest(parsed);
  if (bits < 32) return mixed(after);
  if (is(parsed, isa::PtxFact::moves))
    return parsed.operand(0).starts_with('{') || parsed.operand(1).starts_with('{') ? mixed(after)
                                                                                    : after;
  const bool twice = is_operand(i, 1, name) + is_operand(i, 2, name) + is_operand(i, 3, name) > 1;
  if (twice) return mixed(after);
  if (stem == "cvt") {
    after.bits = std::min(after.bits, bits);
    return after;
  }
  if (base::is_listed(" add sub ", stem) || (stem == "mad" && is_operand(i, 3, name)))
    return strict_sum(i, name, after);
  if (base::is_listed(" mul mad shl shr div ", stem)) return strict_product(i, name, after);
  return mixed(after);
}

PtxStep PtxCounts::strict_sum(std::size_t i, const PtxName& name, PtxStep after) const {
  const PtxStatement& parsed = at(i);
  const bool product = stem_of(parsed) == "mad", difference = stem_of(parsed) == "sub";
  if (parsed.name.find(".cc") != std::string::npos || parsed.name.find(".hi") != std::string::npos)
    return mixed(after);
  if (!product && narrowest(parsed) == 32) after.bits = std::min(after.bits, 32);
  const auto all = [&](const auto& holds) {
    if (product) return holds(i, std::size_t{1}) && holds(i, std::size_t{2});
    return holds(i, std::size_t{is_operand(i, 1, name) ? 2U : 1U});
  };
  if (difference && is_operand(i, 2, name)) {
    if (!strict_->steady(i, 1)) return mixed(after);
    after.negated = !after.negated, after.apart = true;
    return after;
  }
  std::optional<long> by = 1;
  all([&](std::size_t statement, std::size_t operand) {
    const auto one = strict_->number(statement, operand);
    by = by && one ? std::optional(*by * *one) : std::nullopt;
    return true;
  });
  if (by) {
    const long step = difference ? -*by : *by;
    after.move_by(step, step);
  } else if (all(strict_->positive)) {
    after.move_by(difference ? -PtxStep::farthest : 1, difference ? -1 : PtxStep::farthest);
  } else {
    if (!all(strict_->steady)) return mixed(after);
    after.apart = true;
  }
  return after;
}

PtxStep PtxCounts::strict_product(std::size_t i, const PtxName& name, PtxStep after) const {
  const PtxStatement& parsed = at(i);
  const std::string_view stem = stem_of(parsed);
  const bool sum = stem == "mad", shift = base::is_listed(" shl shr ", stem);
  const std::size_t other = is_operand(i, 1, name) ? 2 : 1;
  const auto by = strict_->number(i, other);
  const bool hi = parsed.name.find(".hi") != std::string::npos;
  const bool turned_round = other == 1 && base::is_listed(" shl shr div ", stem);
  if (hi || turned_round || !by || *by < (shift ? 0 : 1) || (sum && !strict_->steady(i, 3)))
    return mixed(after);
  if (sum) after.apart = true;
  if (*by == (shift ? 0 : 1)) return after;
  after.scaled = true;
  const bool falls = base::is_listed(" shr div ", stem);
  if (*by > (shift ? 8 : most_factor) && !falls) return mixed(after);
  const bool below = stem == "shr" && is_signed(parsed);
  after.shifts |= falls ? (below ? down_signed : down) : stem == "shl" ? up : product;
  const int type = narrowest(parsed);
  if (falls) {
    const int less = shift ? static_cast<int>(std::min(*by, 63L))
                           : static_cast<int>(std::bit_width(static_cast<unsigned long>(*by))) - 1;
    after.bits = std::max(1, std::min(after.bits, type) - less);
  }
  return after;
}

}  // namespace phasebit::ptx::flow
