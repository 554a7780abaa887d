// Experiments on machine code: one instruction becomes NOP or YIELD, the rest stays as it is.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::cubin::change {

struct InstructionEdit {
  std::uint32_t address = 0;  // from the start of the kernel
  std::string opcode;         // "NOP" or "YIELD"
};

// "0x920.NOP+0x9f0.YIELD", as the axis `edit` has it. Step::usage when it cannot be read.
Result<std::vector<InstructionEdit>> parse_edits(std::string_view text);

// The cubin with one kernel edited. Stall, yield flag and wait mask of the instruction stay, its
// scoreboards and reuse bits go. Step::assemble when the kernel has no such address;
// Step::disassemble as read_cubin.
Result<std::string> edit_cubin(std::string_view cubin, const std::string& entry,
                               const std::vector<InstructionEdit>& edits);

}  // namespace phasebit::cubin::change
