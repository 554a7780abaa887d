// The words of Quality::gate.
#pragma once

namespace phasebit::record {

inline constexpr const char *gate_by_rules_file = "by_rules_file", *no_gate = "none";

}  // namespace phasebit::record
