// The guarded build of a rendered kernel.
#pragma once

#include "core/image/guard_sites.h"
#include "gen/kernel.h"

#include <string>
#include <vector>

namespace phasebit {

struct GuardedKernel {
  // Build::guarded, with the preamble that it needs. What was added has the source of the statement
  // that it stands beside.
  Kernel kernel;
  std::vector<WaitSite> sites;  // by template file and line, verb and role
};

// `entry` names the result. Its preamble depends on .version and .target alone, so that many such
// kernels go into one module. Step::assemble where the text cannot be read; see guard().
Result<GuardedKernel> guard_kernel(const Kernel& timed, const std::string& entry);

}  // namespace phasebit
