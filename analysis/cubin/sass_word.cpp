#include "analysis/cubin/sass_word.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace phasebit::cubin {

namespace {

int field(std::uint64_t high, int first_bit, int bits) {
  return static_cast<int>((high >> (first_bit - 64)) & ((1U << bits) - 1U));
}

std::string scoreboard(int number) {
  constexpr int none = 7;
  return number == none ? "-" : std::to_string(number);
}

// One column per bit: its character when set, '-' when not.
std::string mask(int bits, const char* characters) {
  std::string out;
  for (int i = 0; characters[i] != '\0'; ++i) out += ((bits >> i) & 1) != 0 ? characters[i] : '-';
  return out;
}

}  // namespace

Control decode_control(const SassWord& word) {
  Control control;
  control.stall_cycles = field(word.high, 105, 4);
  control.yield = field(word.high, 109, 1) == 0;
  control.write_scoreboard = field(word.high, 110, 3);
  control.read_scoreboard = field(word.high, 113, 3);
  control.wait_mask = field(word.high, 116, 6);
  control.reuse = field(word.high, 122, 3);
  return control;
}

std::string to_string(const Control& control) {
  return fmt::format("{:02} {} W{} R{} B{} {}", control.stall_cycles, control.yield ? 'Y' : '-',
                     scoreboard(control.write_scoreboard), scoreboard(control.read_scoreboard),
                     mask(control.wait_mask, "012345"), mask(control.reuse, "abc"));
}

namespace {

constexpr std::uint64_t field(std::uint64_t word, unsigned low, unsigned bits) {
  return (word >> low) & ((std::uint64_t{1} << bits) - 1);
}

// Opcodes, bits 11 to 0. Bits 11 to 9 say where the second and third operand come from; in two of
// the forms one of them is a constant.
constexpr std::uint64_t ldc = 0xb82, uldc = 0xab9, uldc_indexed = 0xabb, ldcu = 0x7ac, bar = 0xb1d;

// Bits 8 to 0 of the operations whose constant has 32 bits in every form: MOV, SEL, FSEL, FMNMX,
// FSETP, ISETP, IADD3, LEA, LOP3, IABS, PRMT, IMNMX, SHF, FMUL, FADD, FFMA, IMAD, IMAD.HI, HADD2,
// HFMA2, HMUL2. Others may read 64: DADD, IMAD.WIDE.
constexpr std::uint64_t narrow[] = {0x002, 0x007, 0x008, 0x009, 0x00b, 0x00c, 0x010,
                                    0x011, 0x012, 0x013, 0x016, 0x017, 0x019, 0x020,
                                    0x021, 0x023, 0x024, 0x027, 0x030, 0x031, 0x032};

std::uint32_t bytes_read(const SassWord& word, std::uint64_t opcode) {
  if (opcode == ldc || opcode == uldc || opcode == uldc_indexed || opcode == ldcu) {
    // .U8, .S8, .U16, .S16, 32 bits, .64, .128
    constexpr std::uint32_t by_type[] = {1, 1, 2, 2, 4, 8, 16, 16};
    return by_type[field(word.high, 9, 3)];
  }
  return std::ranges::find(narrow, field(opcode, 0, 9)) != std::end(narrow) ? 4 : 8;
}

}  // namespace

int constant_bank(std::string_view section) {
  constexpr std::string_view prefix = ".nv.constant";
  if (!section.starts_with(prefix)) return -1;
  section.remove_prefix(prefix.size());
  const std::size_t digits = std::min(section.find_first_not_of("0123456789"), section.size());
  if (digits == 0 || digits > 2 || (digits < section.size() && section[digits] != '.')) return -1;
  return std::stoi(std::string(section.substr(0, digits)));
}

std::optional<ConstantOperand> constant_operand(const SassWord& word) {
  const std::uint64_t opcode = field(word.low, 0, 12), form = opcode >> 9U;
  if ((form != 3 && form != 5) || opcode == bar) return std::nullopt;
  // From sm_100 on the uniform load has its offset one bit lower.
  const auto offset = static_cast<std::uint32_t>(field(word.low, opcode == ldcu ? 37 : 38, 16));
  const bool no_register = field(word.low, 24, 8) == 0xff;
  const bool indexed =
      opcode == uldc_indexed || ((opcode == ldc || opcode == ldcu) && !no_register);
  return ConstantOperand{static_cast<int>(field(word.low, 54, 5)), offset, indexed,
                         bytes_read(word, opcode)};
}

}  // namespace phasebit::cubin
