// The gate: are the opcodes in the timed window the intended ones?
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/census.h"
#include "core/isa/rule.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::gate {

// Applies a gate to one kernel. `windows` after promote_single_sites. Counts are those of the timed
// loop divided by items_per_iteration; a window that was not found fails the gate with its reason.
// Where the spec is exhaustive, so does synchronisation (core/isa/sass_opcodes.toml) on any
// path of a window that no rule counts.
launch::GateResult apply_gate(const isa::GateSpec& spec,
                              const std::vector<flow::RoleWindow>& windows,
                              const cubin::SassKernel& kernel, const launch::SourceMap& source);

struct GateInput {
  std::string entry;
  const launch::SourceMap* source = nullptr;  // never null
  isa::GateSpec spec;
  bool moves_lines = false;  // of the ptxas that made it (census.h)
};

struct GateOutput {
  launch::GateResult result;
  launch::Census census;
  std::string text_hash;
};

// Gates a kernel that was assembled with `.loc`.
GateOutput gate_kernel(cubin::SassKernel kernel, const GateInput& input);

// Outcomes of the gate as they are kept.

// Of the lines that the code is traced to.
std::string hash_of(const launch::SourceMap& source);

// Everything that decides an outcome apart from the kernel (its module and entry) and the program:
// its lines (hash_of), its rules, and the disassembler.
std::string gate_key(const std::string& source_hash, const isa::GateSpec& spec,
                     const std::string& nvdisasm_version);

// One line; nothing for a text that is none of these.
std::string outcome_as_text(const GateOutput& output);
std::optional<GateOutput> outcome_from_text(std::string_view text);

// Synchronisation in a timed window that no rule counts.

// What is on any path of a window and no rule of its verb counts there, in words: opcodes of
// core/isa/sass_opcodes.toml, calls that were not looked into, and loads in loops that wait for
// what they read. Empty where the spec is not exhaustive.
std::vector<std::string> find_uncounted(const isa::GateSpec& spec,
                                        const std::vector<flow::RoleWindow>& windows,
                                        const cubin::SassKernel& kernel,
                                        const launch::SourceMap& source,
                                        const launch::Census& census);

// "(hot: SYNCS.ARRIVE x1; cold: none)"
std::string both_lists(const launch::VerbCensus& census);
// "consumer", "no role"
std::string_view role_name(const std::string& role);

}  // namespace phasebit::gate
