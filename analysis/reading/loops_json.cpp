#include "analysis/reading/loops_json.h"

#include "analysis/flow/features.h"
#include "analysis/reading/pipes.h"

#include <nlohmann/json.hpp>

namespace phasebit::reading {

Result<nlohmann::ordered_json> loops_json(const std::vector<FunctionLoops>& functions, int sm,
                                          const std::string& lines) {
  auto all = nlohmann::ordered_json::array();
  for (const FunctionLoops& function : functions)
    for (const CodeLoop& loop : function.loops->loops)
      all.push_back({{"function", function.function},
                     {"begin", loop.begin},
                     {"end", loop.end},
                     {"depth", loop.depth},
                     {lines, loop.lines},
                     {"key_opcodes", count_key_opcodes(loop.own.opcodes)},
                     {"pipelines", count_pipes(loop.own.opcodes, sm)},
                     {"own", flow::as_json(loop.own)},
                     {"inner", flow::as_json(loop.inner)}});
  return all;
}

}  // namespace phasebit::reading
