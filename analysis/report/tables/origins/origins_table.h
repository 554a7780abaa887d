// One ring by every origin: the templates, forks, LLVM, what nvcc makes of other libraries.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables::origins {

// Of the runs that measured a peer and rings of one size (payload_bytes=, default 512; num_stages=,
// default 4), one item a phase, one warp a role: a row for the fastest ring of each origin,
// protocol, mover, roles and scope, and each fork, by origin and cycles. `/ template`: cycles over
// those of the same variant by the templates, of a fork its parent, of a peer the fastest by the
// templates with its roles and the protocol `ours=` (required). Step::usage when there is no peer.
Result<table::Table> origins_table(const data::ReportData& data,
                                   const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::origins
