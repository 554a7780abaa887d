// The tables that README and docs show, by name: tables/NAME.sql, asked of a database of results.
#pragma once

#include "analysis/report/sql/database.h"
#include "core/base/table.h"

#include <string>
#include <vector>

namespace phasebit::report {

// What there is to ask for: one line of each table.
struct ReportTable {
  std::string name;
  std::string arguments;  // "rows=AXIS,AXIS probe=PROBE"; "" for none
  std::string doc;
};
// Of a folder of NAME.sql. Step::spec, with file:line, for one that cannot be read.
Result<std::vector<ReportTable>> report_tables(const fs::path& folder);

// What tables are made from.
struct TableSource {
  sql::ReportDatabase& database;
  fs::path folder;         // of NAME.sql
  std::string device;      // see ReportDatabase::gpus; "" as default_device says
  bool published = false;  // the results are the published ones
  fs::path cache = {};     // of other results that a document names
  // That the project declares: a table may name one that no variant of the results has.
  std::vector<std::string> axes = {};
};

// `name` may be a file NAME.sql. Step::usage for an unknown name, argument or value, with the
// nearest one; else as sql::run_table.
Result<base::Table> make_table(const TableSource& source, const std::string& name,
                               const data::TableArguments& arguments);

// One figure: of a variant (variant=ID, field=cycles, interval, half_width, low, high, intercept,
// megahertz, rounds, repetitions, sass_class, or the name of a reading), or of all (field= a column
// of the table `counts`). Step::usage for what is unknown; Step::store when the variant has no
// figure.
Result<std::string> make_figure(const TableSource& source, const data::TableArguments& arguments);

// The answer that comes before a table: from where to where its figures go.

// "**41.00 to 312.00** cycles isolated, **46.7 to 375** loaded; without a figure: 2 of 21 rows.":
// of each column of numbers that has a half width anywhere, in the columns' order. Step::usage when
// there is none.
Result<std::string> range_sentence(const base::Table& table);

}  // namespace phasebit::report
