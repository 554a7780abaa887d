// Figures as one JSON object: what a store keeps beside the samples.
#pragma once

#include "core/record/summary.h"

#include <nlohmann/json.hpp>

namespace phasebit::store {

nlohmann::ordered_json json_of(const record::Summary& summary);
// Throws nlohmann::json::exception for what is not of that form.
record::Summary summary_of_json(const nlohmann::ordered_json& value);

}  // namespace phasebit::store
