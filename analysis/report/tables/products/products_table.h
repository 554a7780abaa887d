// Rings whose consumers multiply the matrices of a slot, beside the same loop without waits.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables::products {

// By work, product (rows x columns x depth), warp layout, protocol, mover and groups in flight: the
// share of the ceiling by stages, each of the fastest variant. The ceiling is the fastest measured
// variant of the same product and layout whose protocol waits on nothing. The arguments are
// axis=value pairs that rows have. Step::usage when none was measured, or none has that value.
Result<table::Table> products_table(const data::ReportData& data,
                                    const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::products
