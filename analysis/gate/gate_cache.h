// Outcomes of the gate as they are kept.
#pragma once

#include "analysis/gate/gate.h"

#include <optional>
#include <string>
#include <string_view>

namespace phasebit::gate {

// Of the lines that the code is traced to.
std::string hash_of(const image::SourceMap& source);

// Everything that decides an outcome beside the kernel (its module and entry) and the program: its
// lines (hash_of), its rules, and the disassembler.
std::string gate_key(const std::string& source_hash, const rule::GateSpec& spec,
                     const std::string& nvdisasm_version);

// One line; nothing for a text that is none of these.
std::string outcome_as_text(const GateOutput& output);
std::optional<GateOutput> outcome_from_text(std::string_view text);

}  // namespace phasebit::gate
