#include "pipeline/sass/matrix.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit::cli {

Status run_sass_matrix(const SassMatrixOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.format));
  if (!options.source.empty() && format != table::TableFormat::text &&
      format != table::TableFormat::json)
    return fail(Step::usage, "--source: source lines are for text and JSON, not for {}",
                options.format);
  pipeline::sass::MatrixRequest request = options;
  request.in_full = format == table::TableFormat::json;
  PHASEBIT_TRY_ASSIGN(matrix, pipeline::sass::sass_matrix(request));
  fmt::print("{}", compare::print_matrix(matrix, format));
  return {};
}

}  // namespace phasebit::cli
