#include "gen/ptxas/code.h"

#include <memory>

#include <gelf.h>

namespace phasebit::ptxas {
namespace {

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};

}  // namespace

Result<std::map<std::string, std::string_view>> code_sections(std::string_view cubin) {
  constexpr std::string_view prefix = ".text.";
  elf_version(EV_CURRENT);
  // libelf takes a mutable pointer but writes nothing as long as no update is asked for.
  const std::unique_ptr<Elf, ElfEnd> elf(elf_memory(const_cast<char*>(cubin.data()), cubin.size()));
  size_t names = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || elf_getshdrstrndx(elf.get(), &names) != 0)
    return fail(Step::assemble, "ptxas wrote something that is no ELF file ({} bytes)",
                cubin.size());
  std::map<std::string, std::string_view> sections;
  for (Elf_Scn* at = elf_nextscn(elf.get(), nullptr); at != nullptr;
       at = elf_nextscn(elf.get(), at)) {
    GElf_Shdr header;
    if (gelf_getshdr(at, &header) == nullptr) continue;
    const char* name = elf_strptr(elf.get(), names, header.sh_name);
    const std::string_view section = name == nullptr ? "" : name;
    if (section.substr(0, prefix.size()) != prefix) continue;
    if (header.sh_offset > cubin.size() || header.sh_size > cubin.size() - header.sh_offset)
      return fail(Step::assemble, "section {} of a cubin is cut off", section);
    sections.emplace(section.substr(prefix.size()), cubin.substr(header.sh_offset, header.sh_size));
  }
  return sections;
}

}  // namespace phasebit::ptxas
