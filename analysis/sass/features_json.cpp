#include "analysis/sass/features_json.h"

#include <nlohmann/json.hpp>

namespace phasebit {

using nlohmann::ordered_json;

ordered_json as_json(const CodeCounts& counts) {
  return {{"instructions", counts.instructions},
          {"issue_cycles", counts.issue_cycles},
          {"fences", counts.fences},
          {"sleeps", counts.sleeps},
          {"yields", counts.yields},
          {"calls", counts.calls},
          {"scoreboard_waits", counts.scoreboard_waits},
          {"opcodes", counts.opcodes}};
}

ordered_json as_json(const Features& features) {
  ordered_json loops = ordered_json::array(), verbs = ordered_json::array();
  for (const LoopFeatures& loop : features.loops)
    loops.push_back({{"role", loop.role},
                     {"problem", loop.problem},
                     {"address", loop.address},
                     {"hot", as_json(loop.hot)},
                     {"cold", as_json(loop.cold)},
                     {"beside", as_json(loop.beside)}});
  for (const VerbFeatures& verb : features.verbs)
    verbs.push_back({{"role", verb.role},
                     {"verb", verb.verb},
                     {"hot", as_json(verb.hot)},
                     {"cold", as_json(verb.cold)}});
  return {{"registers", features.registers},
          {"static_shared_bytes", features.static_shared_bytes},
          {"code_bytes", features.code_bytes},
          {"kernel", as_json(features.kernel)},
          {"loops", loops},
          {"verbs", verbs}};
}

}  // namespace phasebit
