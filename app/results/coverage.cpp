#include "join/coverage/coverage.h"

#include "app/commands.h"

#include <cstdio>

namespace phasebit::app {

Status run_coverage(const CoverageOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, base::table_format(options.format));
  PHASEBIT_TRY_ASSIGN(forms, join::coverage::cover_forms(options.request));
  const std::string& target = options.request.target;
  if (options.json)
    fmt::print("{}\n", join::coverage::coverage_json(forms, target));
  else
    fmt::print("{}", base::render(options.list ? join::coverage::coverage_list(forms)
                                               : join::coverage::coverage_summary(forms, target),
                                  format));
  return {};
}

}  // namespace phasebit::app
