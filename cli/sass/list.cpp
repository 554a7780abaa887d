#include "cli/arguments.h"
#include "cli/commands.h"
#include "pipeline/sass/show.h"

namespace phasebit::cli {

Status run_sass_list(const SassListOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  pipeline::sass::SassListRequest request = options;
  if (format == table::TableFormat::csv || format == table::TableFormat::json)
    request.full_names = request.with_images = request.with_symbols = true;
  return print_table(options, [&] { return pipeline::sass::sass_list(request); });
}

}  // namespace phasebit::cli
