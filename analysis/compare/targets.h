// What of two instructions' operands is compared.
#pragma once

#include "analysis/cubin/instruction.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace phasebit::compare {

// Where the last operand is an address in the kernel: the instruction it names, and what stands in
// front of it. Only branches and what names a place of convergence have one.
struct CodeTarget {
  int index = -1;  // -1: it has none
  std::string_view condition;
};
CodeTarget target_of(const cubin::SassKernel& kernel, const cubin::Instruction& instruction);
// Its index alone.
int target_index(const cubin::SassKernel& kernel, const cubin::Instruction& instruction);

// The word of an instruction without the distance that it jumps, which is `bytes` from its end.
// The distance stands in units of 4 bytes in bits 34..81, or with its lowest 8 bits in bits 16..23
// and the rest in bits 34..81 (BRA from sm_90 on). Nothing where it stands in neither place. The
// bits 32 and 33 below it stay: ptxas sets them in some jumps, and no disassembler shows them.
std::optional<cubin::SassWord> without_distance(cubin::SassWord word, std::int64_t bytes);

// Operands without ".reuse", which is a control field.
std::string without_reuse(std::string operands);
// The same of two texts, without a copy where they are equal as they stand.
bool same_without_reuse(const std::string& a, const std::string& b);

// What of the operands is compared. On one SM names do not count: the class says where relocations
// lead. Across SMs classes are not compared, so names have to say it.
const std::string& compared_operands(const cubin::Instruction& instruction, bool one_sm);

}  // namespace phasebit::compare
