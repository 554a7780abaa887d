// A store in manifests.
#pragma once

#include "core/image/stores/store.h"

#include <nlohmann/json_fwd.hpp>

namespace phasebit::image::stores {

void to_json(nlohmann::json& value, const StoreShape& stored);
// Throws nlohmann::json::exception for what is not of that form.
void from_json(const nlohmann::json& value, StoreShape& stored);

}  // namespace phasebit::image::stores
