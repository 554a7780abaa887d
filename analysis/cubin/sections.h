// Sections of a cubin by their names.
#pragma once

#include "analysis/cubin/elf_file.h"

#include <string>
#include <string_view>

namespace phasebit::cubin {

// Of the section of each kernel's and function's code.
constexpr std::string_view text_prefix = ".text.";

// Empty where the file has no such section.
inline std::string_view data_of(const ElfFile& file, const std::string& section) {
  const ElfSection* found = file.find(section);
  return found == nullptr ? std::string_view() : found->data;
}

}  // namespace phasebit::cubin
