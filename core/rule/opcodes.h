// Counts of SASS opcodes, and shell patterns against them. A pattern is matched against the whole
// opcode with its modifiers: "SYNCS.PHASECHK*TRYWAIT*", "BAR.SYNC*".
#pragma once

#include <map>
#include <string>

namespace phasebit::rule {

using OpcodeCounts = std::map<std::string, int>;

bool opcode_matches(const std::string& pattern, const std::string& opcode);

// All opcodes of a pattern together.
int count_opcodes(const OpcodeCounts& counts, const std::string& pattern);

// "SYNCS.PHASECHK.TRANS64.TRYWAIT x1, BRA x2", or "none".
std::string list_opcodes(const OpcodeCounts& counts);

}  // namespace phasebit::rule
