// What `nvdisasm -json` prints.
#pragma once

#include "analysis/cubin/instruction.h"
#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::disassembly {

struct DisassembledInstruction {
  std::string predicate, opcode, operands;
  bool control_flow = false;  // it may go elsewhere: where operands may be addresses
  std::string unnamed = {};   // operands before names were put in; empty where none was
};

struct DisassembledFunction {
  std::string name;
  std::uint64_t start = 0, length = 0;  // bytes
  std::vector<DisassembledInstruction> instructions;
};

struct Disassembly {
  std::string producer;  // "nvdisasm V13.5.37 Build cuda_13.5.r13.5/compiler.39125733_0"
  std::vector<DisassembledFunction> functions;
};

// The text is a list of a header and a list of functions. Step::disassemble when it is not, or when
// it holds no producer or no instruction: an empty disassembly is never a result.
Result<Disassembly> parse_nvdisasm_json(std::string_view text);

// One instruction as text and as JSON.

// "@!P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2],RZ"
std::string text_of(const cubin::Instruction& instruction);

// {"address", "predicate", "opcode", "operands", "word", "stall_cycles", "yield",
// "write_scoreboard", "read_scoreboard", "wait_mask", "reuse"}: what the instruction itself says.
nlohmann::ordered_json as_json(const cubin::Instruction& instruction);

// The version of what `phasebit sass ... --json` prints.

// "schema" of each object that a command prints. It goes up when a key is renamed or taken away, or
// means something else; a new key does not change it (docs/sass.md, JSON).
inline constexpr int sass_json_schema = 1;

}  // namespace phasebit::disassembly
