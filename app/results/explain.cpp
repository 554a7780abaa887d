#include "join/explain/explain.h"

#include "app/arguments.h"
#include "app/commands.h"

#include <cstdio>

namespace phasebit::app {

Status run_explain(const ExplainOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  PHASEBIT_TRY_ASSIGN(pairs, join::explain::explain(options));
  if (pairs.empty())
    fmt::print("no step of more than the floor between two versions of ptxas\n");
  else if (!options.steps && format == base::TableFormat::text)
    fmt::print("{}", join::explain::explained_text(pairs.front()));
  else
    fmt::print("{}", base::render(join::explain::explained_table(pairs), format));
  return {};
}

}  // namespace phasebit::app
