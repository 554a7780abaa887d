// How many CTAs of a kernel an SM holds at once, and what limits them.
#pragma once

#include "analysis/cubin/instruction.h"
#include "core/base/error.h"
#include "core/isa/targets.h"

#include <string>
#include <vector>

namespace phasebit::flow {

// What one CTA takes.
struct CtaNeeds {
  int threads = 0;
  int registers = 0;     // a thread
  int shared_bytes = 0;  // static and dynamic, without what the driver reserves
  int barriers = 0;      // named barriers
};

// How a kernel is launched.
struct CtaShape {
  int threads = 0;
  int dynamic_shared_bytes = 0;
};

// The section of static shared memory has the reserved 1 KiB in it from sm_90 on.
CtaNeeds needs_of(const cubin::SassKernel& kernel, const isa::Target& target,
                  const CtaShape& shape);

struct Occupancy {
  int ctas = 0;                         // of one SM; 0: not one fits
  int warps = 0;                        // resident on it
  int max_warps = 0;                    // that it has room for
  std::vector<std::string> limited_by;  // registers, shared memory, warps, CTAs, barriers
};

// By NVIDIA's own rules: cuda_occupancy.h of the toolkit phasebit was built with, with as much of
// the L1 as can be given to shared memory. Step::usage when the limits of an SM of that target are
// not published (targets.toml), or a CTA takes nothing.
Result<Occupancy> occupancy_of(const isa::Target& target, const CtaNeeds& needs);

}  // namespace phasebit::flow
