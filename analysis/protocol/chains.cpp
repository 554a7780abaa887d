#include "analysis/protocol/chains.h"

#include "analysis/protocol/count_words.h"

#include <algorithm>

namespace phasebit::protocol {

using ptx::run::Instruction;
using ptx::run::lanes_of_warp;
using ptx::run::Mask;
using ptx::run::Op;
using ptx::run::Operand;
using ptx::run::RunProgram;
using ptx::run::Warp;

namespace {

bool is_step_of_work(const Instruction& one) {
  switch (one.op) {
    case Op::mul:
    case Op::mad:
    case Op::mul24: return true;
    case Op::ld: return one.space != ptx::run::Space::param && !one.names_order;
    default: return is_work(one);
  }
}

std::size_t number_of(const Warp& warp) {
  return static_cast<std::size_t>(warp.first_thread / lanes_of_warp);
}

}  // namespace

Chains::Chains(const RunProgram& program, std::size_t warps)
    : rows_(program.rows), steps_(warps), made_(lanes_of_warp) {
  for (std::vector<ChainSteps>& one : steps_)
    one.resize((rows_ + program.predicates) * lanes_of_warp);
}

std::size_t Chains::place(const Operand& operand) const {
  const std::size_t row =
      operand.kind == Operand::Kind::predicate ? rows_ + operand.row : operand.row;
  return row * lanes_of_warp;
}

const ChainSteps* Chains::executed(const Warp& warp, const Instruction& one, Mask lanes) {
  std::vector<ChainSteps>& steps = steps_[number_of(warp)];
  std::fill(made_.begin(), made_.end(), ChainSteps{});
  const auto take = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::none) return;
    const ChainSteps* from = &steps[place(operand)];
    for (std::size_t n = 0; n < lanes_of_warp; ++n) {
      made_[n].all = std::max(made_[n].all, from[n].all);
      made_[n].work = std::max(made_[n].work, from[n].work);
    }
  };
  take(one.guard);
  // A product of matrices adds to what its results hold.
  for (std::size_t n = one.op == Op::wgmma ? 0 : one.results; n < one.operands.size(); ++n)
    take(one.operands[n]);
  const std::uint32_t more = is_step_of_work(one) ? 1 : 0;
  for (ChainSteps& lane : made_) lane = {lane.all + 1, lane.work + more};
  for (std::size_t n = 0; n < one.results; ++n) {
    if (one.operands[n].kind == Operand::Kind::none) continue;
    ChainSteps* to = &steps[place(one.operands[n])];
    ptx::run::each_lane(lanes, [&](int lane) { to[lane] = made_[static_cast<std::size_t>(lane)]; });
  }
  return more != 0 ? made_.data() : nullptr;
}

std::uint32_t Chains::steps_of(const Warp& warp, const Operand& operand, int lane) const {
  if (operand.kind == Operand::Kind::none) return 0;
  return steps_[number_of(warp)][place(operand) + static_cast<std::size_t>(lane)].all;
}

}  // namespace phasebit::protocol
