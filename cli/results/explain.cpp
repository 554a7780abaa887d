#include "pipeline/explain/explain.h"

#include "cli/arguments.h"
#include "cli/commands.h"

#include <cstdio>

namespace phasebit::cli {

Status run_explain(const ExplainOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  PHASEBIT_TRY_ASSIGN(pairs, pipeline::explain::explain(options));
  if (pairs.empty())
    fmt::print("no step of more than the floor between two versions of ptxas\n");
  else if (!options.steps && format == table::TableFormat::text)
    fmt::print("{}", pipeline::explain::explained_text(pairs.front()));
  else
    fmt::print("{}", table::render(pipeline::explain::explained_table(pairs), format));
  return {};
}

}  // namespace phasebit::cli
