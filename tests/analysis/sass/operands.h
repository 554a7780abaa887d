// Which registers an instruction reads and writes, from the text of its operands.
#pragma once

#include "analysis/cubin/instruction.h"

#include <vector>

namespace phasebit::test {

// Numbers of R, UR, P and UP registers; RZ, URZ, PT and UPT are none.
inline constexpr int first_uniform = 1000, first_predicate = 2000, first_uniform_predicate = 3000;

// Never more than there are: a rule that speaks of a register here speaks of one that is used. The
// upper registers of a wide operand are in it where the text says how wide it is.
struct RegisterUse {
  std::vector<int> reads, writes;
};
RegisterUse registers_of(const cubin::Instruction& instruction);

}  // namespace phasebit::test
