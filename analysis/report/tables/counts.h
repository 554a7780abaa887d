// What was measured, where, and how well: the figures of all results together.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

#include <string>
#include <utility>
#include <vector>

namespace phasebit::report::tables {

// Name and text of each, in a fixed order.
std::vector<std::pair<std::string, std::string>> counts_of(const data::ReportData& data);

// The same as a table of one row, and as sentences.
table::Table counts_table(const data::ReportData& data);

}  // namespace phasebit::report::tables
