#include "core/rule/opcodes.h"

#include <fnmatch.h>

namespace phasebit::rule {

bool opcode_matches(const std::string& pattern, const std::string& opcode) {
  return fnmatch(pattern.c_str(), opcode.c_str(), 0) == 0;
}

int count_opcodes(const OpcodeCounts& counts, const std::string& pattern) {
  int sum = 0;
  for (const auto& [opcode, count] : counts) sum += opcode_matches(pattern, opcode) ? count : 0;
  return sum;
}

std::string list_opcodes(const OpcodeCounts& counts) {
  std::string list;
  for (const auto& [opcode, count] : counts)
    list += (list.empty() ? "" : ", ") + opcode + " x" + std::to_string(count);
  return list.empty() ? "none" : list;
}

}  // namespace phasebit::rule
