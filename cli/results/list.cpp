#include "cli/commands.h"

#include <cstdio>

namespace phasebit::cli {

Status run_list(const ListOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(table, pipeline::lists::make_list(options.what, options.request));
  fmt::print("{}", table::render(table, format));
  return {};
}

}  // namespace phasebit::cli
