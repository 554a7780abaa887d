// The gate: are the opcodes in the timed window the intended ones?
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/census.h"
#include "core/rule/rule.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit {

// Applies a gate to one kernel. `windows` after promote_single_sites. Counts are those of the timed
// loop divided by items_per_iteration; a window that was not found fails the gate with its reason.
// Where the spec is exhaustive, so does synchronisation (core/rule/synchronisation.toml) on any
// path of a window that no rule counts.
GateResult apply_gate(const GateSpec& spec, const std::vector<RoleWindow>& windows,
                      const SassKernel& kernel, const SourceMap& source);

struct GateInput {
  std::string entry;
  const SourceMap* source = nullptr;  // never null
  GateSpec spec;
  bool moves_lines = false;  // of the ptxas that made it (census.h)
};

struct GateOutput {
  GateResult result;
  Census census;
  std::string text_hash;
};

// Gates a kernel that was assembled with `.loc`.
GateOutput gate_kernel(SassKernel kernel, const GateInput& input);

}  // namespace phasebit
