#include "join/sass/matrix.h"

#include "app/commands.h"

#include <cstdio>

namespace phasebit::app {

Status run_sass_matrix(const SassMatrixOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, base::table_format(options.format));
  if (!options.source.empty() && format != base::TableFormat::text &&
      format != base::TableFormat::json)
    return fail(Step::usage, "--source: source lines are for text and JSON, not for {}",
                options.format);
  join::sass::MatrixRequest request = options;
  request.in_full = format == base::TableFormat::json;
  PHASEBIT_TRY_ASSIGN(matrix, join::sass::sass_matrix(request));
  fmt::print("{}", compare::print_matrix(matrix, format));
  return {};
}

}  // namespace phasebit::app
