// A table of a query: its rows, as they are shown.
#pragma once

#include "analysis/report/data/report_data.h"
#include "analysis/report/sql/database.h"
#include "analysis/report/sql/table_file.h"
#include "core/base/table.h"

#include <string>
#include <vector>

namespace phasebit::report::sql {

// A column of the query is named "title|how": `figure` is a number that stands for a figure, its
// flags in the row's last column; `noted` one whose flags are notes; a format of digits (".1f",
// "{:+.1f} %") a number; `half` the half width of the column before it, `after` a text after its
// number; no `how` is text, or a whole number. A column "?..." is left out where no row has it. A
// column "_note" is a note, other columns that begin with _ are not shown.
//
// Where the query has a column `across`, the columns before it are the key of a row, its values
// name the columns that the column after it, "|how", is spread over, and the rest of a row's
// columns are merged; a column `_order` sorts the titles. Step::usage for two rows in one cell,
// which are named, and for no row; Step::spec for what SQLite complains of.
//
// `axes` as make_views has them.
Result<base::Table> run_table(ReportDatabase& database, const TableFile& table,
                              const std::string& device, const data::TableArguments& arguments,
                              const std::vector<std::string>& axes);

}  // namespace phasebit::report::sql
