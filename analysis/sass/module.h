// The kernels of a cubin as instructions: words and lines from the ELF file, text from nvdisasm.
#pragma once

#include "analysis/sass/cubin.h"
#include "analysis/sass/disassembler.h"
#include "analysis/sass/instruction.h"

#include <map>
#include <memory>

namespace phasebit {

// Joins one kernel with its disassembly. Step::disassemble when their lengths differ.
Result<SassKernel> join_kernel(const CubinKernel& kernel, const DisassembledFunction& function);

// All kernels, by name, with one run of nvdisasm in which equal code is disassembled once. Operands
// that name a function (CALL, RET) then name that of the kernel first in the file.
Result<std::map<std::string, SassKernel>> read_module(const Disassembler& disassembler,
                                                      const Cubin& cubin, std::string_view bytes);

}  // namespace phasebit
