// What a probe decides of a variant's plan. A probe that is not in the table, nor uses one that is,
// is planned as a ring.
#pragma once

#include "gen/kernel/facts.h"
#include "gen/kernel/plan.h"

#include <functional>
#include <string>

namespace phasebit::kernel {

struct ProbePlanner {
  const char* probe;
  // In which units, unless the probe's file says: "cycles per barrier|cycles per item". Of how
  // many an axis says, "cycles per {items_a_phase} items", or the probe, "cycles per {}
  // operations".
  const char* units;
  // Warps and roles: fills in launch.threads, launch.slices and the two RolePlans. Shared memory is
  // placed after it.
  Status (*lay_out)(const launch::VariantKey& variant, Plan& plan);
  // All else: which role is timed, in which unit, readings, and how many items a launch may have.
  // It finds everything else in the plan and may add to the shared memory.
  Status (*finish)(const launch::VariantKey& variant, Plan& plan);
};

// That of the probe, or of the nearest that it uses.
const ProbePlanner& planner_of(const space::Catalogue& catalogue, const std::string& probe);

// The value of an axis of a variant, or nothing.
using ValueOf = std::function<const std::string*(const std::string& axis)>;

// Whether figures of the variant may be in that unit; yes for a probe that the catalogue does not
// have.
bool may_have_unit(const space::Catalogue& catalogue, const std::string& unit,
                   const ValueOf& value_of);

// After `finish`: [plan] of the probe's file.
Status apply_declared(const Figures& figures, const launch::VariantKey& variant, Plan& plan);

}  // namespace phasebit::kernel
