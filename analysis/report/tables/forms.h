// What single PTX forms cost, and which of them have been measured.
#pragma once

#include "analysis/report/data/difference.h"
#include "analysis/report/data/report_data.h"
#include "core/isa/forms.h"
#include "core/table/table.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit {

// The two sizes of one form on one path, alone and beside busy warps.
struct FormCost {
  std::string form, path, measure, lanes;
  std::string sass_class;   // of the smaller size, alone
  std::string text_hashes;  // of both sizes: equal ones are the same code
  Figure isolated, loaded;  // cycles of one operation; reasons where there are none
  bool has_loaded = false;  // a loaded point was asked for
};

// In the order of the ids; one row a form, path, measure and lanes.
std::vector<FormCost> form_costs(const std::vector<Aggregate>& points);

// One row a distinct piece of code: the first form's text, and how many others become the same.
// Arguments: path, measure, lanes, family (a pattern such as mbarrier.*); rows=levels for one row a
// level of cost (form_levels.h).
Result<Table> forms_table(const ReportData& data, const TableArguments& arguments);

// By family: forms, how many ptxas takes for the device's target, how many have a figure alone and
// loaded, how many were refused. `target` as an argument overrides the results' own.
Result<Table> coverage_table(const ReportData& data, const TableArguments& arguments);

// By form: whether it has a figure, else why not. Forms without any point are not in it.
std::map<std::string, std::string> measured_forms(const std::vector<Aggregate>& points);

}  // namespace phasebit
