// The names that the templates of one probe need, or that mean something else there.
#pragma once

#include "gen/probes/plan.h"

#include <nlohmann/json.hpp>

namespace phasebit {

// Adds to the finished context of a variant (gen/render/context/context.h).
void add_probe_names(nlohmann::json& context, const VariantKey& variant, const Plan& plan);

}  // namespace phasebit
