// Samples as compact text, lossless: {"items":[8,16,24,32],"cycles":[[90,170,251,330],[...]]}.
#pragma once

#include "core/store/record.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit {

// The chain lengths stand once when the samples are rounds of the same lengths, the cycles a row a
// round. Other samples are one row, with all of their lengths.
nlohmann::ordered_json samples_to_json(const std::vector<Sample>& samples);

// Throws nlohmann::json::exception when the value has not that form; an Error when rows and lengths
// do not match.
Result<std::vector<Sample>> samples_from_json(const nlohmann::ordered_json& value);

}  // namespace phasebit
