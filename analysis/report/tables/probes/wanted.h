// Tables that show the points which have some values.
#pragma once

#include "analysis/report/data/report_data.h"

#include <vector>

namespace phasebit::report::tables::probes {

// Leaves those that have each axis=value of the arguments. Step::usage for a value that none has,
// with those that there are.
Status keep_wanted(std::vector<const data::Aggregate*>& points,
                   const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::probes
