// `sass show`: one kernel with control fields, verbs and template lines.
#pragma once

#include "analysis/sass/gate.h"

#include <string>
#include <string_view>

namespace phasebit {

enum class ListingFormat { text, json };

// One line an instruction: address, control fields, role and verb, hot or cold, instruction,
// template file and line; then a summary. A kernel without a line table is listed without verbs.
// The same as JSON:
// {"entry", "text_hash", "disassembler", "gate": {"verdict", "reason"}, "windows": [...],
// "features": see features_json.h, "instructions": [...]}.
Result<std::string> list_kernel(const Disassembler& disassembler, std::string_view cubin,
                                const GateInput& input, ListingFormat format);

}  // namespace phasebit
