#include "analysis/cubin/relocations.h"

#include <algorithm>

namespace phasebit::cubin {

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
