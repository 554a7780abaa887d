#include "pipeline/coverage/coverage.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit {

Status run_coverage(const CoverageOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table_format(options.format));
  PHASEBIT_TRY_ASSIGN(forms, cover_forms(options.request));
  const std::string& target = options.request.target;
  if (options.json)
    fmt::print("{}\n", coverage_json(forms, target));
  else
    fmt::print("{}", render(options.list ? coverage_list(forms) : coverage_summary(forms, target),
                            format));
  return {};
}

}  // namespace phasebit
