// Which words of `.nv.info.<kernel>` are places in the kernel's code.
#pragma once

#include "core/base/error.h"

#include <string_view>
#include <vector>

namespace phasebit::cubin {

// Offsets in the section of 32-bit words that hold a place: bytes from the start of the kernel,
// which has `code_bytes`. Step::disassemble ("attribute 0x44 of kernel k: ...") for an attribute of
// which nobody knows whether it holds any, one that is cut short, and a word that is no place.
Result<std::vector<std::size_t>> code_places(std::string_view nv_info_of_kernel,
                                             std::size_t code_bytes, std::string_view entry);

// Step::disassemble for an attribute of `.nv.info`, which speaks of functions by their symbols,
// that nobody knows.
Status check_function_attributes(std::string_view nv_info);

}  // namespace phasebit::cubin
