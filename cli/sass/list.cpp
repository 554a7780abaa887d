#include "pipeline/sass/list.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit::cli {

Status run_sass_list(const SassListOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.json ? "json" : options.format));
  pipeline::sass::SassListRequest request = options;
  if (format == table::TableFormat::csv || format == table::TableFormat::json)
    request.full_names = request.with_images = true;
  PHASEBIT_TRY_ASSIGN(table, pipeline::sass::sass_list(request));
  fmt::print("{}", table::render(table, format));
  return {};
}

}  // namespace phasebit::cli
