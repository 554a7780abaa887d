// `phasebit sql`: any question of results, read only.
#pragma once

#include "analysis/report/sql/database.h"
#include "core/base/table.h"

#include <functional>
#include <string>
#include <vector>

namespace phasebit::report::sql {

struct SqlQuery {
  std::string text;
  std::string device;  // of `figure`: a set of GPUs (ReportDatabase::gpus); "": each GPU for itself
  // The rows of `claim`, asked for where the query reads it: name, verdict, says, used, refutes.
  std::function<Result<base::Table>()> claims = {};
  std::vector<std::string> axes = {};  // as make_views has them
};

// One SELECT over the views figure, point, device, run and claim (docs/report-tables.md), with the
// functions of tables. Step::usage for an error of SQL, with the line and column where it is, for
// what would write, and for several statements.
Result<base::Table> run_query(ReportDatabase& database, const SqlQuery& query);

}  // namespace phasebit::report::sql
