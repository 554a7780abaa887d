#include "analysis/cubin/constant_operand.h"

namespace phasebit::cubin {
namespace {

constexpr std::uint64_t field(std::uint64_t word, unsigned low, unsigned bits) {
  return (word >> low) & ((std::uint64_t{1} << bits) - 1);
}

// Opcodes, bits 11 to 0. Bits 11 to 9 say where the second and third operand come from; in two of
// the forms one of them is a constant.
constexpr std::uint64_t ldc = 0xb82, uldc_indexed = 0xabb, ldcu = 0x7ac, bar = 0xb1d;

}  // namespace

std::optional<ConstantOperand> constant_operand(const SassWord& word) {
  const std::uint64_t opcode = field(word.low, 0, 12), form = opcode >> 9U;
  if ((form != 3 && form != 5) || opcode == bar) return std::nullopt;
  // From sm_100 on the uniform load has its offset one bit lower.
  const auto offset = static_cast<std::uint32_t>(field(word.low, opcode == ldcu ? 37 : 38, 16));
  const bool no_register = field(word.low, 24, 8) == 0xff;
  const bool indexed =
      opcode == uldc_indexed || ((opcode == ldc || opcode == ldcu) && !no_register);
  return ConstantOperand{static_cast<int>(field(word.low, 54, 5)), offset, indexed};
}

}  // namespace phasebit::cubin
