// The kernels of a cubin as instructions: words and lines from the ELF file, text from nvdisasm.
#pragma once

#include "analysis/cubin/cubin.h"
#include "analysis/cubin/instruction.h"
#include "analysis/disassembly/disassembler.h"

namespace phasebit::disassembly {

// Joins one kernel with its disassembly. Step::disassemble when their lengths differ, or what the
// disassembly failed of.
Result<cubin::SassKernel> join_kernel(const cubin::CubinKernel& kernel,
                                      const DisassembledFunction& function);
Result<cubin::SassKernel> join_kernel(const cubin::CubinKernel& kernel,
                                      const Disassembler::Listing& listing);

}  // namespace phasebit::disassembly
