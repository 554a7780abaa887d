#include "analysis/cubin/cubin.h"

#include "analysis/cubin/debug_line.h"
#include "analysis/cubin/elf_file.h"
#include "analysis/cubin/instruction.h"
#include "analysis/cubin/kernel_info.h"
#include "analysis/cubin/sass_word.h"
#include "core/isa/version.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>

namespace phasebit::cubin {

namespace {

using Symbols = std::vector<ElfFile::Symbol>;

// The value that a REL relocation adds is at its place; RELA brings it along.
std::uint64_t stored_address(std::string_view data, std::uint64_t offset) {
  std::uint64_t value = 0;
  if (offset <= data.size() && data.size() - offset >= sizeof value)
    std::memcpy(&value, data.data() + offset, sizeof value);
  return value;
}

// Relocations of .debug_line: each names the place of an address and the kernel it points into. In
// relocatable code of sm_80 another one leads to .debug_str, at a place that is not an address.
AddressFixups read_fixups(const ElfFile& file, const Symbols& symbols, std::string_view lines) {
  AddressFixups fixups;
  const auto add = [&](std::uint64_t offset, std::uint64_t symbol, std::uint64_t addend) {
    if (symbol >= symbols.size()) return;
    const GElf_Sym& entry = symbols[symbol].entry;
    if (entry.st_shndx >= file.sections().size() ||
        !file.sections()[entry.st_shndx].name.starts_with(text_prefix))
      return;
    fixups[offset] = {entry.st_shndx, entry.st_value + addend};
  };
  if (const ElfSection* rela = file.find(".rela.debug_line");
      rela != nullptr && rela->translated != nullptr)
    for (std::size_t i = 0; i < rela->entries(); ++i) {
      GElf_Rela one{};
      if (gelf_getrela(rela->translated, static_cast<int>(i), &one) == nullptr) break;
      add(one.r_offset, GELF_R_SYM(one.r_info), static_cast<std::uint64_t>(one.r_addend));
    }
  if (const ElfSection* rel = file.find(".rel.debug_line");
      rel != nullptr && rel->translated != nullptr)
    for (std::size_t i = 0; i < rel->entries(); ++i) {
      GElf_Rel one{};
      if (gelf_getrel(rel->translated, static_cast<int>(i), &one) == nullptr) break;
      add(one.r_offset, GELF_R_SYM(one.r_info), stored_address(lines, one.r_offset));
    }
  return fixups;
}

Result<LineTable> read_lines(const ElfFile& file, const Symbols& symbols, std::string_view name) {
  const std::string_view lines = data_of(file, ".debug_line");
  auto table = read_debug_line(lines, read_fixups(file, symbols, lines),
                               {data_of(file, ".debug_line_str"), data_of(file, ".debug_str")});
  if (!table) return fail(Step::disassemble, "{}: {}", name, table.error().message);
  return table;
}

// Both by the index of the section.
struct SectionSymbols {
  std::map<std::size_t, std::size_t> sections;                // index of the section's own symbol
  std::map<std::size_t, std::vector<std::size_t>> functions;  // indices of those inside
};

SectionSymbols sort_symbols(const Symbols& symbols) {
  SectionSymbols result;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const GElf_Sym& entry = symbols[i].entry;
    if (GELF_ST_TYPE(entry.st_info) == STT_SECTION) result.sections.emplace(entry.st_shndx, i);
    if (GELF_ST_TYPE(entry.st_info) == STT_FUNC) result.functions[entry.st_shndx].push_back(i);
  }
  return result;
}

void add_lines(CubinKernel& kernel, const LineTable& table, std::size_t section) {
  const auto rows = table.sections.find(section);
  if (rows == table.sections.end()) return;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const LineRow row = row_at(rows->second, i * instruction_bytes);
    kernel.lines.push_back(row.line);
    kernel.frames.push_back(row.frame);
  }
}

// What its function symbols and .nv.info say; what they do not stays 0.
void add_functions(CubinKernel& kernel, const Symbols& symbols,
                   const std::vector<std::size_t>& indices,
                   const std::map<std::uint32_t, int>& registers) {
  constexpr unsigned char entry_bit = 0x10;  // of st_other
  for (const std::size_t index : indices) {
    const auto& [name, symbol] = symbols[index];
    if (name != kernel.entry) {
      if (symbol.st_value < kernel.text.size()) kernel.functions.push_back({name, symbol.st_value});
      continue;
    }
    kernel.is_entry = (symbol.st_other & entry_bit) != 0;
    if (const auto count = registers.find(static_cast<std::uint32_t>(index));
        count != registers.end())
      kernel.registers = count->second;
  }
  std::stable_sort(
      kernel.functions.begin(), kernel.functions.end(),
      [](const CubinFunction& a, const CubinFunction& b) { return a.offset < b.offset; });
}

void add_relocated(CubinKernel& kernel, const ElfFile& file, const Symbols& symbols,
                   const std::vector<Relocation>& relocations) {
  for (const Relocation& one : relocations) {
    if (one.symbol >= symbols.size()) continue;
    const ElfFile::Symbol& symbol = symbols[one.symbol];
    const std::size_t section = symbol.entry.st_shndx;
    const bool inside = section < file.sections().size();
    kernel.relocated.push_back({one.offset / instruction_bytes, one.type, symbol.name, one.addend,
                                inside ? constant_bank(file.sections()[section].name) : -1});
  }
}

// What .nv.info and the section's header say in addition to the registers.
void add_resources(CubinKernel& kernel, const ElfFile& file, const ElfSection& text) {
  kernel.barriers = barrier_count(data_of(file, ".nv.info." + kernel.entry));
  if (kernel.barriers == 0) kernel.barriers = barrier_count_of_flags(text.header.sh_flags);
  kernel.indirect = indirect_branches(data_of(file, ".nv.info." + kernel.entry));
  if (const ElfSection* shared = file.find(".nv.shared." + kernel.entry))
    kernel.static_shared_bytes = shared->header.sh_size;
}

Status read_kernels(const ElfFile& file, std::string_view name, bool outline, Cubin& cubin) {
  const Symbols symbols = file.read_symbols();
  PHASEBIT_TRY_ASSIGN(table, read_lines(file, symbols, name));
  const SectionSymbols by_section = sort_symbols(symbols);
  std::map<std::size_t, CodeClass> classes;
  if (!outline) classes = read_code_classes(file);
  const auto registers = register_counts(data_of(file, ".nv.info"));
  const auto relocations = read_relocations(file);
  for (std::size_t i = 1; i < file.sections().size(); ++i) {
    const ElfSection& section = file.sections()[i];
    if (!section.name.starts_with(text_prefix)) continue;
    CubinKernel kernel;
    kernel.entry = section.name.substr(text_prefix.size());
    kernel.text = section.data;
    if (kernel.text.empty() || kernel.text.size() % instruction_bytes != 0)
      return fail(Step::disassemble, "{}: {} has {} bytes, not whole instructions of {}", name,
                  section.name, kernel.text.size(), instruction_bytes);
    if (const auto symbol = by_section.sections.find(i); symbol != by_section.sections.end())
      kernel.symbol = symbol->second;
    if (const auto inside = by_section.functions.find(i); inside != by_section.functions.end())
      add_functions(kernel, symbols, inside->second, registers);
    add_resources(kernel, file, section);
    if (const auto here = relocations.find(i); here != relocations.end())
      add_relocated(kernel, file, symbols, here->second);
    if (!outline) kernel.code = std::move(classes.at(i));
    add_lines(kernel, table, i);
    cubin.kernels.push_back(std::move(kernel));
  }
  cubin.source = std::move(table.source);
  return {};
}

Result<Cubin> read_any(std::string_view bytes, std::string_view name, bool outline) {
  PHASEBIT_TRY_ASSIGN(file, ElfFile::view(bytes, name));
  if (file.header().e_machine != EM_CUDA)
    return fail(Step::disassemble, "{}: an ELF file for machine {}, not a cubin ({})", name,
                file.header().e_machine, EM_CUDA);
  Cubin cubin;
  cubin.sm = file.sm();
  const CubinMaker maker = read_maker(file, cubin.sm);
  cubin.tool = maker.tool;
  cubin.tool_version = maker.version;
  cubin.target = maker.target.empty() ? fmt::format("sm_{}", cubin.sm) : maker.target;
  PHASEBIT_TRY(read_kernels(file, name, outline, cubin));
  return cubin;
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

Result<Cubin> read_cubin_or_stub(std::string_view bytes, std::string_view name) {
  return read_any(bytes, name, false);
}

Result<Cubin> read_cubin_outline(std::string_view bytes, std::string_view name) {
  return read_any(bytes, name, true);
}

Result<Cubin> read_cubin(std::string_view bytes, std::string_view name) {
  auto cubin = read_cubin_or_stub(bytes, name);
  if (cubin && cubin->kernels.empty()) return fail(Step::disassemble, "{}: no kernel in it", name);
  return cubin;
}

namespace {

// What describes a note: {format, then where the object's name, the tool, its version, its branch
// and its options begin in the strings after it}.
struct ToolInfo {
  std::array<std::uint32_t, 6> fields{};
  std::string_view strings;

  std::string text(std::size_t field) const {
    if (fields.at(field) >= strings.size()) return {};
    const std::string_view rest = strings.substr(fields.at(field));
    return std::string(rest.substr(0, rest.find('\0')));
  }
};
constexpr std::size_t tool_field = 2, version_field = 3, options_field = 5;

std::size_t padded(std::uint32_t size) {
  return (std::size_t{size} + 3) / 4 * 4;
}

// The notes of a section: {name size, description size, type}, name, description.
std::vector<ToolInfo> tool_infos(std::string_view notes) {
  constexpr std::size_t head_bytes = 12;
  std::vector<ToolInfo> infos;
  while (notes.size() >= head_bytes) {
    std::array<std::uint32_t, 3> head{};
    std::memcpy(head.data(), notes.data(), head_bytes);
    notes.remove_prefix(head_bytes);
    const std::size_t name = padded(head[0]), description = padded(head[1]);
    if (name > notes.size() || description > notes.size() - name) break;
    ToolInfo info;
    const std::string_view body = notes.substr(name, head[1]);
    notes.remove_prefix(name + description);
    if (body.size() < sizeof info.fields) continue;
    std::memcpy(info.fields.data(), body.data(), sizeof info.fields);
    info.strings = body.substr(sizeof info.fields);
    infos.push_back(info);
  }
  return infos;
}

// "sm_90a" among options, when it is of this SM.
std::string target_in(const std::string& options, int sm) {
  const std::string stem = fmt::format("sm_{}", sm);
  const std::size_t at = options.find(stem);
  if (at == std::string::npos) return {};
  const std::size_t end = options.find_first_not_of("0123456789af", at + 3);
  const std::string word = options.substr(at, end == std::string::npos ? end : end - at);
  return word == stem || word == stem + "a" || word == stem + "f" ? word : "";
}

bool newer(const std::string& a, const std::string& b) {
  const auto first = isa::parse_version(a), second = isa::parse_version(b);
  return first && (!second || *first > *second);
}

CubinMaker maker_of_header(const GElf_Ehdr& header, int sm) {
  constexpr GElf_Word accelerated = 0x800;
  CubinMaker maker;
  if (header.e_ident[EI_ABIVERSION] >= 8 || header.e_version < 100) return maker;
  maker.version = fmt::format("{}.{}", header.e_version / 10, header.e_version % 10);
  maker.target = fmt::format("sm_{}{}", sm, (header.e_flags & accelerated) != 0 ? "a" : "");
  return maker;
}

}  // namespace

CubinMaker read_maker(const ElfFile& file, int sm) {
  CubinMaker maker = maker_of_header(file.header(), sm);
  const ElfSection* section = file.find(".note.nv.tkinfo");
  if (section == nullptr) return maker;
  for (const ToolInfo& info : tool_infos(section->data)) {
    const std::string version = isa::version_in_banner(info.text(version_field));
    if (!newer(version, maker.version)) continue;
    maker = {info.text(tool_field), version, target_in(info.text(options_field), sm)};
  }
  return maker;
}

}  // namespace phasebit::cubin
