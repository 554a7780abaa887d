// The code of each kernel of a cubin.
#pragma once

#include "core/base/error.h"

#include <map>
#include <string>
#include <string_view>

namespace phasebit::ptxas {

// The bytes of every section `.text.<entry>`, by entry; views into `cubin`. Step::assemble when it
// is not an ELF file.
Result<std::map<std::string, std::string_view>> code_sections(std::string_view cubin);

}  // namespace phasebit::ptxas
