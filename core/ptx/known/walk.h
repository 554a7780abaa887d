// What a thread of a launch may run and with which operands, as far as the text says it: constants,
// the thread's own number, places in shared memory. Of a branch that depends on anything else
// (memory, other threads, the number of items) both ways are walked.
#pragma once

#include "core/ptx/known/program.h"

#include <functional>

namespace phasebit::ptx::known {

class PtxWalk {
 public:
  explicit PtxWalk(const PtxProgram& program);

  // Called for each instruction that the thread may run, again when it may run it with other
  // operands: with the statement and the values of all operands as written.
  using Seen = std::function<void(const PtxStep& step, const std::vector<PtxValue>& operands)>;

  // False: too many steps; what was seen is not all.
  bool run(const PtxLaunch& launch, const PtxThread& thread, const Seen& seen);

 private:
  using State = std::vector<PtxValue>;
  struct Place {
    int block;
    State state;
  };
  struct Thread;

  PtxValue value_of(const PtxOperand& source, const State& state, const Thread& thread) const;
  void take_step(const PtxStep& step, State& state, const Thread& thread, const Seen& seen) const;
  // The block that follows for sure; -1: the path ends here, or goes on in `open_`.
  int next_block(int block, const PtxStep* jump, const State& state, const Thread& thread);
  void go_both_ways(const std::vector<int>& blocks, const State& state);

  const PtxProgram& program_;
  std::map<int, State> merged_;  // at what an undecided branch leads to
  std::vector<Place> open_;
  long steps_left_;
};

}  // namespace phasebit::ptx::known
