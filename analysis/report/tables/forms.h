// Tables of single PTX forms: what they cost, and which of them have been measured.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/isa/forms.h"
#include "core/table/table.h"

namespace phasebit::report::tables {

// One row a distinct piece of code: the first form's text, and how many others become the same.
// Arguments: path, measure, lanes, family (a pattern such as mbarrier.*); rows=levels for one row a
// level of cost (form_levels.h).
Result<table::Table> forms_table(const data::ReportData& data,
                                 const data::TableArguments& arguments);

// By family: forms, how many ptxas takes for the device's target, how many have a figure alone and
// loaded, how many were refused. `target` as an argument overrides the results' own.
Result<table::Table> coverage_table(const data::ReportData& data,
                                    const data::TableArguments& arguments);

}  // namespace phasebit::report::tables
