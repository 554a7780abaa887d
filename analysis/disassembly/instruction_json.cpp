#include "analysis/disassembly/instruction_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phasebit::disassembly {

std::string text_of(const cubin::Instruction& instruction) {
  std::string text = instruction.predicate;
  for (const std::string* part : {&instruction.opcode, &instruction.operands})
    if (!part->empty()) text += (text.empty() ? "" : " ") + *part;
  return text;
}

nlohmann::ordered_json as_json(const cubin::Instruction& instruction) {
  const cubin::Control& control = instruction.control;
  return {{"address", instruction.address},
          {"predicate", instruction.predicate},
          {"opcode", instruction.opcode},
          {"operands", instruction.operands},
          {"word", fmt::format("{:016x}{:016x}", instruction.word.high, instruction.word.low)},
          {"stall_cycles", control.stall_cycles},
          {"yield", control.yield},
          {"write_scoreboard", control.write_scoreboard},
          {"read_scoreboard", control.read_scoreboard},
          {"wait_mask", control.wait_mask},
          {"reuse", control.reuse}};
}

}  // namespace phasebit::disassembly
