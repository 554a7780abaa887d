// Results of versions 1 and 2: a line a point with its samples, variants by id alone.
//   {"phasebit_results":1,"devices":1,"runs":1,"points":2}
//   {"type":"device","uuid":...}
//   {"type":"run","id":...}
//   {"type":"point","id":"ring/...",...,"items":[8,16,24,32],"cycles":[[...],[...]],...}
// and where a point has readings (version 2) "readings":[{"name":...,"unit":...,"sums":[[...]]}]. A
// key whose value is the common one (kind point, no A/A control, no flags, no error) is left out.
#pragma once

#include "core/record/record.h"

#include <string>
#include <string_view>

namespace phasebit::store::json {

inline constexpr int newest_old_version = 2;

// Errors as from_json_lines. The variants have no keys.
Result<record::Results> from_old_json_lines(std::string_view text, const std::string& name);

}  // namespace phasebit::store::json
