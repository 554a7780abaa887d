// The names that components add: their flags and numbers.
#pragma once

#include "gen/probes/plan.h"

#include <nlohmann/json.hpp>

namespace phasebit::render::context {

// To a finished context (gen/render/context/context.h). What names a figure of one role alone
// (own_threads, own_warps, own_lanes) is known in the objects `producer` and `consumer`, the rest
// everywhere. Step::spec when an expression cannot be evaluated.
Status add_component_names(nlohmann::json& context, const catalogue::Catalogue& catalogue,
                           const image::VariantKey& variant, const probes::Plan& plan);

}  // namespace phasebit::render::context
