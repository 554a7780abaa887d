// Kernels written by hand, and tools that misbehave, for the tests of assembly.
#pragma once

#include "core/base/file.h"
#include "gen/ptxas/assembler.h"
#include "gen/ptxas/toolchain.h"

#include <string>
#include <vector>

namespace phasebit::test {

// A kernel whose body is `body`, a line a statement. Statement n comes from line n of
// templates/probes/hand/<entry>.ptx; the body begins with statement 3.
ptxas::Kernel kernel(const std::string& entry, const std::string& target, const std::string& body);

// Different control flow, blocks with their own names, barriers, memory: what assemblers could
// share between the kernels of a module. For sm_80 and later, and (ring) for sm_90 and later.
std::vector<ptxas::Kernel> kernels_for_sm_80();
std::vector<ptxas::Kernel> kernels_for_sm_90();

// Kernels that ptxas refuses at statement 4, "bogus.u32 %r1;".
ptxas::Kernel refused_kernel(const std::string& entry);

// The toolchain of the repository; its ptxas replaced by a script that runs `script` first, then
// becomes the real one. $input is the module's path.
Result<ptxas::Toolchain> toolchain();
Result<ptxas::Toolchain> toolchain_with_script(const fs::path& folder, const std::string& script);

// Writes an executable script.
void write_script(const fs::path& path, const std::string& text);

}  // namespace phasebit::test
