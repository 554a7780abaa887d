// The names that only the protocols between the CTAs of a cluster need.
#pragma once

#include "gen/plan.h"

#include <nlohmann/json.hpp>

namespace phasebit {

// After the names of all protocols.
void add_cluster(nlohmann::json& context, const VariantKey& variant);

}  // namespace phasebit
