#include "analysis/cubin/change/padding.h"

#include "analysis/cubin/elf_file.h"
#include "analysis/cubin/instruction.h"
#include "analysis/cubin/kernel_info.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <elf.h>

namespace phasebit::cubin::change {

using launch::placement::CodeMoves;

Result<launch::placement::CodeMoves> find_code_moves(std::string_view cubin,
                                                     const std::string& entry) {
  PHASEBIT_TRY_ASSIGN(file, ElfFile::open(cubin, "cubin"));
  return MoveFinder(file, cubin).find(entry);
}

Result<std::string> pad_cubin(std::string_view cubin, int padding_bytes, const std::string& entry) {
  PHASEBIT_TRY(launch::placement::check_padding(padding_bytes));
  PHASEBIT_TRY_ASSIGN(moves, find_code_moves(cubin, entry));
  return launch::placement::move_code(cubin, moves, padding_bytes);
}

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

// The kernels: functions that may be launched and are at the start of their section.
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

// The kernel begins with its padding and grows; functions after it move.
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

// The parts of MoveFinder that follow what leads into the code.

namespace {

constexpr std::string_view info_prefix = ".nv.info.";

// R_CUDA_64, and R_CUDA_ABS32_LO_32 and _HI_32 of an instruction: symbol and addend make an
// address.
constexpr std::uint32_t absolute_64 = 2, absolute_lo = 56, absolute_hi = 57;

bool has_frames(std::string_view section) {
  return section == ".debug_frame";
}

template <typename Number>
Number number_at(std::string_view bytes, std::uint64_t at) {
  Number value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

Status MoveFinder::move_relocations(const ElfSection& table) {
  const bool rela = table.header.sh_type == SHT_RELA;
  const std::size_t index = table.header.sh_info;
  if (table.data.empty()) return {};
  if (index >= file_.sections().size() || table.translated == nullptr)
    return fail(Step::disassemble, "{} is of no section", table.name);
  const std::size_t size = rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  for (std::size_t i = 0; i < table.entries(); ++i) {
    const std::uint64_t at = table.header.sh_offset + i * size;
    GElf_Rela one{};
    std::memcpy(&one, bytes_.data() + at, size);
    add(at + offsetof(Elf64_Rela, r_offset), 8, is_padded(index) ? 1 : 0,
        {0, advanced(index, one.r_offset)});
    // Of a symbol after the start the value moves, and what is relative to it stays.
    if (!begins_code(GELF_R_SYM(one.r_info))) continue;
    PHASEBIT_TRY(move_relocation(file_.sections()[index], one, at, rela));
  }
  return {};
}

// Bytes put into a table of lines before a place.
std::uint64_t MoveFinder::advanced(std::size_t section, std::uint64_t place) const {
  const auto lines = advances_.find(section);
  if (lines == advances_.end()) return 0;
  const auto& places = lines->second.places;
  const auto behind = std::upper_bound(places.begin(), places.end(), place);
  return launch::placement::CodeMoves::advance_bytes *
         static_cast<std::uint64_t>(behind - places.begin());
}

// One that leads into padded code from its start. In a table of frames the start is that of the
// first instruction, which moves; in one of lines it is advanced from; elsewhere it is the kernel,
// padding and all.
Status MoveFinder::move_relocation(const ElfSection& target, const GElf_Rela& one, std::uint64_t at,
                                   bool has_addend) {
  const bool of_frames = has_frames(target.name);
  const std::uint64_t type = GELF_R_TYPE(one.r_info);
  const auto refuse = [&] {
    return fail(Step::disassemble,
                "relocation of type {} at {:#x} of {}: how it moves is not known", type,
                one.r_offset, target.name);
  };
  if (has_lines(target.name)) {
    if (type != absolute_64) return refuse();
    return {};
  }
  if (has_addend && one.r_addend == 0 && !of_frames) return {};
  const bool in_code = target.name.starts_with(text_prefix);
  if (type != absolute_64 && (of_frames || (type != absolute_lo && type != absolute_hi)))
    return refuse();
  if (has_addend) {
    if (one.r_addend < 0) return refuse();
    add_place(at + offsetof(Elf64_Rela, r_addend));
    return {};
  }
  if (in_code || type != absolute_64) return refuse();
  return move_stored(target, one);
}

// REL: what is added to the symbol is at the place.
Status MoveFinder::move_stored(const ElfSection& target, const GElf_Rela& one) {
  if (target.data.size() < 8 || one.r_offset > target.data.size() - 8)
    return fail(Step::disassemble, "a relocation at {:#x} lies after {}", one.r_offset,
                target.name);
  const std::uint64_t at = target.header.sh_offset + one.r_offset;
  if (number_at<std::uint64_t>(bytes_, at) != 0 || has_frames(target.name)) add_place(at);
  return {};
}

Status MoveFinder::move_attributes() {
  if (const ElfSection* info = file_.find(".nv.info"))
    PHASEBIT_TRY(check_function_attributes(info->data));
  for (const auto& [index, entry] : entries_) {
    const ElfSection* info = file_.find(fmt::format("{}{}", info_prefix, entry));
    if (info == nullptr) continue;
    PHASEBIT_TRY_ASSIGN(places,
                        code_places(info->data, file_.sections()[index].header.sh_size, entry));
    for (const std::size_t at : places) add_place(info->header.sh_offset + at, 4);
  }
  return {};
}

namespace {

constexpr std::size_t address_bytes = 8;

// DW_LNE_set_address: extended, of 9 bytes.
constexpr std::string_view set_address("\0\x09\x02", 3);

// Addresses of a unit count bytes only where instructions have a smallest length of 1.
bool counts_bytes(std::string_view unit) {
  constexpr std::size_t version_at = 4, length_of_older = 10, length_of_5 = 12;
  if (unit.size() <= length_of_5) return false;
  const auto version = number_at<std::uint16_t>(unit, version_at);
  return version >= 2 && version <= 5 && unit[version < 5 ? length_of_older : length_of_5] == 1;
}

}  // namespace

bool has_lines(std::string_view section) {
  return section == ".debug_line" || section == ".nv_debug_line_sass";
}

Result<LineAdvances> line_advances(std::string_view section,
                                   const std::vector<std::uint64_t>& addresses) {
  LineAdvances found;
  for (const std::uint64_t at : addresses) {
    if (at < set_address.size() || section.size() < address_bytes ||
        at > section.size() - address_bytes ||
        section.substr(at - set_address.size(), set_address.size()) != set_address)
      return fail(Step::disassemble, "the address at {:#x} begins no sequence of lines", at);
    found.places.push_back(at + address_bytes);
  }
  for (std::uint64_t at = 0; at < section.size();) {
    constexpr std::size_t length_bytes = 4;
    constexpr std::uint32_t longest = 0xfffffff0;
    if (section.size() - at < length_bytes)
      return fail(Step::disassemble, "the unit of lines at {:#x} is cut short", at);
    const auto length = number_at<std::uint32_t>(section, at);
    if (length >= longest || length > section.size() - at - length_bytes)
      return fail(Step::disassemble, "the unit of lines at {:#x} cannot be read", at);
    const std::uint64_t end = at + length_bytes + length;
    const auto count = static_cast<std::uint64_t>(
        std::count_if(found.places.begin(), found.places.end(),
                      [&](std::uint64_t place) { return at < place && place <= end; }));
    if (count != 0 && !counts_bytes(section.substr(at, end - at)))
      return fail(Step::disassemble, "the unit of lines at {:#x} is of an unknown version", at);
    if (count != 0) found.units.push_back({at, count});
    at = end;
  }
  return found;
}

namespace {

// Sections without a place in the code of `.text.*`, or with none but those that relocations,
// symbols and attributes name. `.nv.merc*` and `.nv.capmerc*` speak of a copy of the code of their
// own.
constexpr std::string_view known_sections[] = {
    ".shstrtab",         ".strtab",       ".symtab",         ".debug_frame",
    ".debug_line",       ".debug_str",    ".debug_line_str", ".nv_debug_line_sass",
    ".nv_debug_ptx_txt", ".nv.callgraph", ".nv.prototype",   ".nv.rel.action",
    ".nv.compat",        ".nv.global",    ".nv.global.init", ".nv.info"};
constexpr std::string_view known_prefixes[] = {
    ".text.",     ".nv.info.", ".note.nv.", ".nv.constant", ".nv.shared.",
    ".nv.local.", ".rel.",     ".rela.",    ".nv.merc.",    ".nv.capmerc."};

bool is_known(std::string_view section) {
  return std::find(std::begin(known_sections), std::end(known_sections), section) !=
             std::end(known_sections) ||
         std::any_of(std::begin(known_prefixes), std::end(known_prefixes),
                     [&](std::string_view prefix) { return section.starts_with(prefix); });
}

}  // namespace

Status check_movable(const ElfFile& file, std::string_view bytes) {
  const GElf_Ehdr& header = file.header();
  if (header.e_type != ET_EXEC)
    return with_hint(fail(Step::disassemble, "a relocatable module cannot be padded"),
                     "link it first");
  const std::uint64_t segments = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (header.e_shentsize != sizeof(Elf64_Shdr) ||
      (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr)) ||
      header.e_phoff > bytes.size() || segments > bytes.size() - header.e_phoff)
    return fail(Step::disassemble, "its program headers cannot be read");
  for (std::size_t i = 1; i < file.sections().size(); ++i) {
    const ElfSection& section = file.sections()[i];
    if (!is_known(section.name))
      return fail(Step::disassemble, "section {}: whether its places move is not known",
                  section.name);
    if (section.header.sh_addr != 0)
      return fail(Step::disassemble, "section {} has an address", section.name);
    const GElf_Word type = section.header.sh_type;
    const std::size_t entry = type == SHT_SYMTAB ? sizeof(Elf64_Sym)
                              : type == SHT_RELA ? sizeof(Elf64_Rela)
                              : type == SHT_REL  ? sizeof(Elf64_Rel)
                                                 : section.header.sh_entsize;
    if (section.header.sh_entsize != entry)
      return fail(Step::disassemble, "section {} has entries of {} bytes", section.name,
                  section.header.sh_entsize);
  }
  return {};
}

}  // namespace phasebit::cubin::change
