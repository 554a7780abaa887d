// `sass show`: one kernel with control fields, verbs and template lines.
#pragma once

#include "analysis/flow/features.h"
#include "analysis/gate/gate.h"

#include <optional>
#include <string>
#include <string_view>

namespace phasebit {

enum class ListingFormat { text, json };

// What to show, and what is known of the kernel beside its code.
struct ListingRequest {
  ListingFormat format = ListingFormat::text;
  bool live = false;  // registers live at each instruction; one more run of nvdisasm
  std::optional<Target> target = {};  // for the occupancy, with the two below
  SpillBytes spill = {};
  CtaShape shape = {};
};

// One line an instruction: address, control fields, live registers, role and verb, hot or cold,
// instruction, template file and line; then a summary. A kernel without a line table is listed
// without verbs. The same as JSON:
// {"entry", "text_hash", "disassembler", "gate": {"verdict", "reason"}, "windows": [...],
// "features": see features_json.h, "instructions": [...]}; an instruction has "live" where that was
// asked for.
Result<std::string> list_kernel(const Disassembler& disassembler, std::string_view cubin,
                                const GateInput& input, const ListingRequest& request);

}  // namespace phasebit
