// A function made ready for walking: registers by number, operands taken apart.
#pragma once

#include "core/ptx/flow/flow.h"
#include "core/ptx/known/value.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::ptx::known {

// The launch whose threads are walked: one row of threads, one grid or one cluster.
struct PtxLaunch {
  int threads = 0;
  int cluster_size = 1;
  // Of the first parameter, by byte offset and size: what each launch finds there. All else of the
  // parameters is not known.
  std::map<std::pair<int, int>, std::uint64_t> parameters;
};

struct PtxThread {
  int tid = 0;
  int rank = 0;  // of its CTA in the cluster
};

// Where an operand's value comes from.
struct PtxOperand {
  enum class Kind { unknown, constant, register_, special };
  Kind kind = Kind::unknown;
  bool negated = false;    // "!p"
  PtxValue value;          // of a constant; of an address what is added to it
  std::size_t number = 0;  // of a register
  std::string special;     // "%tid.x"
};

struct PtxStep {
  std::size_t statement = 0;
  std::optional<PtxOperand> guard;
  std::vector<PtxOperand> operands;   // all, as written; "[a+8]" is an address
  std::vector<std::size_t> writes;    // registers
  std::optional<PtxOperation> makes;  // writes.front(), of the operands after the first
  std::optional<PtxValue> loads;      // of a parameter
  bool from_first_lane = false;  // shfl.sync.idx: what lane 0 has of the operand after the first
  bool is_call = false;
  const flow::PtxJump* jump = nullptr;
};

struct PtxProgram {
  flow::PtxFlow flow;
  std::vector<std::vector<PtxStep>> blocks;
  std::size_t registers = 0;
  // Variables in shared memory, by the number that PtxValue::symbol is. Dynamic: `.extern`.
  struct Symbol {
    std::string name;
    bool is_dynamic = false;
  };
  std::vector<Symbol> symbols;
};

PtxProgram program_of(const PtxFile& file, const PtxFunction& function, const PtxLaunch& launch);

// What a thread of a launch may run and with which operands, as far as the text says it: constants,
// the thread's own number, places in shared memory, what the first lane hands on to its warp where
// that lane was walked last of all first lanes. Of a branch that depends on anything else
// (memory, other threads, the number of items) both ways are walked.

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
  void take_step(const PtxStep& step, State& state, const Thread& thread, const Seen& seen);
  PtxValue from_first_lane(const PtxStep& step, const PtxValue& own, const Thread& thread);
  // The block that follows for sure; -1: the path ends here, or goes on in `open_`.
  int next_block(int block, const PtxStep* jump, const State& state, const Thread& thread);
  void go_both_ways(const std::vector<int>& blocks, const State& state);

  const PtxProgram& program_;
  std::map<int, State> merged_;  // at what an undecided branch leads to
  std::vector<Place> open_;
  PtxThread first_;                         // the first lane that was walked last
  std::map<std::size_t, PtxValue> handed_;  // by it, by statement
  long steps_left_;
};

}  // namespace phasebit::ptx::known
