// Rings that bulk copies fill, ours beside those that nvcc made, tile by tile.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables::peers {

// Of the runs that measured a peer whose slots cp.async.bulk fills, and rings of the movers that
// the probe issue was measured with: for each of its tiles a row for 1, 2 and 4 stages, the fastest
// ring of one producer and one consumer warp on either side (one warp that is both counts as that),
// then one for the fastest of any stages, producers and consumers. Every ring reads all words of
// its tiles, one item a phase. `issue` is the fastest that one to four warps of the probe issue
// copied such tiles back to back in the same run. Arguments: payload_bytes=, one tile; others are
// axes that our rings have these values of. Step::usage when there is no such peer.
Result<table::Table> tiles_table(const data::ReportData& data,
                                 const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::peers
