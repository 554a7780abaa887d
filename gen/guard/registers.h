// Registers that warps hand over by setmaxnreg: with how many each begins.
#pragma once

#include "core/ptx/file.h"

#include <map>
#include <string>

namespace phasebit::guard {

// How a kernel is launched, where its text does not say; 0 for what is not known.
struct GuardLaunch {
  int threads = 0;    // of a CTA
  int registers = 0;  // of a thread when it begins, as the driver has it
  bool operator==(const GuardLaunch&) const = default;
};

// By function: what a thread has when the kernel begins: what a launch found, else what ptxas makes
// of .maxnreg, else of .maxntid (.reqntid, the launch's threads) and .minnctapersm (1 with a
// launch). Without them ptxas ignores setmaxnreg, and the function is not there; nor is one that
// kernels with different counts may call.
std::map<std::string, int> registers_at_begin(const ptx::PtxFile& file,
                                              const std::map<std::string, GuardLaunch>& launches);

}  // namespace phasebit::guard
