#include "app/arguments.h"
#include "app/commands.h"
#include "join/sass/show.h"

namespace phasebit::app {

Status run_sass_list(const SassListOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  join::sass::SassListRequest request = options;
  if (format == base::TableFormat::csv || format == base::TableFormat::json)
    request.full_names = request.with_images = request.with_symbols = true;
  return print_table(options, [&] { return join::sass::sass_list(request); });
}

}  // namespace phasebit::app
