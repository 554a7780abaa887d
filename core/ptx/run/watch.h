// What a run tells of the statements that it executes.
#pragma once

#include "core/ptx/run/instruction.h"
#include "core/ptx/run/warp.h"

#include <cstdint>

namespace phasebit::ptx::run {

class RunWatch {
 public:
  RunWatch() = default;
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  virtual ~RunWatch() = default;
  // Those lanes execute it, with the operands that their registers hold now. A wait is told once,
  // when it is over, whether its retry loop was entered or a token had answered; of a retry loop
  // nothing else is.
  virtual void executed(const Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) = 0;
  // Bits that are wrong in what a load, or a try outside of a retry loop, gives the lane. `truth`:
  // what it gives.
  virtual std::uint64_t lie(const Warp& /*warp*/, const Instruction& /*one*/, int /*lane*/,
                            std::uint64_t /*truth*/) {
    return 0;
  }
};

// Whether several lanes must come to it, or wait in it.
inline bool is_of_several(const Instruction& one) {
  switch (one.op) {
    case Op::warp_sync:
    case Op::shfl:
    case Op::vote:
    case Op::match:
    case Op::elect:
    case Op::setmaxnreg:
    case Op::bar_sync:
    case Op::bar_arrive:
    case Op::bar_warp_sync:
    case Op::cluster_arrive:
    case Op::cluster_wait: return true;
    default: return is_of_whole_warp(one);
  }
}

}  // namespace phasebit::ptx::run
