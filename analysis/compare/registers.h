// The registers that an instruction names, and its text without their numbers.
#pragma once

#include "analysis/cubin/instruction.h"
#include "core/isa/opcodes.h"

#include <cstdint>
#include <optional>
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

// What an opcode says of the registers next to it.
struct OpcodeShape {
  enum class Reads { plain, matrix, as_result, pair, wide };
  isa::SassResults results = isa::SassResults::first;
  int width = 1;       // registers of the result
  int fixed_read = 0;  // registers of each operand that is not an address; 0: as `reads` says
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

// Whether two kernels are the same up to the names of their registers
// (docs/decisions/renamed-registers.md).

// Where an instruction is in an alignment.
struct AlignedPlace {
  std::uint32_t row = 0;   // the same for two that are aligned, and for no others
  std::uint32_t join = 0;  // the first row from here on that both sides have
};

// A kernel's first `size` instructions with the numbers of their registers left out, and what these
// registers hold.
class MaskedCode {
 public:
  // `one_sm` as in compared_operands.
  MaskedCode(const cubin::SassKernel& kernel, std::size_t size, bool one_sm);

  // Guard and operands; the target of a branch, which is an address, is in it as well.
  std::string_view text(std::size_t instruction) const;

  // For each instruction a hash of where the value of each register that it reads was written, in
  // the order of the text: by row, and by place in that row. Two aligned instructions with one text
  // and one hash do the same with the same values. Where paths meet, a value is one for each path
  // that brings another.
  std::vector<std::uint64_t> values_read(const std::vector<AlignedPlace>& places) const;

 private:
  struct Block {
    std::size_t begin = 0, end = 0;
    std::vector<std::size_t> predecessors;  // ascending
  };
  using State = std::vector<std::uint32_t>;  // by register: a hash of where its value was written

  void number_registers();
  void find_blocks(const cubin::SassKernel& kernel);
  State enter(std::size_t block, const std::vector<State>& left_by, std::uint32_t join) const;
  void run(std::size_t block, State& state, const std::vector<AlignedPlace>& places,
           std::vector<std::uint64_t>& read) const;

  std::size_t size_ = 0;
  std::vector<int> registers_;  // that it names, ascending; mentions_ has their places here
  std::string texts_;
  std::vector<std::size_t> text_ends_, mention_ends_;
  std::vector<RegisterMention> mentions_;
  std::vector<bool> guarded_;
  std::vector<Block> blocks_;
};

// Of a kernel alone, each instruction in a row of its own: equal for two kernels with the same
// opcodes when each row has one text and reads the same values.
std::string renaming_hash(const cubin::SassKernel& kernel, std::size_t size, bool one_sm);

// What of two instructions' operands is compared.

// Where the last operand is an address in the kernel: the instruction it names, and what comes
// before it. Only branches and what names a place of convergence have one.
struct CodeTarget {
  int index = -1;  // -1: there is no instruction
  std::string_view condition;
};
CodeTarget target_of(const cubin::SassKernel& kernel, const cubin::Instruction& instruction);
// Its index alone.
int target_index(const cubin::SassKernel& kernel, const cubin::Instruction& instruction);

// The word of an instruction without the distance that it jumps, which is `bytes` from its end.
// The distance is in units of 4 bytes in bits 34..81, or with its lowest 8 bits in bits 16..23
// and the rest in bits 34..81 (BRA from sm_90 on). Nothing where it is in neither place. The
// bits 32 and 33 below it stay: ptxas sets them in some jumps, and no disassembler shows them.
std::optional<cubin::SassWord> without_distance(cubin::SassWord word, std::int64_t bytes);

// Operands without ".reuse", which is a control field.
std::string without_reuse(std::string operands);
// The same of two texts, without a copy where they are equal as they are.
bool same_without_reuse(const std::string& a, const std::string& b);

// What of the operands is compared. On one SM names do not count: the class says where relocations
// lead. Across SMs classes are not compared, so names have to say it.
const std::string& compared_operands(const cubin::Instruction& instruction, bool one_sm);

}  // namespace phasebit::compare
