// What a probe decides of a variant's plan. A probe that is not in the table is planned as a ring.
#pragma once

#include "gen/probes/facts.h"
#include "gen/probes/plan.h"

#include <string>

namespace phasebit::probes {

struct ProbePlanner {
  const char* probe;
  // Warps and roles: fills in launch.threads, launch.slices and the two RolePlans. Shared memory is
  // placed after it.
  Status (*lay_out)(const image::VariantKey& variant, Plan& plan);
  // All else: who is timed, in which unit, readings, and how many items a launch may have. It finds
  // everything else in the plan and may add to the shared memory.
  Status (*finish)(const image::VariantKey& variant, Plan& plan);
};

const ProbePlanner& planner_of(const std::string& probe);

// After `finish`: [plan] of the probe's file.
Status apply_declared(const Figures& figures, const image::VariantKey& variant, Plan& plan);

}  // namespace phasebit::probes
