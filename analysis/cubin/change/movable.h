// Whether all that names a place in a cubin's code or file is where this program knows to move it.
#pragma once

#include "analysis/cubin/elf_file.h"

#include <string_view>

namespace phasebit::cubin::change {

// Step::disassemble, by name, for a relocatable module, a section that is not known, and tables
// whose entries do not lie where the format says.
Status check_movable(const ElfFile& file, std::string_view bytes);

}  // namespace phasebit::cubin::change
