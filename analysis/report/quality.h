// How good the measurements are: anchors, equal code measured twice, variants without a figure.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit {

// The measurements that show that the set-up is sound.
Result<Table> anchors_table(const ReportData& data, const TableArguments& arguments);
// How far two measurements of the same code differ.
Result<Table> aa_table(const ReportData& data, const TableArguments& arguments);
// Variants without a figure, with the reason.
Result<Table> errors_table(const ReportData& data, const TableArguments& arguments);

}  // namespace phasebit
