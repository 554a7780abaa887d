#include "pipeline/coverage/coverage.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit::cli {

Status run_coverage(const CoverageOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.format));
  PHASEBIT_TRY_ASSIGN(forms, pipeline::coverage::cover_forms(options.request));
  const std::string& target = options.request.target;
  if (options.json)
    fmt::print("{}\n", pipeline::coverage::coverage_json(forms, target));
  else
    fmt::print("{}",
               table::render(options.list ? pipeline::coverage::coverage_list(forms)
                                          : pipeline::coverage::coverage_summary(forms, target),
                             format));
  return {};
}

}  // namespace phasebit::cli
