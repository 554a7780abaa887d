// Results as JSON lines: what is committed. Lossless; the order is fixed, so that the same results
// always give the same bytes.
//   {"phasebit_results":1,"devices":1,"runs":1,"points":2}
//   {"type":"device","uuid":...}
//   {"type":"run","id":...}
//   {"type":"point","id":"ring/...",...,"items":[8,16,24,32],"cycles":[[...],[...]],...}
// and where a point has readings "readings":[{"name":...,"unit":...,"sums":[[...],[...]]}]. The
// header says 2 where one has, else 1, so that programs that know none read all the others. A key
// whose value is the common one (kind point, no A/A control, no flags, no error) is left out.
#pragma once

#include "core/store/record.h"

#include <string>
#include <string_view>

namespace phasebit {

inline constexpr int json_lines_version = 2;

// Devices by UUID, runs by their start and id, points by run and, within it, as they are. Every
// point has its run among them (a store sees to it).
Results in_file_order(Results results);

// Bytes that are not UTF-8 are replaced.
std::string to_json_lines(const Results& results);

// Step::store with file:line: no JSON, a newer version, a key missing or unknown, a wrong value, a
// device or run that was not declared before, fewer or more lines than the header counts.
Result<Results> from_json_lines(std::string_view text, const std::string& name);

}  // namespace phasebit
