// One row as one JSON object, and back.
#pragma once

#include "core/base/json_fields.h"
#include "core/record/record.h"

#include <nlohmann/json.hpp>

namespace phasebit::store::json {

nlohmann::ordered_json json_of(const record::DeviceRow& device);
nlohmann::ordered_json json_of(const record::RunRow& run);

// Mistakes are in the fields.
record::DeviceRow device_of(base::JsonFields& fields);
record::RunRow run_of(base::JsonFields& fields);

}  // namespace phasebit::store::json
