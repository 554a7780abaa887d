#include "app/arguments.h"
#include "app/commands.h"

namespace phasebit::app {

Status run_list(const ListOptions& options) {
  return print_table(options,
                     [&] { return join::lists::make_list(options.what, options.request); });
}

}  // namespace phasebit::app
