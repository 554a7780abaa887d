// Does the whole cost what its parts cost? METHOD's closure: predicted, measured, what is open.
#pragma once

#include "analysis/report/tables/probes/probe_tables.h"

namespace phasebit::report::tables::probes {

// A row for each prediction (analysis/report/tables/probes/prediction.h) of a variant that has the
// values of `where`; the notes count what has none.
Result<table::Table> closure_table(const data::Aggregation& all, const AxisValues& where);

}  // namespace phasebit::report::tables::probes
