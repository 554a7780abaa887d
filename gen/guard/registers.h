// Registers that warps hand over by setmaxnreg: with how many each begins.
#pragma once

#include "core/ptx/file.h"

#include <map>
#include <string>

namespace phasebit::guard {

bool hands_registers_over(const ptx::PtxStatement& statement);
bool takes_registers(const ptx::PtxStatement& statement);  // it may wait for them

// By function: what a thread has when the kernel begins, as ptxas makes it of .maxnreg, else of
// .maxntid (.reqntid) and .minnctapersm. Without them ptxas ignores setmaxnreg, and the function is
// not there; nor is one that kernels with different counts may call.
std::map<std::string, int> registers_at_begin(const ptx::PtxFile& file);

}  // namespace phasebit::guard
