#include "analysis/disassembly/raw_listing.h"

#include "analysis/cubin/constant_operand.h"
#include "analysis/cubin/instruction.h"

#include <algorithm>
#include <charconv>

namespace phasebit::disassembly {

using cubin::CubinKernel;
using cubin::RelocatedOperand;

namespace {

// The address that the operands end with, and where it begins.
struct Address {
  std::size_t begin = std::string::npos;
  std::uint64_t value = 0;
};

Address last_address(const std::string& operands) {
  const std::size_t comma = operands.find_last_of(", ");
  const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
  if (operands.compare(begin, 2, "0x") != 0) return {};
  Address found{begin, 0};
  const char* end = operands.data() + operands.size();
  const auto read = std::from_chars(operands.data() + begin + 2, end, found.value, 16);
  return read.ec == std::errc() && read.ptr == end ? found : Address{};
}

// Branches name the place in all of the raw code; what goes by a register is relative and stays.
void rebase(DisassembledInstruction& one, std::uint64_t base, std::size_t size) {
  if (!one.control_flow || base == 0) return;
  const Address target = last_address(one.operands);
  if (target.begin == std::string::npos || target.value < base || target.value - base > size)
    return;
  one.operands.replace(target.begin, std::string::npos, fmt::format("{:#x}", target.value - base));
}

const std::string* name_at(const CubinKernel& kernel, std::uint64_t address) {
  for (const cubin::CubinFunction& function : kernel.functions)
    if (function.offset == address) return &function.name;
  return address == 0 ? &kernel.entry : nullptr;
}

// Of calls and returns that go by a distance; an address would be a relocation's.
void name_function(DisassembledInstruction& one, const CubinKernel& kernel) {
  if (!one.opcode.starts_with("CALL.REL") && !one.opcode.starts_with("RET.REL")) return;
  const Address target = last_address(one.operands);
  if (target.begin == std::string::npos) return;
  if (const std::string* name = name_at(kernel, target.value))
    one.operands.replace(target.begin, std::string::npos, *name);
}

// "name", "name+0x4", "name-0x8".
std::string place_of(const RelocatedOperand& operand) {
  if (operand.addend == 0) return operand.name;
  const bool back = operand.addend < 0;
  const auto size = static_cast<std::uint64_t>(operand.addend);
  return fmt::format("{}{}{:#x}", operand.name, back ? '-' : '+', back ? 0 - size : size);
}

// "[RZ]" -> "[name]", "[R4]" -> "[R4+name]". An address that a relocation fills in is one of shared
// memory; of LDGSTS that is the first one.
void name_address(DisassembledInstruction& one, const std::string& place) {
  std::string& operands = one.operands;
  const std::size_t close =
      one.opcode.starts_with("LDGSTS") ? operands.find(']') : operands.rfind(']');
  const std::size_t open = operands.rfind('[', close);
  if (close == std::string::npos || open == std::string::npos) return;
  const std::string_view inside = std::string_view(operands).substr(open + 1, close - open - 1);
  if (inside == "RZ" || inside == "URZ")
    operands.replace(open + 1, inside.size(), place);
  else
    operands.insert(close, "+" + place);
}

// "c[0x0][R0]" -> "c[0x2][R0+name]". Up to sm_89 the relocation fills in the bank as well, which is
// 0 until then; a constant of another file is a variable.
void name_constant(std::string& operands, std::size_t constant, const RelocatedOperand& operand) {
  const std::size_t open = operands.find("][", constant);
  const std::size_t close = open == std::string::npos ? open : operands.find(']', open + 2);
  if (close == std::string::npos) return;
  std::string place = operands.substr(open + 2, close - open - 2);
  if (place == "0x0" || place == "RZ" || place == "URZ") place.clear();
  place += (place.empty() ? "" : "+") + place_of(operand);
  std::string bank = operands.substr(constant + 2, open - constant - 2);
  if (operand.bank >= 0 || bank == "0x0")
    bank = fmt::format("{:#x}", operand.bank >= 0 ? operand.bank : cubin::variables_bank);
  operands.replace(constant, close - constant, fmt::format("c[{}][{}", bank, place));
}

void name_relocated(DisassembledInstruction& one, const RelocatedOperand& operand) {
  constexpr std::uint64_t low = 56, high = 57;  // R_CUDA_ABS32_LO_32, _HI_32
  const std::string place = place_of(operand);
  const std::size_t constant = one.operands.rfind("c[");
  if (constant != std::string::npos) return name_constant(one.operands, constant, operand);
  const Address zero = last_address(one.operands);
  if (zero.begin == std::string::npos) return name_address(one, place);
  const std::string text = operand.type == low    ? "32@lo(" + place + ")"
                           : operand.type == high ? "32@hi(" + place + ")"
                                                  : place;
  one.operands.replace(zero.begin, std::string::npos, text);
}

// Keeps what stood there before names.
template <typename Name>
void keep_and_name(DisassembledInstruction& one, const Name& name) {
  std::string before = one.operands;
  name(one);
  if (one.operands != before && one.unnamed.empty()) one.unnamed = std::move(before);
}

}  // namespace

Result<std::vector<DisassembledFunction>> split_raw(Disassembly raw,
                                                    const std::vector<std::size_t>& sizes) {
  std::size_t total = 0;
  for (const std::size_t size : sizes) total += size;
  if (raw.functions.size() != 1 ||
      raw.functions.front().instructions.size() * cubin::instruction_bytes != total)
    return fail(Step::disassemble,
                "nvdisasm printed {} functions, the first of {} instructions, of {} bytes of code",
                raw.functions.size(), raw.functions.front().instructions.size(), total);
  auto next = raw.functions.front().instructions.begin();
  std::uint64_t base = 0;
  std::vector<DisassembledFunction> listings;
  for (const std::size_t size : sizes) {
    const auto end = next + static_cast<std::ptrdiff_t>(size / cubin::instruction_bytes);
    DisassembledFunction one{
        {}, 0, size, {std::make_move_iterator(next), std::make_move_iterator(end)}};
    for (DisassembledInstruction& instruction : one.instructions) rebase(instruction, base, size);
    listings.push_back(std::move(one));
    next = end;
    base += size;
  }
  return listings;
}

void name_operands(DisassembledFunction& function, const CubinKernel& kernel) {
  function.name = kernel.entry;
  for (DisassembledInstruction& one : function.instructions)
    keep_and_name(one, [&](DisassembledInstruction& it) { name_function(it, kernel); });
  for (const RelocatedOperand& operand : kernel.relocated)
    if (operand.instruction < function.instructions.size())
      keep_and_name(function.instructions[operand.instruction],
                    [&](DisassembledInstruction& it) { name_relocated(it, operand); });
}

}  // namespace phasebit::disassembly
