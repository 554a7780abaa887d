#include "analysis/cubin/elf_file.h"

#include <algorithm>

namespace phasebit::cubin {

namespace {

// In relocatable files global, local and shared memory have types of NVIDIA's own, with a size and
// without bytes.
bool has_bytes(const GElf_Shdr& header) {
  constexpr GElf_Word global = SHT_LOPROC + 7, local = SHT_LOPROC + 9, shared = SHT_LOPROC + 10;
  const GElf_Word type = header.sh_type;
  return type != SHT_NOBITS && type != global && type != local && type != shared;
}

}  // namespace

Result<ElfFile> ElfFile::open(std::string_view bytes, std::string_view name) {
  auto copy = std::make_unique<std::string>(bytes);
  PHASEBIT_TRY_ASSIGN(file, view(*copy, name));
  file.copy_ = std::move(copy);
  return std::move(file);
}

Result<ElfFile> ElfFile::view(std::string_view bytes, std::string_view name) {
  [[maybe_unused]] static const unsigned once = elf_version(EV_CURRENT);
  ElfFile file;
  file.bytes_ = bytes;
  // libelf takes a pointer to what may be written to, and writes nothing to what it only reads.
  file.elf_.reset(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  PHASEBIT_TRY(file.read_header(name));
  PHASEBIT_TRY(file.read_sections(name));
  return file;
}

Status ElfFile::read_header(std::string_view name) {
  if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF)
    return fail(Step::disassemble, "{}: not an ELF file ({} bytes)", name, bytes_.size());
  if (gelf_getehdr(elf_.get(), &header_) == nullptr)
    return fail(Step::disassemble, "{}: no ELF header: {}", name, elf_errmsg(-1));
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB)
    return fail(Step::disassemble, "{}: not an ELF file of 64 bits, little endian", name);
  const std::size_t table = std::size_t{header_.e_shnum} * header_.e_shentsize;
  if (header_.e_shoff > bytes_.size() || table > bytes_.size() - header_.e_shoff)
    return fail(Step::disassemble,
                "{}: cut short: its section table is at byte {}, the file has {} bytes", name,
                header_.e_shoff, bytes_.size());
  // They come after the section table: a file that ends between them has all of its sections.
  const std::size_t segments = std::size_t{header_.e_phnum} * header_.e_phentsize;
  if (segments > 0 &&
      (header_.e_phoff > bytes_.size() || segments > bytes_.size() - header_.e_phoff))
    return fail(Step::disassemble,
                "{}: cut short: its program headers are at byte {}, the file has {} bytes", name,
                header_.e_phoff, bytes_.size());
  return {};
}

Status ElfFile::read_sections(std::string_view name) {
  std::size_t count = 0, strings = 0;
  if (elf_getshdrnum(elf_.get(), &count) != 0 || count == 0)
    return fail(Step::disassemble, "{}: no section table: {}", name, elf_errmsg(-1));
  const bool named = elf_getshdrstrndx(elf_.get(), &strings) == 0;
  sections_.resize(count);
  for (std::size_t i = 1; i < count; ++i) {
    ElfSection& section = sections_[i];
    Elf_Scn* scn = elf_getscn(elf_.get(), i);
    if (scn == nullptr || gelf_getshdr(scn, &section.header) == nullptr)
      return fail(Step::disassemble, "{}: section {} cannot be read: {}", name, i, elf_errmsg(-1));
    const GElf_Shdr& header = section.header;
    const char* text = named ? elf_strptr(elf_.get(), strings, header.sh_name) : nullptr;
    if (text != nullptr) section.name = text;
    by_name_.emplace(section.name, i);
    if (!has_bytes(header) || header.sh_size == 0) continue;
    const bool inside =
        header.sh_offset <= bytes_.size() && header.sh_size <= bytes_.size() - header.sh_offset;
    if (!inside)
      return fail(Step::disassemble, "{}: section {} ({}) lies beyond the end of the file", name, i,
                  section.name);
    section.data = bytes_.substr(header.sh_offset, header.sh_size);
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_RELA || header.sh_type == SHT_REL)
      section.translated = elf_getdata(scn, nullptr);
  }
  return {};
}

std::vector<ElfFile::Symbol> ElfFile::read_symbols() const {
  std::vector<Symbol> symbols;
  const ElfSection* table = find(".symtab");
  if (table == nullptr || table->translated == nullptr) return symbols;
  for (std::size_t i = 0; i < table->entries(); ++i) {
    Symbol symbol;
    if (gelf_getsym(table->translated, static_cast<int>(i), &symbol.entry) == nullptr) break;
    const char* text = elf_strptr(elf_.get(), table->header.sh_link, symbol.entry.st_name);
    if (text != nullptr) symbol.name = text;
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

// CUDA 13 (ABI version 8) keeps the SM number in e_flags[15:8], older ones in e_flags[7:0].
int ElfFile::sm() const {
  const bool new_layout = header_.e_ident[EI_ABIVERSION] >= 8;
  return static_cast<int>((new_layout ? header_.e_flags >> 8 : header_.e_flags) & 0xff);
}

const ElfSection* ElfFile::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &sections_[found->second];
}

std::map<std::size_t, std::vector<Relocation>> read_relocations(const ElfFile& file) {
  std::map<std::size_t, std::vector<Relocation>> all;
  for (const ElfSection& section : file.sections()) {
    const bool rela = section.header.sh_type == SHT_RELA;
    if ((!rela && section.header.sh_type != SHT_REL) || section.translated == nullptr) continue;
    std::vector<Relocation>& list = all[section.header.sh_info];
    for (std::size_t i = 0; i < section.entries(); ++i) {
      GElf_Rela one{};
      GElf_Rel short_one{};
      if (rela) {
        if (gelf_getrela(section.translated, static_cast<int>(i), &one) == nullptr) break;
      } else {
        if (gelf_getrel(section.translated, static_cast<int>(i), &short_one) == nullptr) break;
        one.r_offset = short_one.r_offset, one.r_info = short_one.r_info;
      }
      list.push_back({one.r_offset, GELF_R_TYPE(one.r_info), GELF_R_SYM(one.r_info), one.r_addend});
    }
  }
  for (auto& [section, list] : all)
    std::stable_sort(list.begin(), list.end(),
                     [](const Relocation& a, const Relocation& b) { return a.offset < b.offset; });
  return all;
}

}  // namespace phasebit::cubin
