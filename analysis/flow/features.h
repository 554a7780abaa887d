// What one kernel costs, counted from its code: nothing is measured here.
#pragma once

#include "analysis/flow/occupancy.h"
#include "analysis/flow/window.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::flow {

// Counts over a set of instructions.
struct CodeCounts {
  int instructions = 0;
  // Sum of the stall counts: what one warp needs to issue each of them once, if no scoreboard and
  // no other warp holds it up. A lower bound of the time, not an estimate of it.
  int issue_cycles = 0;
  int fences = 0;            // MEMBAR, FENCE; not the ERRBAR and CCTL next to them
  int sleeps = 0;            // NANOSLEEP
  int yields = 0;            // the instruction YIELD
  int yield_flags = 0;       // instructions whose control field says yield
  int calls = 0;             // CALL of a function; a jump that is written as CALL is none
  int scoreboard_waits = 0;  // instructions that wait for at least one scoreboard
  int local_stores = 0;      // STL: spills, and arrays that registers cannot hold
  int local_loads = 0;       // LDL
  std::map<std::string, int> opcodes;
  // Calls of what was not looked into, with its name: "CALL.ABS.NOINC f". Set by the step that
  // looks.
  std::map<std::string, int> open_calls = {};
};

void add(CodeCounts& counts, const cubin::Instruction& instruction);
void add(CodeCounts& counts, const CodeCounts& more);

// The timed loop of one role, per turn.
struct LoopFeatures {
  std::string role;
  std::string problem;           // why there is no timed loop; "" when there is one
  std::uint32_t address = 0;     // of its first instruction
  CodeCounts hot, cold, beside;  // `beside`: of the window, but not of the loop
  std::optional<cubin::LiveCounts> live =
      {};  // most of each kind in the loop, where the kernel has them
};

// What ptxas said of spills, in bytes a thread; not known of code that others assembled.
struct SpillBytes {
  int stores = 0, loads = 0;
};

// One verb of one role in the timed loop; the verb "" is the probe's own code.
struct VerbFeatures {
  std::string role, verb;
  CodeCounts hot, cold;
  std::optional<cubin::LiveCounts> live = {};  // as of a loop
};

struct Features {
  CodeCounts kernel;  // without the NOPs after the last branch
  std::vector<LoopFeatures> loops;
  std::vector<VerbFeatures> verbs;  // by role, in the order of the code
  int registers = 0;                // a thread; 0: the cubin does not say
  std::uint64_t static_shared_bytes = 0;
  std::size_t code_bytes = 0;                  // of .text, with those NOPs
  int barriers = 0;                            // named barriers
  std::optional<cubin::LiveCounts> live = {};  // most of each kind at one instruction
  // Of what the kernel alone does not say; set by the step that knows.
  std::optional<SpillBytes> spill = {};
  std::optional<Occupancy> occupancy = {};
};

// `windows` after promote_single_sites. Code of two roles (merged by ptxas) counts for both.
Features take_features(const cubin::SassKernel& kernel, const launch::SourceMap& source,
                       const std::vector<RoleWindow>& windows);

// Sets what the kernel alone does not say: ptxas's spills, and the occupancy of a launch where the
// limits of the target's SM are known.
void add_resources(Features& features, const cubin::SassKernel& kernel, const isa::Target& target,
                   const SpillBytes& spill, const CtaShape& shape);

// Instructions without the NOPs that fill the section after the last branch.
std::size_t used_instructions(const cubin::SassKernel& kernel);

// Features as JSON.

// {"registers", "predicates", "uniform_registers", "uniform_predicates"}.
nlohmann::ordered_json as_json(const cubin::LiveCounts& live);

// {"instructions", "issue_cycles", "fences", "sleeps", "yields", "yield_flags", "calls",
// "scoreboard_waits", "local_stores", "local_loads", "opcodes": {opcode: count}}.
nlohmann::ordered_json as_json(const CodeCounts& counts);

// {"registers", "static_shared_bytes", "code_bytes", "barriers", "live": live counts or null where
// not asked for, "spill_bytes": {"stores", "loads"} or null, "occupancy": {"ctas", "warps",
// "max_warps", "limited_by": [...]} or null, "kernel": counts, "loops": [{"role", "problem",
// "address", "hot", "cold", "beside", "live"}], "verbs": [{"role", "verb", "hot", "cold",
// "live"}]}.
nlohmann::ordered_json as_json(const Features& features);

}  // namespace phasebit::flow
