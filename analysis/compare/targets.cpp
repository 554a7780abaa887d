#include "analysis/compare/targets.h"

#include "analysis/flow/flow.h"

#include <charconv>

namespace phasebit::compare {

using cubin::Instruction;

namespace {

constexpr std::string_view reuse = ".reuse";

bool has_target(std::string_view stem) {
  return stem == "BRA" || stem == "BSSY" || stem == "WARPSYNC" || stem == "CALL" || stem == "JMP";
}

}  // namespace

CodeTarget target_of(const cubin::SassKernel& kernel, const Instruction& instruction) {
  if (!has_target(flow::opcode_stem(instruction))) return {};
  const std::string_view operands = instruction.code_operands();
  const std::size_t comma = operands.rfind(',');
  const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
  const std::string_view last = operands.substr(begin);
  std::uint32_t address = 0;
  if (!last.starts_with("0x") || last.size() > 10) return {};
  const auto parsed = std::from_chars(last.data() + 2, last.data() + last.size(), address, 16);
  if (parsed.ec != std::errc() || parsed.ptr != last.data() + last.size()) return {};
  const std::size_t index = address / cubin::instruction_bytes;
  if (index >= kernel.instructions.size()) return {};
  return {static_cast<int>(index), operands.substr(0, begin)};
}

int target_index(const cubin::SassKernel& kernel, const Instruction& instruction) {
  return target_of(kernel, instruction).index;
}

std::optional<cubin::SassWord> without_distance(cubin::SassWord word, std::int64_t bytes) {
  constexpr std::uint64_t low_part = 0xff0000, middle = ~std::uint64_t{0} << 34, top = 0x3ffff;
  const std::uint64_t units = static_cast<std::uint64_t>(bytes >> 2);
  const std::uint64_t field = word.low >> 34 | (word.high & top) << 30;  // 48 bits
  const std::uint64_t low_units = (word.low & low_part) >> 16;
  constexpr std::uint64_t all = (std::uint64_t{1} << 48) - 1;
  const bool split = field == (units >> 8 & all) && low_units == (units & 0xff);
  if (!split && field != (units & all)) return std::nullopt;
  word.low &= split ? ~(middle | low_part) : ~middle;
  word.high &= ~top;
  return word;
}

std::string without_reuse(std::string operands) {
  for (std::size_t found = operands.find(reuse); found != std::string::npos;
       found = operands.find(reuse, found))
    operands.erase(found, reuse.size());
  return operands;
}

bool same_without_reuse(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.find(reuse) == std::string::npos && b.find(reuse) == std::string::npos) return false;
  return without_reuse(a) == without_reuse(b);
}

const std::string& compared_operands(const Instruction& instruction, bool one_sm) {
  return one_sm ? instruction.code_operands() : instruction.operands;
}

}  // namespace phasebit::compare
