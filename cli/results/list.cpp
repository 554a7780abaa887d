#include "cli/commands.h"

#include <cstdio>

namespace phasebit {

Status run_list(const ListOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(table, make_list(options.what, options.request));
  fmt::print("{}", render(table, format));
  return {};
}

}  // namespace phasebit
