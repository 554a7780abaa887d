#include "analysis/flow/features_json.h"

#include <nlohmann/json.hpp>

namespace phasebit::flow {

using nlohmann::ordered_json;

namespace {

ordered_json as_json(const std::optional<SpillBytes>& spill) {
  if (!spill) return nullptr;
  return {{"stores", spill->stores}, {"loads", spill->loads}};
}

ordered_json as_json(const std::optional<Occupancy>& occupancy) {
  if (!occupancy) return nullptr;
  return {{"ctas", occupancy->ctas},
          {"warps", occupancy->warps},
          {"max_warps", occupancy->max_warps},
          {"limited_by", occupancy->limited_by}};
}

ordered_json as_json(const std::optional<cubin::LiveCounts>& live) {
  return live ? flow::as_json(*live) : ordered_json(nullptr);
}

}  // namespace

ordered_json as_json(const cubin::LiveCounts& live) {
  return {{"registers", live.registers},
          {"predicates", live.predicates},
          {"uniform_registers", live.uniform_registers},
          {"uniform_predicates", live.uniform_predicates}};
}

ordered_json as_json(const CodeCounts& counts) {
  return {{"instructions", counts.instructions},
          {"issue_cycles", counts.issue_cycles},
          {"fences", counts.fences},
          {"sleeps", counts.sleeps},
          {"yields", counts.yields},
          {"yield_flags", counts.yield_flags},
          {"calls", counts.calls},
          {"scoreboard_waits", counts.scoreboard_waits},
          {"local_stores", counts.local_stores},
          {"local_loads", counts.local_loads},
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
                     {"beside", as_json(loop.beside)},
                     {"live", as_json(loop.live)}});
  for (const VerbFeatures& verb : features.verbs)
    verbs.push_back({{"role", verb.role},
                     {"verb", verb.verb},
                     {"hot", as_json(verb.hot)},
                     {"cold", as_json(verb.cold)},
                     {"live", as_json(verb.live)}});
  return {{"registers", features.registers},
          {"static_shared_bytes", features.static_shared_bytes},
          {"code_bytes", features.code_bytes},
          {"barriers", features.barriers},
          {"live", as_json(features.live)},
          {"spill_bytes", as_json(features.spill)},
          {"occupancy", as_json(features.occupancy)},
          {"kernel", as_json(features.kernel)},
          {"loops", loops},
          {"verbs", verbs}};
}

}  // namespace phasebit::flow
