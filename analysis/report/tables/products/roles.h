// Consumer warpgroups that multiply and do other work: all at once, in turn, in turn and in order.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables::products {

// By warpgroups, columns of the product, other work behind an item and groups in flight:
// multiply-adds a cycle of the fastest ring whose warpgroups share every slot, take slots in turn,
// or do so in order; beside each the share of the same loop in which nobody waits. The arguments
// are axis=value pairs that rows have. Step::usage when none was measured, or none has that value.
Result<table::Table> roles_table(const data::ReportData& data,
                                 const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::products
