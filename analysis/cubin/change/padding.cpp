#include "analysis/cubin/change/padding.h"

#include "analysis/cubin/code_places.h"
#include "analysis/cubin/change/movable.h"
#include "analysis/cubin/elf_file.h"
#include "analysis/cubin/instruction.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>

#include <elf.h>

namespace phasebit {
namespace {

constexpr std::string_view text_prefix = ".text.", info_prefix = ".nv.info.";

// R_CUDA_64, and R_CUDA_ABS32_LO_32 and _HI_32 of an instruction: symbol and addend make an
// address.
constexpr std::uint32_t absolute_64 = 2, absolute_lo = 56, absolute_hi = 57;

bool has_line_addresses(std::string_view section) {
  return section.starts_with(".debug_") || section == ".nv_debug_line_sass";
}

std::uint64_t number_at(std::string_view bytes, std::uint64_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class Finder {
 public:
  Finder(const ElfFile& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  Result<CodeMoves> find(const std::string& entry) {
    PHASEBIT_TRY(check_movable(file_, bytes_));
    symbols_ = file_.read_symbols();
    PHASEBIT_TRY(choose(entry));
    move_headers();
    PHASEBIT_TRY(move_segments());
    PHASEBIT_TRY(move_symbols());
    for (std::size_t i = 1; i < file_.sections().size(); ++i) {
      const ElfSection& section = file_.sections()[i];
      if (section.header.sh_type == SHT_REL || section.header.sh_type == SHT_RELA)
        PHASEBIT_TRY(move_relocations(section));
    }
    PHASEBIT_TRY(move_attributes());
    PHASEBIT_TRY(sort_fields());
    return std::move(moves_);
  }

 private:
  Status choose(const std::string& entry);
  Status check_alone(std::size_t section) const;
  void move_headers();
  Status move_segments();
  Status move_symbols();
  Status move_relocations(const ElfSection& table);
  Status move_relocation(const ElfSection& target, const GElf_Rela& one, std::uint64_t at,
                         bool has_addend);
  Status move_stored(const ElfSection& target, const GElf_Rela& one);
  Status move_attributes();
  Status sort_fields();

  void add(std::uint64_t at, std::uint32_t bytes, std::uint32_t paddings, std::uint32_t shifts) {
    if (paddings != 0 || shifts != 0) moves_.fields.push_back({at, bytes, paddings, shifts});
  }
  bool is_padded(std::size_t section) const { return entries_.contains(section); }
  // By how many shifts what begins there moves: code at its own begin stays for the padding.
  std::uint32_t shifts_at(std::uint64_t offset) const {
    return static_cast<std::uint32_t>(
        std::count_if(moves_.code.begin(), moves_.code.end(),
                      [&](const CodeMoves::Code& code) { return code.begin < offset; }));
  }

  const ElfFile& file_;
  std::string_view bytes_;
  std::vector<ElfFile::Symbol> symbols_;
  std::map<std::size_t, std::string> entries_;  // of the padded sections
  CodeMoves moves_;
};

// The kernels: functions that may be launched and stand at the start of their section.
Status Finder::choose(const std::string& entry) {
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
    moves_.code.push_back({header.sh_offset, header.sh_offset + header.sh_size});
    PHASEBIT_TRY(check_alone(section));
  }
  std::sort(moves_.code.begin(), moves_.code.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (const ElfSection& section : file_.sections())
    if (!section.data.empty() && section.header.sh_addralign > CodeMoves::alignment_bytes)
      return fail(Step::disassemble, "section {} is aligned to {} bytes, more than code is",
                  section.name, section.header.sh_addralign);
  return {};
}

// Nothing else may begin inside the code or share its bytes.
Status Finder::check_alone(std::size_t section) const {
  const ElfSection& code = file_.sections()[section];
  const std::uint64_t begin = code.header.sh_offset, end = begin + code.header.sh_size;
  for (std::size_t i = 1; i < file_.sections().size(); ++i) {
    const ElfSection& other = file_.sections()[i];
    const std::uint64_t from = other.header.sh_offset, to = from + other.data.size();
    if (i != section && from < end && (from > begin || to > begin))
      return fail(Step::disassemble, "sections {} and {} share bytes", code.name, other.name);
  }
  return {};
}

// Offsets in the file and the sizes of the sections.
void Finder::move_headers() {
  const GElf_Ehdr& header = file_.header();
  add(offsetof(Elf64_Ehdr, e_phoff), 8, 0, shifts_at(header.e_phoff));
  add(offsetof(Elf64_Ehdr, e_shoff), 8, 0, shifts_at(header.e_shoff));
  for (std::size_t i = 1; i < file_.sections().size(); ++i) {
    const std::uint64_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
    add(at + offsetof(Elf64_Shdr, sh_offset), 8, 0,
        shifts_at(file_.sections()[i].header.sh_offset));
    add(at + offsetof(Elf64_Shdr, sh_size), 8, 0, is_padded(i) ? 1 : 0);
  }
}

Status Finder::move_segments() {
  const GElf_Ehdr& header = file_.header();
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes_.data() + at, sizeof segment);
    if (segment.p_vaddr != 0 || segment.p_paddr != 0)
      return fail(Step::disassemble, "segment {} has an address", i);
    const std::uint32_t before = shifts_at(segment.p_offset);
    add(at + offsetof(Elf64_Phdr, p_offset), 8, 0, before);
    const std::uint32_t behind = shifts_at(segment.p_offset + segment.p_filesz) - before;
    for (const std::size_t size : {offsetof(Elf64_Phdr, p_filesz), offsetof(Elf64_Phdr, p_memsz)})
      add(at + size, 8, 0, behind);
  }
  return {};
}

// The kernel begins with its padding and grows; functions behind it move.
Status Finder::move_symbols() {
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
      add(at + offsetof(Elf64_Sym, st_size), 8, 0, 1);
    else
      add(at + offsetof(Elf64_Sym, st_value), 8, 1, 0);
  }
  return {};
}

Status Finder::move_relocations(const ElfSection& table) {
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
    if (is_padded(index)) add(at + offsetof(Elf64_Rela, r_offset), 8, 1, 0);
    const std::size_t symbol = GELF_R_SYM(one.r_info);
    // Of a symbol behind the start the value moves, and what is relative to it stays.
    if (symbol >= symbols_.size() || !is_padded(symbols_[symbol].entry.st_shndx) ||
        symbols_[symbol].entry.st_value != 0)
      continue;
    PHASEBIT_TRY(move_relocation(file_.sections()[index], one, at, rela));
  }
  return {};
}

// One that leads into padded code from its start. In a table of lines or frames the start is that
// of the first instruction, which moves; elsewhere it is the kernel, padding and all.
Status Finder::move_relocation(const ElfSection& target, const GElf_Rela& one, std::uint64_t at,
                               bool has_addend) {
  const bool of_lines = has_line_addresses(target.name);
  const std::uint64_t type = GELF_R_TYPE(one.r_info);
  const auto refuse = [&] {
    return fail(Step::disassemble,
                "relocation of type {} at {:#x} of {}: how it moves is not known", type,
                one.r_offset, target.name);
  };
  if (has_addend && one.r_addend == 0 && !of_lines) return {};
  const bool in_code = target.name.starts_with(text_prefix);
  if (type != absolute_64 && (of_lines || (type != absolute_lo && type != absolute_hi)))
    return refuse();
  if (has_addend) {
    if (one.r_addend < 0) return refuse();
    add(at + offsetof(Elf64_Rela, r_addend), 8, 1, 0);
    return {};
  }
  if (in_code || type != absolute_64) return refuse();
  return move_stored(target, one);
}

// REL: what is added to the symbol stands at the place.
Status Finder::move_stored(const ElfSection& target, const GElf_Rela& one) {
  if (target.data.size() < 8 || one.r_offset > target.data.size() - 8)
    return fail(Step::disassemble, "a relocation at {:#x} lies behind {}", one.r_offset,
                target.name);
  const std::uint64_t at = target.header.sh_offset + one.r_offset;
  if (number_at(bytes_, at) != 0 || has_line_addresses(target.name)) add(at, 8, 1, 0);
  return {};
}

Status Finder::move_attributes() {
  if (const ElfSection* info = file_.find(".nv.info"))
    PHASEBIT_TRY(check_function_attributes(info->data));
  for (const auto& [index, entry] : entries_) {
    const ElfSection* info = file_.find(fmt::format("{}{}", info_prefix, entry));
    if (info == nullptr) continue;
    PHASEBIT_TRY_ASSIGN(places,
                        code_places(info->data, file_.sections()[index].header.sh_size, entry));
    for (const std::size_t at : places) add(info->header.sh_offset + at, 4, 1, 0);
  }
  return {};
}

Status Finder::sort_fields() {
  std::vector<CodeMoves::Field>& fields = moves_.fields;
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  for (std::size_t i = 1; i < fields.size(); ++i)
    if (fields[i].at < fields[i - 1].at + fields[i - 1].bytes)
      return fail(Step::disassemble, "two numbers share byte {}", fields[i].at);
  return {};
}

}  // namespace

Result<CodeMoves> find_code_moves(std::string_view cubin, const std::string& entry) {
  PHASEBIT_TRY_ASSIGN(file, ElfFile::open(cubin, "cubin"));
  return Finder(file, cubin).find(entry);
}

Result<std::string> pad_cubin(std::string_view cubin, int padding_bytes, const std::string& entry) {
  PHASEBIT_TRY(check_padding(padding_bytes));
  PHASEBIT_TRY_ASSIGN(moves, find_code_moves(cubin, entry));
  return move_code(cubin, moves, padding_bytes);
}

}  // namespace phasebit
