// One instruction as text and as JSON.
#pragma once

#include "analysis/cubin/instruction.h"

#include <nlohmann/json_fwd.hpp>

namespace phasebit::disassembly {

// "@!P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2],RZ"
std::string text_of(const cubin::Instruction& instruction);

// {"address", "predicate", "opcode", "operands", "word", "stall_cycles", "yield",
// "write_scoreboard", "read_scoreboard", "wait_mask", "reuse"}: what the instruction itself says.
nlohmann::ordered_json as_json(const cubin::Instruction& instruction);

}  // namespace phasebit::disassembly
