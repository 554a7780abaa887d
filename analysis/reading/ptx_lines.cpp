#include "analysis/reading/ptx_lines.h"

#include "analysis/cubin/debug_line.h"
#include "analysis/cubin/elf_file.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>

namespace phasebit::reading {

using cubin::ElfFile;

namespace {

constexpr std::uint32_t instruction_bytes = 16;

// The place of an address in the table, and the symbol that it counts from.
struct Relocation {
  std::uint64_t offset = 0, symbol = 0, addend = 0;
};

// What is at the place of a relocation without an addend of its own.
std::uint64_t stored_at(std::string_view table, std::uint64_t offset) {
  std::uint64_t value = 0;
  if (offset <= table.size() && table.size() - offset >= sizeof value)
    std::memcpy(&value, table.data() + offset, sizeof value);
  return value;
}

std::vector<Relocation> relocations_of(const ElfFile& file, std::string_view table) {
  std::vector<Relocation> all;
  const auto visit = [&](const char* name, const auto& read) {
    const cubin::ElfSection* section = file.find(name);
    if (section == nullptr || section->translated == nullptr) return;
    for (int i = 0; i < static_cast<int>(section->entries()); ++i)
      if (!read(section->translated, i)) return;
  };
  visit(".rela.nv_debug_line_sass", [&](Elf_Data* data, int i) {
    GElf_Rela one{};
    if (gelf_getrela(data, i, &one) == nullptr) return false;
    all.push_back({one.r_offset, GELF_R_SYM(one.r_info), static_cast<std::uint64_t>(one.r_addend)});
    return true;
  });
  visit(".rel.nv_debug_line_sass", [&](Elf_Data* data, int i) {
    GElf_Rel one{};
    if (gelf_getrel(data, i, &one) == nullptr) return false;
    all.push_back({one.r_offset, GELF_R_SYM(one.r_info), stored_at(table, one.r_offset)});
    return true;
  });
  return all;
}

// What the linker would write into the table.
cubin::AddressFixups read_fixups(const ElfFile& file, std::string_view table) {
  cubin::AddressFixups fixups;
  const auto symbols = file.read_symbols();
  for (const Relocation& one : relocations_of(file, table)) {
    if (one.symbol >= symbols.size()) continue;
    const GElf_Sym& entry = symbols[one.symbol].entry;
    fixups[one.offset] = {entry.st_shndx, entry.st_value + one.addend};
  }
  return fixups;
}

tl::unexpected<Error> no_ptx(const std::string& entry) {
  return with_hint(fail(Step::disassemble, "{}: the cubin has no PTX next to its code", entry),
                   "nvcc -lineinfo, or ptxas -lineinfo of a text with .loc, leaves it there");
}

}  // namespace

std::vector<std::string> split_ptx_text(std::string_view section) {
  std::vector<std::string> lines;
  while (!section.empty()) {
    const std::size_t end = std::min(section.find('\0'), section.size());
    lines.emplace_back(base::trimmed(section.substr(0, end)));
    section.remove_prefix(std::min(end + 1, section.size()));
  }
  return lines;
}

Result<std::vector<PtxLine>> read_ptx_lines(std::string_view cubin, const std::string& entry) {
  PHASEBIT_TRY_ASSIGN(file, ElfFile::open(cubin, "cubin"));
  const std::string_view table = data_of(file, ".nv_debug_line_sass");
  const std::vector<std::string> text = split_ptx_text(data_of(file, ".nv_debug_ptx_txt"));
  if (table.empty() || text.empty()) return no_ptx(entry);
  PHASEBIT_TRY_ASSIGN(lines, cubin::read_debug_line(table, read_fixups(file, table)));
  std::size_t section = 0;
  while (section < file.sections().size() && file.sections()[section].name != ".text." + entry)
    ++section;
  const auto rows = lines.sections.find(section);
  if (rows == lines.sections.end()) return no_ptx(entry);
  std::vector<PtxLine> found(file.sections()[section].data.size() / instruction_bytes);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const int line = cubin::row_at(rows->second, i * instruction_bytes).line;
    if (line > 0 && static_cast<std::size_t>(line) <= text.size())
      found[i] = {line, text[static_cast<std::size_t>(line) - 1]};
  }
  return found;
}

}  // namespace phasebit::reading
