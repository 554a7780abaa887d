// How often an opcode stands in a kernel, and in its loops.
#pragma once

#include "analysis/cubin/instruction.h"
#include "core/base/error.h"

#include <map>
#include <string>
#include <string_view>

namespace phasebit::flow {

enum class CountIn { loops, kernel };
// "in loops", "in the kernel"
std::string_view to_string(CountIn where);

struct OpcodeTally {
  int loops = 0;   // in loops of the flow graph, entered in one place or in several
  int kernel = 0;  // without the NOPs behind the last branch
  int of(CountIn where) const { return where == CountIn::loops ? loops : kernel; }
};

struct OpcodeCensus {
  std::map<std::string, OpcodeTally> opcodes;
  // Some path leads from the entry to a loop that nothing leaves.
  bool has_endless_loop = false;
  // All opcodes of a shell pattern together, as the gate counts them.
  OpcodeTally count(const std::string& pattern) const;
};

// Step::disassemble when a branch cannot be followed.
Result<OpcodeCensus> take_opcode_census(const cubin::SassKernel& kernel);

}  // namespace phasebit::flow
