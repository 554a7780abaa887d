// The names a template may use, with their values for one variant. templates/README.md lists them.
#pragma once

#include "gen/probes/plan.h"

#include <nlohmann/json.hpp>

namespace phasebit::render::context {

// An object: every axis by its name, `is.AXIS.VALUE`, the plan's figures, the flags and numbers of
// the components, and the objects `producer` and `consumer` (and `both`) with the names of that
// role's registers. Step::spec when a flag or number cannot be evaluated.
Result<nlohmann::json> make_context(const catalogue::Catalogue& catalogue,
                                    const image::VariantKey& variant, const probes::Plan& plan,
                                    const std::string& entry);

}  // namespace phasebit::render::context
