// What grids read of L2 and of memory: the probe `stream`.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables::probes {

// The arguments are axis=value pairs that rows have. GB/s is 10^9 bytes a second, from the slope of
// ns over items; share is of the fastest loads without a ring on as many SMs from the same place.
// In flight: bytes that an SM's rings, or its threads' loads,
// have under way at most. Step::usage when none was measured.
Result<table::Table> stream_table(const data::ReportData& data,
                                  const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::probes
