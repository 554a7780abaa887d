#include "core/ptx/known/walk.h"

#include <algorithm>

namespace phasebit::ptx::known {
namespace {

// Of all threads of a launch together, and of one: a loop that ends after more turns is not known.
constexpr long most_steps = 20'000'000;
constexpr long most_steps_of_thread = 100'000;
constexpr int lanes = 32;

}  // namespace

struct PtxWalk::Thread {
  const PtxLaunch& launch;
  PtxThread at;

  PtxValue special(const std::string& name) const {
    const auto number = [](int value) { return known_number(static_cast<std::uint64_t>(value)); };
    const int lane = at.tid % lanes;
    const std::uint32_t bit = 1U << lane;
    if (name == "%tid.x") return number(at.tid);
    if (name == "%ntid.x") return number(launch.threads);
    if (name == "%laneid") return number(lane);
    if (name == "%tid.y" || name == "%tid.z") return number(0);
    if (name == "%ntid.y" || name == "%ntid.z") return number(1);
    if (name == "%cluster_ctarank") return number(at.rank);
    if (name == "%cluster_nctarank") return number(launch.cluster_size);
    if (name == "%lanemask_eq") return known_number(bit);
    if (name == "%lanemask_lt") return known_number(bit - 1);
    if (name == "%lanemask_le") return known_number(bit | (bit - 1));
    if (name == "%lanemask_gt") return known_number(~(bit | (bit - 1)));
    if (name == "%lanemask_ge") return known_number(~(bit - 1));
    return {};
  }
};

PtxWalk::PtxWalk(const PtxProgram& program) : program_(program), steps_left_(most_steps) {}

PtxValue PtxWalk::value_of(const PtxOperand& source, const State& state,
                           const Thread& thread) const {
  switch (source.kind) {
    case PtxOperand::Kind::unknown: return {};
    case PtxOperand::Kind::constant: return source.value;
    case PtxOperand::Kind::special: return thread.special(source.special);
    case PtxOperand::Kind::register_: break;
  }
  PtxValue value = state[source.number];
  if (value.kind == PtxValue::Kind::unknown) return value;
  value.bits += source.value.bits;
  if (source.negated) value.bits = value.bits == 0 ? 1 : 0;
  return value;
}

void PtxWalk::take_step(const PtxStep& step, State& state, const Thread& thread,
                        const Seen& seen) const {
  bool certain = true;
  if (step.guard) {
    const PtxValue guard = value_of(*step.guard, state, thread);
    if (guard.is_number() && guard.bits == 0) return;
    certain = guard.is_number();
  }
  std::vector<PtxValue> operands;
  operands.reserve(step.operands.size());
  for (const PtxOperand& source : step.operands)
    operands.push_back(value_of(source, state, thread));
  seen(step, operands);
  PtxValue made;
  if (step.loads) made = *step.loads;
  if (step.makes && !operands.empty())
    made = step.makes->of_operands(std::span(operands).subspan(1));
  for (std::size_t n = 0; n < step.writes.size(); ++n) {
    if (n == 1 && made.is_number()) made.bits ^= 1;
    PtxValue& to = state[step.writes[n]];
    to = certain ? made : joined(to, made);
  }
}

void PtxWalk::go_both_ways(const std::vector<int>& blocks, const State& state) {
  for (const int block : blocks) {
    const auto [known, first] = merged_.emplace(block, state);
    bool changed = first;
    for (std::size_t n = 0; !first && n < state.size(); ++n) {
      const PtxValue both = joined(known->second[n], state[n]);
      changed = changed || both != known->second[n];
      known->second[n] = both;
    }
    if (changed) open_.push_back({block, known->second});
  }
}

int PtxWalk::next_block(int block, const PtxStep* last, const State& state, const Thread& thread) {
  const flow::PtxJump* jump = last == nullptr ? nullptr : last->jump;
  const auto& successors = program_.flow.blocks[static_cast<std::size_t>(block)].successors;
  if (jump == nullptr) return successors.empty() ? -1 : successors.front();
  PtxValue taken = known_number(1);
  if (last->guard) taken = value_of(*last->guard, state, thread);
  if (taken.is_number() && taken.bits == 0) return jump->falls_to;
  if (taken.is_number() && jump->leaves) return -1;
  if (taken.is_number() && jump->targets.size() == 1) return jump->targets.front();
  go_both_ways(successors, state);
  return -1;
}

bool PtxWalk::run(const PtxLaunch& launch, const PtxThread& thread, const Seen& seen) {
  const Thread own{launch, thread};
  merged_.clear();
  open_.clear();
  open_.push_back({0, State(program_.registers)});
  const long stop = std::max(0L, steps_left_ - most_steps_of_thread);
  while (!open_.empty()) {
    Place place = std::move(open_.back());
    open_.pop_back();
    for (int block = place.block; block >= 0;) {
      const auto& steps = program_.blocks[static_cast<std::size_t>(block)];
      steps_left_ -= static_cast<long>(steps.size()) + 1;
      if (steps_left_ < stop) return false;
      for (const PtxStep& step : steps) take_step(step, place.state, own, seen);
      block = next_block(block, steps.empty() ? nullptr : &steps.back(), place.state, own);
    }
  }
  return true;
}

}  // namespace phasebit::ptx::known
