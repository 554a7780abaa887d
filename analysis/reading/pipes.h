// Which pipelines of an SM the opcodes of some code go to (core/isa/sass_opcodes.toml).
#pragma once

#include <map>
#include <string>

namespace phasebit::reading {

// "tensor 8, lsu 4, alu 2, other 1": how many instructions go where, the most first.
std::string pipe_mix(const std::map<std::string, int>& opcodes, int sm);

// "HGMMA x4, SYNCS x2": the key opcodes without their modifiers, the most first.
std::string key_opcodes(const std::map<std::string, int>& opcodes);

// By pipeline; by key opcode without its modifiers.
std::map<std::string, int> count_pipes(const std::map<std::string, int>& opcodes, int sm);
std::map<std::string, int> count_key_opcodes(const std::map<std::string, int>& opcodes);

}  // namespace phasebit::reading
