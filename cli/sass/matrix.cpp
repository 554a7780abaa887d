#include "pipeline/sass/matrix.h"

#include "cli/commands.h"

#include <cstdio>

namespace phasebit {

Status run_sass_matrix(const SassMatrixOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table_format(options.format));
  MatrixRequest request = options;
  request.in_full = format == TableFormat::json;
  PHASEBIT_TRY_ASSIGN(matrix, sass_matrix(request));
  fmt::print("{}", print_matrix(matrix, format));
  return {};
}

}  // namespace phasebit
