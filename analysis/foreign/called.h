// Kernels of a code file with the functions that they call.
#pragma once

#include "analysis/foreign/module.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::foreign {

struct CalledKernel {
  // Places in ReadProgram::code: the kernel itself, then the functions in sections of their own
  // that it calls, directly or not, each once.
  std::vector<std::size_t> code;
  // Calls of what is not in the image, and by a register: "CALL.ABS.NOINC f".
  std::map<std::string, int> open_calls;
};

struct ReadProgram {
  std::vector<ReadKernel> code;       // those asked for, in their order, then what they call
  std::vector<CodeKernel> of;         // by place in `code`
  std::vector<CalledKernel> kernels;  // one for each that was asked for
};

// Errors as read_code_kernels.
Result<ReadProgram> read_with_callees(const disassembly::Disassembler& disassembler,
                                      const std::vector<CodeKernel>& kernels,
                                      const cubin::source::SourceView& view = {});

}  // namespace phasebit::foreign
