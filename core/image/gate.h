// What the timed window of a kernel must and must not contain, and what was found there.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace phasebit {

// Opcodes are matched by shell pattern against the whole SASS opcode with its modifiers:
// "SYNCS.PHASECHK*TRYWAIT", "BAR.SYNC*".
struct OpcodeRule {
  std::string pattern;
  int count = 1;  // on the hot path, per item and role
};

struct VerbRule {
  std::string verb;                 // of SourceLine
  std::string role;                 // producer, consumer, both; "" for any
  std::vector<OpcodeRule> require;  // exactly so many
  std::vector<std::string> forbid;  // none of these, hot or cold
};

// Already narrowed to one variant, SASS family and ptxas version.
struct GateSpec {
  bool known = false;  // false: the family or ptxas is not covered: ungated
  std::string why_unknown;
  // Items of one turn of the timed loop, by role: more than one when the slots are unrolled.
  std::map<std::string, int> items_per_iteration;
  int items_of(const std::string& role) const {
    const auto found = items_per_iteration.find(role);
    return found == items_per_iteration.end() ? 1 : found->second;
  }
  std::vector<VerbRule> verbs;
  // In the window, whatever the verb: local memory, calls.
  std::vector<std::string> forbid_everywhere;
};

enum class GateVerdict { passed, failed, ungated };

struct GateResult {
  GateVerdict verdict = GateVerdict::ungated;
  // Empty when passed. When failed: verb, expected and found, both lists.
  std::string reason;
};

// Opcodes of one verb of one role in the timed window. "Hot" is the path of an iteration, "cold"
// the retry sites of a wait and whatever stands in loops inside the iteration.
struct VerbCensus {
  std::string verb, role;
  std::map<std::string, int> hot, cold;
};

using Census = std::vector<VerbCensus>;

}  // namespace phasebit
