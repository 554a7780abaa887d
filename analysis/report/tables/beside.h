// Variants beside what they are without one axis: an experiment beside the code it was made on, -O1
// beside the default.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables {

// axis=AXIS (edit, opt_level, maxrregcount, ...), value=VALUE of it, least=PERCENT, variant=ID
// (without the axis), and axis=value pairs that both have (maxrregcount= for none). A row for each
// variant that has the axis, with its verdict against the noise floor. Step::usage when none was
// measured.
Result<table::Table> beside_table(const data::ReportData& data,
                                  const data::TableArguments& arguments);

// "least=5" of a table's arguments, in percent; 0 without one. Step::usage for what is no number.
Result<double> least_percent(const data::TableArguments& arguments);

}  // namespace phasebit::report::tables
