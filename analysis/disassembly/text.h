// `.text` sections as bytes: their hashes, and whether two assemblies of one kernel are the same
// code.
#pragma once

#include "core/base/error.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit {

// content_hash of `.text.<entry>` by entry.
Result<std::map<std::string, std::string>> text_hashes(std::string_view cubin);

struct TextDifference {
  std::string entry;
  // "first differs at 0x1f0", "512 against 528 bytes", "not in the second module"
  std::string what;
};

// Compares the code of every kernel of two modules byte for byte, such as the timed assembly and
// the one with `.loc`. Empty when all are equal. Step::disassemble when one of them cannot be read.
Result<std::vector<TextDifference>> compare_text(std::string_view first, std::string_view second);

}  // namespace phasebit
