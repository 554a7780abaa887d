// The tables that README and docs show, by name.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

#include <string>
#include <vector>

namespace phasebit::report {

// What there is to ask for: one line of each table.
struct ReportTable {
  std::string name;
  std::string arguments;  // "rows=AXIS,AXIS probe=PROBE"; "" for none
  std::string doc;
};
std::vector<ReportTable> report_tables();
std::vector<std::string> table_names();

// Step::usage for an unknown name, argument or value, with the nearest one.
Result<table::Table> make_table(const data::ReportData& data, const std::string& name,
                                const data::TableArguments& arguments);

// One figure: of a variant (variant=ID, field=cycles, interval, half_width, low, high, intercept,
// megahertz, rounds, repetitions, sass_class, or the name of a reading), or of all (field=variants,
// measured, failed, ungated, repetitions, device, target, driver, ptxas, date, aa_median_cycles,
// aa_median_percent, aa_p95_cycles, aa_p95_percent). Step::usage for what is unknown; Step::store
// when the variant has no figure.
Result<std::string> make_figure(const data::ReportData& data,
                                const data::TableArguments& arguments);

}  // namespace phasebit::report
