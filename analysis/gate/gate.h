// The gate: are the opcodes in the timed window the intended ones?
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/census.h"
#include "core/rule/rule.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::gate {

// Applies a gate to one kernel. `windows` after promote_single_sites. Counts are those of the timed
// loop divided by items_per_iteration; a window that was not found fails the gate with its reason.
// Where the spec is exhaustive, so does synchronisation (core/rule/synchronisation.toml) on any
// path of a window that no rule counts.
image::GateResult apply_gate(const rule::GateSpec& spec,
                             const std::vector<flow::RoleWindow>& windows,
                             const cubin::SassKernel& kernel, const image::SourceMap& source);

struct GateInput {
  std::string entry;
  const image::SourceMap* source = nullptr;  // never null
  rule::GateSpec spec;
  bool moves_lines = false;  // of the ptxas that made it (census.h)
};

struct GateOutput {
  image::GateResult result;
  image::Census census;
  std::string text_hash;
};

// Gates a kernel that was assembled with `.loc`.
GateOutput gate_kernel(cubin::SassKernel kernel, const GateInput& input);

}  // namespace phasebit::gate
