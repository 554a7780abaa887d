// What was found in the timed window of a kernel, and the verdict on it. The rules:
// core/rule/rule.h.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace phasebit::image {

enum class GateVerdict { passed, failed, ungated };
const std::vector<std::string>& words_of(GateVerdict verdict);

struct GateResult {
  GateVerdict verdict = GateVerdict::ungated;
  // Empty when passed. When failed: verb, expected and found, both lists.
  std::string reason;
};

// Opcodes of one verb of one role in the timed window. "Hot" is the path of an iteration, "cold"
// the retry sites of a wait and whatever stands in loops inside the iteration, "beside" what the
// window holds before and behind the timed loop.
struct VerbCensus {
  std::string verb, role;
  std::map<std::string, int> hot, cold, beside;
};

using Census = std::vector<VerbCensus>;

}  // namespace phasebit::image
