#include "analysis/cubin/change/move_finder.h"

#include "analysis/cubin/change/movable.h"
#include "analysis/cubin/instruction.h"
#include "analysis/cubin/relocations.h"
#include "analysis/cubin/sections.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <elf.h>

namespace phasebit::cubin::change {

using image::placement::CodeMoves;

namespace {

using Kind = CodeMoves::Insertion::Kind;

}  // namespace

Result<CodeMoves> MoveFinder::find(const std::string& entry) {
  PHASEBIT_TRY(check_movable(file_, bytes_));
  symbols_ = file_.read_symbols();
  PHASEBIT_TRY(choose(entry));
  PHASEBIT_TRY(move_lines());
  move_headers();
  PHASEBIT_TRY(move_segments());
  PHASEBIT_TRY(move_symbols());
  for (std::size_t i = 1; i < file_.sections().size(); ++i) {
    const ElfSection& section = file_.sections()[i];
    if (section.header.sh_type == SHT_REL || section.header.sh_type == SHT_RELA)
      PHASEBIT_TRY(move_relocations(section));
  }
  PHASEBIT_TRY(move_attributes());
  PHASEBIT_TRY(sort_all());
  return std::move(moves_);
}

// The kernels: functions that may be launched and stand at the start of their section.
Status MoveFinder::choose(const std::string& entry) {
  constexpr unsigned char entry_bit = 0x10;  // of st_other
  for (const auto& [name, symbol] : symbols_) {
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || (symbol.st_other & entry_bit) == 0 ||
        symbol.st_shndx >= file_.sections().size() || (!entry.empty() && name != entry))
      continue;
    const ElfSection& code = file_.sections()[symbol.st_shndx];
    if (code.name != fmt::format("{}{}", text_prefix, name)) continue;
    if (symbol.st_value != 0 || code.data.empty() || code.data.size() % instruction_bytes != 0)
      return fail(Step::disassemble, "kernel {} is not the start of {}", name, code.name);
    entries_.emplace(symbol.st_shndx, name);
  }
  if (entries_.empty())
    return fail(Step::disassemble, "the module has no kernel{}{}", entry.empty() ? "" : " ", entry);
  for (const auto& [section, name] : entries_) {
    const GElf_Shdr& header = file_.sections()[section].header;
    PHASEBIT_TRY(check_alone(section));
    grown_.push_back({header.sh_offset, 0});
    moves_.insertions.push_back({header.sh_offset, Kind::padding});
    moves_.insertions.push_back({header.sh_offset + header.sh_size, Kind::tail});
  }
  for (const ElfSection& section : file_.sections())
    if (!section.data.empty() && section.header.sh_addralign > CodeMoves::alignment_bytes)
      return fail(Step::disassemble, "section {} is aligned to {} bytes, more than code is",
                  section.name, section.header.sh_addralign);
  return {};
}

// Nothing else may begin inside the section or share its bytes.
Status MoveFinder::check_alone(std::size_t section) const {
  const ElfSection& code = file_.sections()[section];
  const std::uint64_t begin = code.header.sh_offset, end = begin + code.header.sh_size;
  for (std::size_t i = 1; i < file_.sections().size(); ++i) {
    const ElfSection& other = file_.sections()[i];
    const std::uint64_t from = other.header.sh_offset, to = from + other.data.size();
    if (i != section && from < end && (from > begin || to > begin))
      return fail(Step::disassemble, "sections {} and {} share bytes", code.name, other.name);
  }
  const GElf_Ehdr& header = file_.header();
  const std::pair<std::uint64_t, std::uint64_t> tables[] = {
      {header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize},
      {header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize}};
  for (const auto& [from, size] : tables)
    if (from < end && from + size > begin)
      return fail(Step::disassemble, "section {} and a table of headers share bytes", code.name);
  return {};
}

Status MoveFinder::move_lines() {
  std::map<std::size_t, std::vector<std::uint64_t>> addresses;
  const auto relocations = read_relocations(file_);
  for (const auto& [section, list] : relocations) {
    if (section >= file_.sections().size() || !has_lines(file_.sections()[section].name)) continue;
    for (const Relocation& one : list)
      if (begins_code(one.symbol)) addresses[section].push_back(one.offset);
  }
  for (const auto& [section, list] : addresses) PHASEBIT_TRY(move_lines(section, list));
  return {};
}

Status MoveFinder::move_lines(std::size_t section, const std::vector<std::uint64_t>& addresses) {
  const ElfSection& table = file_.sections()[section];
  const auto advances = line_advances(table.data, addresses);
  if (!advances) return fail(Step::disassemble, "{}: {}", table.name, advances.error().message);
  PHASEBIT_TRY(check_alone(section));
  const std::uint64_t begin = table.header.sh_offset;
  for (const std::uint64_t place : advances->places)
    moves_.insertions.push_back({begin + place, Kind::advance});
  for (const LineAdvances::Unit& unit : advances->units)
    add(begin + unit.at, 4, 0, {0, CodeMoves::advance_bytes * unit.advances});
  constexpr std::uint64_t mask = CodeMoves::alignment_bytes - 1;
  const std::uint64_t bytes = CodeMoves::advance_bytes * advances->places.size();
  grown_.push_back({begin, (bytes + mask) & ~mask});
  moves_.insertions.push_back({begin + table.data.size(), Kind::filler, -bytes & mask});
  advances_.emplace(section, *advances);
  return {};
}

// Offsets in the file and the sizes of the sections.
void MoveFinder::move_headers() {
  const GElf_Ehdr& header = file_.header();
  add(offsetof(Elf64_Ehdr, e_phoff), 8, 0, shift_at(header.e_phoff));
  add(offsetof(Elf64_Ehdr, e_shoff), 8, 0, shift_at(header.e_shoff));
  for (std::size_t i = 1; i < file_.sections().size(); ++i) {
    const std::uint64_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
    add(at + offsetof(Elf64_Shdr, sh_offset), 8, 0, shift_at(file_.sections()[i].header.sh_offset));
    Shift growth{is_padded(i) ? 1U : 0U, 0};
    if (const auto lines = advances_.find(i); lines != advances_.end())
      growth.bytes = CodeMoves::advance_bytes * lines->second.places.size();
    add(at + offsetof(Elf64_Shdr, sh_size), 8, 0, growth);
  }
}

Status MoveFinder::move_segments() {
  const GElf_Ehdr& header = file_.header();
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes_.data() + at, sizeof segment);
    if (segment.p_vaddr != 0 || segment.p_paddr != 0)
      return fail(Step::disassemble, "segment {} has an address", i);
    const Shift before = shift_at(segment.p_offset);
    add(at + offsetof(Elf64_Phdr, p_offset), 8, 0, before);
    if (segment.p_filesz == 0) continue;
    const Shift end = shift_at(segment.p_offset + segment.p_filesz);
    for (const std::size_t size : {offsetof(Elf64_Phdr, p_filesz), offsetof(Elf64_Phdr, p_memsz)})
      add(at + size, 8, 0, {end.growths - before.growths, end.bytes - before.bytes});
  }
  return {};
}

// The kernel begins with its padding and grows; functions behind it move.
Status MoveFinder::move_symbols() {
  const ElfSection* table = file_.find(".symtab");
  if (table == nullptr) return {};
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const auto& [name, symbol] = symbols_[i];
    const auto padded = entries_.find(symbol.st_shndx);
    if (padded == entries_.end() || GELF_ST_TYPE(symbol.st_info) == STT_SECTION) continue;
    const std::uint64_t at = table->header.sh_offset + i * sizeof(Elf64_Sym);
    if (symbol.st_value == 0 && name != padded->second)
      return fail(Step::disassemble, "symbol {} is the start of kernel {} too", name,
                  padded->second);
    if (symbol.st_value == 0)
      add(at + offsetof(Elf64_Sym, st_size), 8, 0, {1, 0});
    else
      add_place(at + offsetof(Elf64_Sym, st_value));
  }
  return {};
}

Status MoveFinder::sort_all() {
  std::vector<CodeMoves::Field>& fields = moves_.fields;
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  for (std::size_t i = 1; i < fields.size(); ++i)
    if (fields[i].at < fields[i - 1].at + fields[i - 1].bytes)
      return fail(Step::disassemble, "two numbers share byte {}", fields[i].at);
  // Where one section ends and the next begins, the first is filled up before.
  const auto order = [](const CodeMoves::Insertion& one) {
    return std::pair(one.at, one.kind == Kind::padding);
  };
  std::sort(moves_.insertions.begin(), moves_.insertions.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return {};
}

}  // namespace phasebit::cubin::change
