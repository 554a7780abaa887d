// The names that the templates of one probe need, or that mean something else there.
#pragma once

#include "gen/probes/plan.h"

#include <nlohmann/json.hpp>

namespace phasebit::render::context {

// Adds to the finished context of a variant (gen/render/context/context.h).
void add_probe_names(nlohmann::json& context, const image::VariantKey& variant,
                     const probes::Plan& plan);

}  // namespace phasebit::render::context
