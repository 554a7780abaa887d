#include "analysis/report/data/arguments.h"

namespace phasebit::report::data {

Status no_arguments(const TableArguments& arguments) {
  if (arguments.empty()) return {};
  return fail(Step::usage, "this table takes no argument '{}'", arguments.front().first);
}

}  // namespace phasebit::report::data
