// What grids read of L2 and of memory: the probe `stream`.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables::probes {

// The arguments are axis=value pairs that rows have, and most=N: of each place, number of SMs and
// mover the N fastest. GB/s is 10^9 bytes a second, from the slope of ns over items; shares are of
// the fastest variant, and of the fastest loads without a ring, on as many SMs from the same place.
// In flight: bytes that an SM's rings, or its threads' loads, have under way at most; Little: what
// they can bring when a tile takes as long as one bulk copy alone. Step::usage when none was
// measured.
Result<table::Table> stream_table(const data::ReportData& data,
                                  const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::probes
