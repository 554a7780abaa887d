// Kernels written down by hand for the SASS tests.
#pragma once

#include "analysis/cubin/instruction.h"
#include "core/launch/source_map.h"

#include <string>
#include <vector>

namespace phasebit::test {

struct Handmade {
  cubin::SassKernel kernel{"k", "", {}};
  launch::SourceMap source;
};

// Lines "role.verb| @P0 OPCODE operands # stall wait_mask"; what comes after # may be missing.
// Every instruction is a statement of its own.
inline Handmade handmade(const std::vector<std::string>& lines) {
  Handmade result;
  for (const std::string& text : lines) {
    cubin::Instruction one;
    one.address = static_cast<std::uint32_t>(cubin::instruction_bytes * result.source.size());
    one.line = static_cast<int>(result.source.size()) + 1;
    const std::size_t bar = text.find("| ");
    std::string prefix = text.substr(0, bar), rest = text.substr(bar + 2);
    if (const std::size_t hash = rest.find(" # "); hash != std::string::npos) {
      const std::string control = rest.substr(hash + 3);
      one.control.stall_cycles = std::stoi(control);
      if (const std::size_t blank = control.find(' '); blank != std::string::npos)
        one.control.wait_mask = std::stoi(control.substr(blank));
      rest.erase(hash);
    }
    if (rest.starts_with('@')) {
      one.predicate = rest.substr(0, rest.find(' '));
      rest.erase(0, rest.find(' ') + 1);
    }
    one.opcode = rest.substr(0, rest.find(' '));
    if (rest.find(' ') != std::string::npos) one.operands = rest.substr(rest.find(' ') + 1);
    const std::size_t dot = prefix.find('.');
    const std::string verb = dot == std::string::npos ? "" : prefix.substr(dot + 1);
    result.source.push_back({verb + ".ptx", 1, verb, prefix.substr(0, dot)});
    result.kernel.instructions.push_back(one);
  }
  return result;
}

}  // namespace phasebit::test
