// How long the chains are that values come from: what each depends on, step after step.
#pragma once

#include "core/ptx/run/instruction.h"
#include "core/ptx/run/warp.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace phasebit::protocol {

// Of the longest chain: all its instructions, and those of work (floating-point and tensor
// operations, integer products, plain loads), whose latency a figure has.
struct ChainSteps {
  std::uint32_t all = 0, work = 0;
};

class Chains {
 public:
  Chains(const ptx::run::RunProgram& program, std::size_t warps);

  // Those lanes execute it. Where it is work: its place in each lane's chain; else null.
  const ChainSteps* executed(const ptx::run::Warp& warp, const ptx::run::Instruction& one,
                             ptx::run::Mask lanes);
  std::uint32_t steps_of(const ptx::run::Warp& warp, const ptx::run::Operand& operand,
                         int lane) const;

 private:
  std::size_t place(const ptx::run::Operand& operand) const;

  std::size_t rows_;
  std::vector<std::vector<ChainSteps>> steps_;  // by warp: of each row's and predicate's lanes
  std::vector<ChainSteps> made_;
};

}  // namespace phasebit::protocol
