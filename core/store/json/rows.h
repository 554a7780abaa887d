// One row as one JSON object, and back.
#pragma once

#include "core/base/json_fields.h"
#include "core/record/record.h"

#include <nlohmann/json.hpp>

namespace phasebit {

nlohmann::ordered_json json_of(const DeviceRow& device);
nlohmann::ordered_json json_of(const RunRow& run);
nlohmann::ordered_json json_of(const PointRow& point);

// Mistakes are in the fields.
DeviceRow device_of(JsonFields& fields);
RunRow run_of(JsonFields& fields);
PointRow point_of(JsonFields& fields);

}  // namespace phasebit
