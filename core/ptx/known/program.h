// A function made ready for walking: registers by number, operands taken apart.
#pragma once

#include "core/ptx/flow/flow.h"
#include "core/ptx/known/value.h"

#include <cstddef>
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
  std::optional<PtxOperation> makes;  // writes.front(), of the operands behind the first
  std::optional<PtxValue> loads;      // of a parameter
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

}  // namespace phasebit::ptx::known
