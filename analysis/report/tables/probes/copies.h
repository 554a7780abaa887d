// Copies of one SM that wait for nothing but themselves: the probe `issue`.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

#include <map>
#include <string>
#include <utility>

namespace phasebit::report::tables::probes {

// How long one bulk copy alone takes (no tensor copy), from its issue to the wait that sees its
// bytes: by where the data is ("l2", "hbm") and the tile's bytes, ns. Of one warp with one stage.
using CopyLatencies = std::map<std::pair<std::string, std::int64_t>, double>;
CopyLatencies copy_latencies(const data::ReportData& data);

// By place, mover, swizzle and tile: the latency of one copy, and GB/s (10^9 bytes a second) by
// bytes in flight, each at the stages that give as many. The arguments are axis=value pairs that
// rows have. Step::usage when none was measured, or none has that value.
Result<table::Table> copies_table(const data::ReportData& data,
                                  const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::probes
