// Loops as JSON.
#pragma once

#include "analysis/reading/loops.h"

#include <nlohmann/json_fwd.hpp>

namespace phasebit::reading {

// [{"function", "begin", "end", "depth", LINES: CodeLoop::lines, "key_opcodes": {opcode: count},
// "pipelines": {pipeline: count}, "own", "inner": counts}], where LINES is `lines` ("lines",
// "verbs"); key opcodes are without their modifiers.
Result<nlohmann::ordered_json> loops_json(const std::vector<FunctionLoops>& functions, int sm,
                                          const std::string& lines);

}  // namespace phasebit::reading
