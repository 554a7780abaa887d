#include "pipeline/explain/explain.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit {

Status run_explain(const ExplainOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(pairs, explain(options));
  if (pairs.empty())
    fmt::print("no step of more than the floor between two versions of ptxas\n");
  else if (!options.steps && format == TableFormat::text)
    fmt::print("{}", explained_text(pairs.front()));
  else
    fmt::print("{}", render(explained_table(pairs), format));
  return {};
}

}  // namespace phasebit
