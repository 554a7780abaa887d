// The guarded build of a rendered kernel.
#pragma once

#include "core/image/guard_sites.h"
#include "core/ptx/head/head.h"
#include "gen/ptxas/kernel.h"

#include <string>
#include <vector>

namespace phasebit::guard {

struct GuardedKernel {
  // Build::guarded, with the preamble that it needs. What was added has the source of the statement
  // that it stands beside.
  ptxas::Kernel kernel;
  std::vector<image::WaitSite> sites;  // by template file and line, verb and role
};

// What the guarded kernel must be launched with: ptxas gives it no more registers than that leaves.
struct GuardBounds {
  int threads = 0;      // of a CTA at most; 0: any number
  int ctas_per_sm = 1;  // that must fit on an SM together
};

// `entry` names the result; `registers` are those of the kernel's head, for reports. Its preamble
// depends on .version and .target alone, so that many such kernels go into one module.
// Step::assemble where the text cannot be read; see guard().
Result<GuardedKernel> guard_kernel(const ptxas::Kernel& timed, const std::string& entry,
                                   const GuardBounds& bounds = {},
                                   const std::vector<ptx::head::HeadRegisters>& registers = {});

}  // namespace phasebit::guard
