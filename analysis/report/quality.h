// How good the measurements are: anchors, equal code measured twice, variants without a figure.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report {

// The measurements that show that the set-up is sound.
Result<table::Table> anchors_table(const data::ReportData& data,
                                   const data::TableArguments& arguments);
// How far two measurements of the same code differ.
Result<table::Table> aa_table(const data::ReportData& data, const data::TableArguments& arguments);
// Variants without a figure, with the reason.
Result<table::Table> errors_table(const data::ReportData& data,
                                  const data::TableArguments& arguments);

}  // namespace phasebit::report
