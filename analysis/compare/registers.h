// The registers that an instruction names, and its text without their numbers.
#pragma once

#include "analysis/cubin/instruction.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
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

// What an opcode says of the registers beside it.
struct OpcodeShape {
  enum class Results { none, first, compare, sync, carry, vote };
  enum class Reads { plain, matrix, as_result, pair, wide };
  Results results = Results::first;
  int width = 1;       // registers of the result
  int fixed_read = 0;  // registers of each operand that is no address; 0: as `reads` says
  Reads reads = Reads::plain;
  int first_matrix_read = 0, second_matrix_read = 0;  // A and B of a matrix instruction
  int address_read = 1;                               // of an operand in brackets
};

// Reads instructions of one kernel, each opcode once.
class RegisterReader {
 public:
  // Appends the guard and `operands` with every number of a register left out ("@!P R,[R+UR.64]"),
  // and the registers in the order of the text. Which operands are results is taken from the
  // opcode; of an opcode that is not known it is the first operand, where that is a register.
  void mask(const cubin::Instruction& instruction, std::string_view operands, std::string& text,
            std::vector<RegisterMention>& registers);

 private:
  std::unordered_map<std::string, OpcodeShape> shapes_;
};

}  // namespace phasebit::compare
