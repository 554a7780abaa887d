// Features as JSON.
#pragma once

#include "analysis/sass/features.h"

#include <nlohmann/json_fwd.hpp>

namespace phasebit {

// {"instructions", "issue_cycles", "fences", "sleeps", "yields", "calls", "scoreboard_waits",
// "opcodes": {opcode: count}}.
nlohmann::ordered_json as_json(const CodeCounts& counts);

// {"registers", "static_shared_bytes", "code_bytes", "kernel": counts, "loops": [{"role",
// "problem", "address", "hot", "cold", "beside"}], "verbs": [{"role", "verb", "hot", "cold"}]}.
nlohmann::ordered_json as_json(const Features& features);

}  // namespace phasebit
