// Which tool made a cubin.
#pragma once

#include "analysis/cubin/elf_file.h"

namespace phasebit::cubin {

struct CubinMaker {
  std::string tool;     // "ptxas", "nvlink"; "" when the file does not say
  std::string version;  // "13.5.37", or "12.4" of a cubin before 13.0; "" when it does not say
  std::string target;   // "sm_90a"; "" when the file does not say
};

// From CUDA 13 on (and for sm_100 from 12.8 on) a note, .note.nv.tkinfo, names the tool, its
// version and its options; of several the newest counts. Before, the ELF header's e_version is ten
// times the release, and a flag says that the target is one with an "a". `sm` is 90.
CubinMaker read_maker(const ElfFile& file, int sm);

}  // namespace phasebit::cubin
