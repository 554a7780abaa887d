// Tables of single PTX forms: what they cost, and which of them have been measured.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/isa/forms.h"
#include "core/table/table.h"

namespace phasebit {

// One row a distinct piece of code: the first form's text, and how many others become the same.
// Arguments: path, measure, lanes, family (a pattern such as mbarrier.*); rows=levels for one row a
// level of cost (form_levels.h).
Result<Table> forms_table(const ReportData& data, const TableArguments& arguments);

// By family: forms, how many ptxas takes for the device's target, how many have a figure alone and
// loaded, how many were refused. `target` as an argument overrides the results' own.
Result<Table> coverage_table(const ReportData& data, const TableArguments& arguments);

}  // namespace phasebit
