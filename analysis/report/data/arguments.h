// The arguments of a table, as every table reads them.
#pragma once

#include "analysis/report/data/report_data.h"

namespace phasebit::report::data {

// Step::usage when there are any.
Status no_arguments(const TableArguments& arguments);

}  // namespace phasebit::report::data
