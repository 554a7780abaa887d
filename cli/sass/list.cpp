#include "pipeline/sass/list.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit {

Status run_sass_list(const SassListOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table_format(options.json ? "json" : options.format));
  SassListRequest request = options;
  request.in_full = format == TableFormat::csv || format == TableFormat::json;
  PHASEBIT_TRY_ASSIGN(table, sass_list(request));
  fmt::print("{}", render(table, format));
  return {};
}

}  // namespace phasebit
