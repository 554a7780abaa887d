#include "analysis/sass/cubin.h"

#include "analysis/sass/debug_line.h"
#include "analysis/sass/instruction.h"
#include "analysis/sass/kernel_info.h"
#include "core/base/hash.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include <gelf.h>
#include <libelf.h>

namespace phasebit {
namespace {

constexpr std::string_view text_prefix = ".text.";

// libelf over bytes in memory, with bounds that it checks itself for every section.
class ElfFile {
 public:
  explicit ElfFile(std::string bytes) : bytes_(std::move(bytes)) {
    [[maybe_unused]] static const unsigned once = elf_version(EV_CURRENT);
    elf_.reset(elf_memory(bytes_.data(), bytes_.size()));
  }
  Elf* get() const { return elf_.get(); }
  std::string_view bytes() const { return bytes_; }

  std::string_view name(const GElf_Shdr& header) const {
    std::size_t strings = 0;
    if (elf_getshdrstrndx(elf_.get(), &strings) != 0) return {};
    const char* text = elf_strptr(elf_.get(), strings, header.sh_name);
    return text != nullptr ? std::string_view(text) : std::string_view();
  }

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  std::string bytes_;
  std::unique_ptr<Elf, End> elf_;
};

struct Section {
  std::string name;
  GElf_Shdr header{};
  std::string_view data;
  Elf_Data* translated = nullptr;  // symbols and relocations as libelf decodes them
};

// Sections by their index, the empty section 0 included.
Result<std::vector<Section>> read_sections(const ElfFile& file, std::string_view name) {
  std::size_t count = 0;
  if (elf_getshdrnum(file.get(), &count) != 0 || count == 0)
    return fail(Step::disassemble, "{}: no section table: {}", name, elf_errmsg(-1));
  std::vector<Section> sections(count);
  for (std::size_t i = 1; i < count; ++i) {
    Elf_Scn* scn = elf_getscn(file.get(), i);
    if (scn == nullptr || gelf_getshdr(scn, &sections[i].header) == nullptr)
      return fail(Step::disassemble, "{}: section {} cannot be read: {}", name, i, elf_errmsg(-1));
    const GElf_Shdr& header = sections[i].header;
    sections[i].name = file.name(header);
    if (header.sh_type == SHT_NOBITS || header.sh_size == 0) continue;
    const std::string_view bytes = file.bytes();
    if (header.sh_offset > bytes.size() || header.sh_size > bytes.size() - header.sh_offset)
      return fail(Step::disassemble, "{}: section {} ({}) lies beyond the end of the file", name, i,
                  sections[i].name);
    sections[i].data = bytes.substr(header.sh_offset, header.sh_size);
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_RELA || header.sh_type == SHT_REL)
      sections[i].translated = elf_getdata(scn, nullptr);
  }
  return sections;
}

const Section* find_section(const std::vector<Section>& sections, std::string_view name) {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

std::size_t entries(const Section& section) {
  return section.header.sh_entsize == 0 ? 0 : section.data.size() / section.header.sh_entsize;
}

// The value that a REL relocation adds stands at its place; RELA brings it along.
std::uint64_t stored_address(std::string_view data, std::uint64_t offset) {
  std::uint64_t value = 0;
  if (offset <= data.size() && data.size() - offset >= sizeof value)
    std::memcpy(&value, data.data() + offset, sizeof value);
  return value;
}

// Relocations of .debug_line: each names the place of an address and the kernel it points into.
AddressFixups read_fixups(const std::vector<Section>& sections, const Section& debug_line) {
  AddressFixups fixups;
  const Section* symbols = find_section(sections, ".symtab");
  if (symbols == nullptr || symbols->translated == nullptr) return fixups;
  const auto add = [&](std::uint64_t offset, std::uint64_t symbol_index, std::uint64_t addend) {
    GElf_Sym symbol{};
    if (gelf_getsym(symbols->translated, static_cast<int>(symbol_index), &symbol) == nullptr)
      return;
    fixups[offset] = {symbol.st_shndx, symbol.st_value + addend};
  };
  if (const Section* rela = find_section(sections, ".rela.debug_line");
      rela != nullptr && rela->translated != nullptr)
    for (std::size_t i = 0; i < entries(*rela); ++i)
      if (GElf_Rela one{}; gelf_getrela(rela->translated, static_cast<int>(i), &one) != nullptr)
        add(one.r_offset, GELF_R_SYM(one.r_info), static_cast<std::uint64_t>(one.r_addend));
  if (const Section* rel = find_section(sections, ".rel.debug_line");
      rel != nullptr && rel->translated != nullptr)
    for (std::size_t i = 0; i < entries(*rel); ++i)
      if (GElf_Rel one{}; gelf_getrel(rel->translated, static_cast<int>(i), &one) != nullptr)
        add(one.r_offset, GELF_R_SYM(one.r_info), stored_address(debug_line.data, one.r_offset));
  return fixups;
}

// Symbol index of each section.
std::map<std::size_t, std::size_t> section_symbols(const std::vector<Section>& sections) {
  std::map<std::size_t, std::size_t> result;
  const Section* symbols = find_section(sections, ".symtab");
  if (symbols == nullptr || symbols->translated == nullptr) return result;
  for (std::size_t i = 0; i < entries(*symbols); ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(symbols->translated, static_cast<int>(i), &symbol) == nullptr) continue;
    if (GELF_ST_TYPE(symbol.st_info) == STT_SECTION) result.emplace(symbol.st_shndx, i);
  }
  return result;
}

// Symbol index of each function, by name.
std::map<std::string, std::uint32_t> function_symbols(const ElfFile& file,
                                                      const std::vector<Section>& sections) {
  std::map<std::string, std::uint32_t> result;
  const Section* symbols = find_section(sections, ".symtab");
  if (symbols == nullptr || symbols->translated == nullptr) return result;
  for (std::size_t i = 0; i < entries(*symbols); ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(symbols->translated, static_cast<int>(i), &symbol) == nullptr) continue;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    const char* name = elf_strptr(file.get(), symbols->header.sh_link, symbol.st_name);
    if (name != nullptr) result.emplace(name, static_cast<std::uint32_t>(i));
  }
  return result;
}

// How many functions each section holds.
std::map<std::size_t, int> functions_in(const std::vector<Section>& sections) {
  std::map<std::size_t, int> result;
  const Section* symbols = find_section(sections, ".symtab");
  if (symbols == nullptr || symbols->translated == nullptr) return result;
  for (std::size_t i = 0; i < entries(*symbols); ++i)
    if (GElf_Sym symbol{};
        gelf_getsym(symbols->translated, static_cast<int>(i), &symbol) != nullptr)
      if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC) ++result[symbol.st_shndx];
  return result;
}

// See CubinKernel::names. Code refers to names by relocations and by calls of functions beside the
// kernel in its section.
std::string names_in(const std::vector<Section>& sections, std::size_t index,
                     const std::map<std::size_t, int>& functions) {
  std::string referred;
  for (const char* kind : {".rela", ".rel"})
    if (const Section* found = find_section(sections, kind + sections[index].name))
      referred += found->data;
  const auto count = functions.find(index);
  if (referred.empty() && (count == functions.end() || count->second < 2)) return {};
  for (const char* name : {".symtab", ".strtab"})
    if (const Section* found = find_section(sections, name)) referred += found->data;
  return content_hash(fmt::format("{} {}", index, referred));
}

// Registers and shared memory; what the file does not say stays 0.
void read_resources(const ElfFile& file, const std::vector<Section>& sections, Cubin& cubin) {
  const Section* info = find_section(sections, ".nv.info");
  const auto counts =
      info == nullptr ? std::map<std::uint32_t, int>() : register_counts(info->data);
  const auto functions = function_symbols(file, sections);
  for (CubinKernel& kernel : cubin.kernels) {
    const auto function = functions.find(kernel.entry);
    if (function != functions.end())
      if (const auto count = counts.find(function->second); count != counts.end())
        kernel.registers = count->second;
    if (const Section* own = find_section(sections, ".nv.info." + kernel.entry))
      kernel.barriers = barrier_count(own->data);
    if (const Section* text = find_section(sections, ".text." + kernel.entry);
        text != nullptr && kernel.barriers == 0)
      kernel.barriers = barrier_count_of_flags(text->header.sh_flags);
    if (const Section* shared = find_section(sections, ".nv.shared." + kernel.entry))
      kernel.static_shared_bytes = shared->header.sh_size;
  }
}

// CUDA 13 (ABI version 8) keeps the SM number in e_flags[15:8], older ones in e_flags[7:0].
int sm_number(const GElf_Ehdr& header) {
  const bool new_layout = header.e_ident[EI_ABIVERSION] >= 8;
  return static_cast<int>((new_layout ? header.e_flags >> 8 : header.e_flags) & 0xff);
}

Result<GElf_Ehdr> read_elf_header(const ElfFile& file, std::string_view name) {
  if (file.get() == nullptr || elf_kind(file.get()) != ELF_K_ELF)
    return fail(Step::disassemble, "{}: not an ELF file ({} bytes)", name, file.bytes().size());
  GElf_Ehdr header{};
  if (gelf_getehdr(file.get(), &header) == nullptr)
    return fail(Step::disassemble, "{}: no ELF header: {}", name, elf_errmsg(-1));
  if (header.e_machine != EM_CUDA)
    return fail(Step::disassemble, "{}: an ELF file for machine {}, not a cubin ({})", name,
                header.e_machine, EM_CUDA);
  const std::size_t table = std::size_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff > file.bytes().size() || table > file.bytes().size() - header.e_shoff)
    return fail(Step::disassemble,
                "{}: cut short: its section table is at byte {}, the file has {} bytes", name,
                header.e_shoff, file.bytes().size());
  return header;
}

std::vector<int> instruction_lines(const LineTable& table, std::size_t section, std::size_t count) {
  std::vector<int> lines;
  const auto rows = table.find(section);
  if (rows == table.end()) return lines;
  for (std::size_t i = 0; i < count; ++i)
    lines.push_back(line_at(rows->second, i * instruction_bytes));
  return lines;
}

}  // namespace

SassWord CubinKernel::word(std::size_t index) const {
  SassWord word;
  std::memcpy(&word.low, text.data() + index * instruction_bytes, sizeof word.low);
  std::memcpy(&word.high, text.data() + index * instruction_bytes + 8, sizeof word.high);
  return word;
}

const CubinKernel* Cubin::find(std::string_view entry) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const CubinKernel& kernel) { return kernel.entry == entry; });
  return found == kernels.end() ? nullptr : &*found;
}

Result<Cubin> read_cubin(std::string_view bytes, std::string_view name) {
  const ElfFile file{std::string(bytes)};
  PHASEBIT_TRY_ASSIGN(header, read_elf_header(file, name));
  PHASEBIT_TRY_ASSIGN(sections, read_sections(file, name));
  LineTable table;
  if (const Section* line = find_section(sections, ".debug_line"); line != nullptr) {
    auto read = read_debug_line(line->data, read_fixups(sections, *line));
    if (!read) return fail(Step::disassemble, "{}: {}", name, read.error().message);
    table = std::move(*read);
  }
  const auto symbols = section_symbols(sections);
  const auto functions = functions_in(sections);
  Cubin cubin{sm_number(header), {}};
  for (std::size_t i = 1; i < sections.size(); ++i) {
    if (!sections[i].name.starts_with(text_prefix)) continue;
    CubinKernel kernel;
    kernel.entry = sections[i].name.substr(text_prefix.size());
    kernel.text = sections[i].data;
    if (kernel.text.empty() || kernel.text.size() % instruction_bytes != 0)
      return fail(Step::disassemble, "{}: {} has {} bytes, not whole instructions of {}", name,
                  sections[i].name, kernel.text.size(), instruction_bytes);
    if (const auto symbol = symbols.find(i); symbol != symbols.end())
      kernel.symbol = symbol->second;
    kernel.lines = instruction_lines(table, i, kernel.size());
    kernel.names = names_in(sections, i, functions);
    cubin.kernels.push_back(std::move(kernel));
  }
  if (cubin.kernels.empty()) return fail(Step::disassemble, "{}: no kernel in it", name);
  read_resources(file, sections, cubin);
  return cubin;
}

}  // namespace phasebit
