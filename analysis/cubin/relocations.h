// Relocations of an ELF file, whichever of the two forms they have.
#pragma once

#include "analysis/cubin/elf_file.h"

#include <cstdint>
#include <map>
#include <vector>

namespace phasebit::cubin {

struct Relocation {
  std::uint64_t offset = 0;  // in the section
  std::uint64_t type = 0;    // R_CUDA_...
  std::size_t symbol = 0;
  std::int64_t addend = 0;  // 0 of REL, which adds what stands at its place
};

// By the section that they are applied to, ascending by offset.
std::map<std::size_t, std::vector<Relocation>> read_relocations(const ElfFile& file);

}  // namespace phasebit::cubin
