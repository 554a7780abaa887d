// What a repetition changed.
#pragma once

#include "core/record/record.h"

#include <string>

namespace phasebit::record {

// What the row changed against the first repetition of its point: "start offset", "SM",
// "sub-partition", "roles on one sub-partition", "padding"; "seed" when only the payload is
// another. Several are joined by "+".
std::string factor_of(const PointRow& row, const PointRow& first);

}  // namespace phasebit::record
