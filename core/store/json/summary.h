// Figures as one JSON object: what a store keeps beside the samples.
#pragma once

#include "core/record/summary.h"

#include <nlohmann/json.hpp>

namespace phasebit {

nlohmann::ordered_json json_of(const Summary& summary);
// Throws nlohmann::json::exception for what is not of that form.
Summary summary_of_json(const nlohmann::ordered_json& value);

}  // namespace phasebit
