// The names a template may use, with their values for one variant. templates/README.md lists them.
#pragma once

#include "gen/kernel.h"
#include "gen/plan.h"

#include <nlohmann/json.hpp>

namespace phasebit {

// An object: every axis by its name, `is.AXIS.VALUE`, `timed` or `guarded`, the plan's figures, and
// the objects `producer` and `consumer` (and `both`) with the names of that role's registers.
nlohmann::json make_context(const VariantKey& variant, const Plan& plan, Build build,
                            const std::string& entry);

}  // namespace phasebit
