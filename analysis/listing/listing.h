// `sass show`: one kernel with control fields, verbs and template lines.
#pragma once

#include "analysis/flow/features.h"
#include "analysis/gate/gate.h"
#include "analysis/reading/notes.h"

#include <optional>
#include <string>
#include <string_view>

namespace phasebit::listing {

enum class ListingFormat { text, json };

// What to show, and what is known of the kernel beside its code.
struct ListingRequest {
  ListingFormat format = ListingFormat::text;
  bool live = false;  // registers live at each instruction; one more run of nvdisasm
  std::optional<isa::Target> target = {};  // for the occupancy, with the two below
  flow::SpillBytes spill = {};
  flow::CtaShape shape = {};
  reading::Excerpt excerpt = {};
  bool waits = false;  // what each wait for a scoreboard is for
  bool flow = false;   // the flow graph for Graphviz in place of the listing
};

// One line an instruction: address, control fields, live registers, role and verb, hot or cold,
// instruction, template file and line; then a summary and a row for each loop, with its verbs. A
// kernel without a line table is listed without verbs. The same as JSON:
// {"schema", "entry", "text_hash", "disassembler", "gate": {"verdict", "reason"}, "windows": [...],
// "loops": see loops_json.h, "features": see features_json.h, "instructions": [...]}; an
// instruction has "live" where that was asked for. Step::usage when the excerpt is nothing.
Result<std::string> list_kernel(const disassembly::Disassembler& disassembler,
                                std::string_view cubin, const gate::GateInput& input,
                                const ListingRequest& request);

}  // namespace phasebit::listing
