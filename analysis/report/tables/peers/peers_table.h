// Rings that nvcc made of other libraries beside our own, each at its best.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables::peers {

// Of the runs that measured a peer and of payloads of one size (payload_bytes=, default 128): a row
// for our fastest ring of each protocol, then one for the fastest kernel of each peer's protocol,
// mover, roles and scope; rings that hand over several items at once in rows of their own. Ratios
// are ours over the peer's, of the same roles: that of our protocol `ours=`, default the fastest,
// and that of the fastest; one item a phase beside one, several beside several, and of `ours=` also
// several beside one. Other arguments are axes that our rings have these values of. Step::usage
// when there is no peer.
Result<table::Table> peers_table(const data::ReportData& data,
                                 const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::peers
