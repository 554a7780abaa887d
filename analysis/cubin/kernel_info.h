// What `.nv.info` says of the kernels of a cubin.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::cubin {

// Registers a thread, by symbol index of the function: attribute EIATTR_REGCOUNT, as `cuobjdump
// -elf` names it. The section is a list of entries {format, attribute, 16-bit value or size}; those
// of format 4 are followed by so many bytes. What is cut short is left out: the count is then
// unknown, which is never an error.
std::map<std::uint32_t, int> register_counts(std::string_view nv_info);

// Named barriers, from `.nv.info.<kernel>`: attribute EIATTR_NUM_BARRIERS; 0 where it is left out.
int barrier_count(std::string_view nv_info);

// CUDA 11 and 12 keep the same number in the flags of the section `.text.<kernel>`, bits 20 to 26.
int barrier_count_of_flags(std::uint64_t section_flags);

// An indirect branch and where it may go: bytes from the start of the kernel.
struct IndirectBranch {
  std::uint32_t address = 0;
  std::vector<std::uint32_t> targets;  // as the table names them: ascending, or in its order
};

// Of `.nv.info.<kernel>`: attribute EIATTR_INDIRECT_BRANCH_TARGETS, in the order of the section.
// What is cut short is left out: the branch then cannot be followed.
std::vector<IndirectBranch> indirect_branches(std::string_view nv_info_of_kernel);

// What decides how a kernel is launched and what it is given, by name, in the order of the names:
// "maxntid", "128 1 1". Of `.nv.info.<kernel>` launch bounds, cluster dimensions, the stack of
// calls, the targets of indirect branches, what the driver reserves or puts before the kernel,
// and every attribute that is not reviewed ("attribute 0x64"); of `.nv.info` registers and stack of
// the function with that symbol index. Those left out say what follows from the code or concern
// tools alone: docs/decisions/sass-class.md.
using Attributes = std::vector<std::pair<std::string, std::string>>;
Attributes kernel_attributes(std::string_view nv_info_of_kernel);
Attributes function_attributes(std::string_view nv_info, std::uint32_t symbol);
// How the sampler or texture with that symbol index filters, and where it clamps.
Attributes sampler_attributes(std::string_view nv_info, std::uint32_t symbol);

// Which words of `.nv.info.<kernel>` are places in the kernel's code.

// Offsets in the section of 32-bit words that hold a place: bytes from the start of the kernel,
// which has `code_bytes`. Step::disassemble ("attribute 0x44 of kernel k: ...") for an attribute of
// which it is unknown whether it holds any, one that is cut short, and a word that is not a place.
Result<std::vector<std::size_t>> code_places(std::string_view nv_info_of_kernel,
                                             std::size_t code_bytes, std::string_view entry);

// Step::disassemble for an attribute of `.nv.info`, which speaks of functions by their symbols,
// that is not known.
Status check_function_attributes(std::string_view nv_info);

}  // namespace phasebit::cubin
