// Features as JSON.
#pragma once

#include "analysis/flow/features.h"

#include <nlohmann/json_fwd.hpp>

namespace phasebit::flow {

// {"registers", "predicates", "uniform_registers", "uniform_predicates"}.
nlohmann::ordered_json as_json(const cubin::LiveCounts& live);

// {"instructions", "issue_cycles", "fences", "sleeps", "yields", "yield_flags", "calls",
// "scoreboard_waits", "local_stores", "local_loads", "opcodes": {opcode: count}}.
nlohmann::ordered_json as_json(const CodeCounts& counts);

// {"registers", "static_shared_bytes", "code_bytes", "barriers", "live": live counts or null where
// nobody asked, "spill_bytes": {"stores", "loads"} or null, "occupancy": {"ctas", "warps",
// "max_warps", "limited_by": [...]} or null, "kernel": counts, "loops": [{"role", "problem",
// "address", "hot", "cold", "beside", "live"}], "verbs": [{"role", "verb", "hot", "cold",
// "live"}]}.
nlohmann::ordered_json as_json(const Features& features);

}  // namespace phasebit::flow
