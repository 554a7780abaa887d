#include "analysis/cubin/change/movable.h"

#include <algorithm>
#include <cstdint>

#include <elf.h>

namespace phasebit::cubin::change {
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
