// Kernels of code files, with what is kept of each when there are thousands.
#pragma once

#include "analysis/foreign/classes.h"
#include "analysis/foreign/module.h"

#include <functional>
#include <string>
#include <vector>

namespace phasebit {

// Demangled where it is a C++ name, else the symbol.
std::string kernel_name(const CodeKernel& kernel);

// In the order given; `column` says what a kernel's column is called. A few megabytes of code at a
// time, so that instructions of thousands of kernels never lie in memory together, on so many
// threads (0: as many as there are cores); says on a terminal how far it is. Errors as
// read_code_kernels, the first in the order of the kernels.
Result<std::vector<CodeCell>> read_cells(
    const Disassembler& disassembler, const std::vector<CodeKernel>& kernels,
    const std::function<std::string(const CodeKernel&)>& column, unsigned threads);

}  // namespace phasebit
