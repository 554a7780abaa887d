// Tensor maps in manifests.
#pragma once

#include "core/image/tensor/map.h"

#include <nlohmann/json_fwd.hpp>

namespace phasebit::image::tensor {

void to_json(nlohmann::json& value, const TensorMap& map);
// Throws nlohmann::json::exception for what is missing and for a word that is none.
void from_json(const nlohmann::json& value, TensorMap& map);

}  // namespace phasebit::image::tensor
