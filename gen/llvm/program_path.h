// Where phasebit-llvm is: a program of its own, because LLVM ends the process where its backend
// cannot go on.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"

namespace phasebit::llvm {

// Beside the program that runs, or in the build folder that it is in. Step::toolchain, with what
// to install, where this build has none.
Result<fs::path> find_program();

}  // namespace phasebit::llvm
