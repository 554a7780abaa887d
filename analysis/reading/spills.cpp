#include "analysis/reading/spills.h"

#include "analysis/cubin/elf_file.h"
#include "analysis/flow/flow.h"
#include "core/isa/opcodes.h"

#include <cstring>

namespace phasebit::reading {

using cubin::Instruction;
using flow::SpillBytes;
using isa::SassFact;

namespace {

constexpr std::string_view info_prefix = ".nv.info.";

template <typename T>
T number_at(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void add_bytes(SpillBytes& sum, const Instruction& one) {
  (flow::is(one, SassFact::store) ? sum.stores : sum.loads) += local_bytes(one);
}

}  // namespace

std::set<std::uint32_t> spill_marks(std::string_view nv_info_of_kernel) {
  constexpr std::uint8_t sized_value = 4, annotations = 0x55;
  constexpr std::uint32_t spill_refill = 1;
  std::set<std::uint32_t> marks;
  std::string_view rest = nv_info_of_kernel;
  while (rest.size() >= 4) {
    const bool sized = number_at<std::uint8_t>(rest, 0) == sized_value;
    const std::size_t size = sized ? number_at<std::uint16_t>(rest, 2) : 0;
    const bool wanted = sized && number_at<std::uint8_t>(rest, 1) == annotations;
    rest.remove_prefix(4);
    if (size > rest.size()) break;
    for (std::size_t at = 0; wanted && at + 8 <= size; at += 8)  // pairs {what, address}
      if (number_at<std::uint32_t>(rest, at) == spill_refill)
        marks.insert(number_at<std::uint32_t>(rest, at + 4));
    rest.remove_prefix(size);
  }
  return marks;
}

std::map<std::string, std::set<std::uint32_t>> read_spill_marks(std::string_view cubin) {
  std::map<std::string, std::set<std::uint32_t>> found;
  const auto file = cubin::ElfFile::open(cubin, "cubin");
  if (!file) return found;
  for (const cubin::ElfSection& section : file->sections()) {
    if (!section.name.starts_with(info_prefix)) continue;
    std::set<std::uint32_t> marks = spill_marks(section.data);
    if (!marks.empty()) found.emplace(section.name.substr(info_prefix.size()), std::move(marks));
  }
  return found;
}

int local_bytes(const Instruction& instruction) {
  if (!flow::is(instruction, SassFact::local)) return 0;
  const std::string modifiers = instruction.opcode + ".";
  const auto has = [&](const char* word) { return modifiers.find(word) != std::string::npos; };
  if (has(".128.")) return 16;
  if (has(".64.")) return 8;
  if (has(".U16.") || has(".S16.")) return 2;
  return has(".U8.") || has(".S8.") ? 1 : 4;
}

SpillBytes spilled_bytes(const cubin::SassKernel& kernel, const std::set<std::uint32_t>& marks) {
  SpillBytes sum;
  for (const std::uint32_t address : marks)
    if (address / cubin::instruction_bytes < kernel.instructions.size())
      add_bytes(sum, kernel.instructions[address / cubin::instruction_bytes]);
  return sum;
}

SpillBytes local_bytes(const cubin::SassKernel& kernel) {
  SpillBytes sum;
  for (const Instruction& one : kernel.instructions) add_bytes(sum, one);
  return sum;
}

}  // namespace phasebit::reading
