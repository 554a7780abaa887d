#include "cli/arguments.h"
#include "cli/commands.h"

namespace phasebit::cli {

Status run_list(const ListOptions& options) {
  return print_table(options,
                     [&] { return pipeline::lists::make_list(options.what, options.request); });
}

}  // namespace phasebit::cli
