// What was made by hand beside what it was made from: forks and snippets against their parents.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables {

// One row each: both figures, of the same runs, their difference, the A/A floor of the parent's
// stratum (probe/protocol), and the verdict: "faster" or "slower" when the difference is beyond the
// floor and beyond both intervals together, else "AMBIGUOUS". Arguments: parent=ID or tuned=NAME
// keep those alone. Step::usage when there is none.
Result<table::Table> tuned_table(const data::ReportData& data,
                                 const data::TableArguments& arguments);

}  // namespace phasebit::report::tables
