// The names that do not belong to a role: threads, arrivals, shared memory, payload.
#pragma once

#include "core/image/variant_key.h"
#include "gen/plan.h"

#include <nlohmann/json.hpp>

namespace phasebit {

void add_layout(nlohmann::json& context, const VariantKey& variant, const Plan& plan);
void add_payload(nlohmann::json& context, const Plan& plan);

}  // namespace phasebit
