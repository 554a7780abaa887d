// The registers that an instruction names, and its text without their numbers.
#pragma once

#include "analysis/cubin/instruction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::compare {

// Registers as one row of numbers: R first, then UR, P and UP. RZ, URZ, PT and UPT are none.
inline constexpr int first_uniform = 256, first_predicate = 512, first_uniform_predicate = 520;
inline constexpr int register_numbers = 528;

struct RegisterMention {
  int number = 0;
  bool written = false;
  int width = 1;  // registers from `number` on that are written or, at least, read
};

// Appends the guard and `operands` with every number of a register left out ("@!P R,[R+UR.64]"),
// and the registers in the order of the text. Which operands are results is taken from the opcode;
// of an opcode that is not known it is the first operand, where that is a register.
void mask_registers(const cubin::Instruction& instruction, std::string_view operands,
                    std::string& text, std::vector<RegisterMention>& registers);

}  // namespace phasebit::compare
