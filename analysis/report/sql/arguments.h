// The arguments of a table: what its query gets as values, and what stands for {where} and the
// like.
#pragma once

#include "analysis/report/data/report_data.h"
#include "analysis/report/sql/table_file.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::report::sql {

struct BoundTable {
  std::string sql;                            // without placeholders
  std::map<std::string, std::string> values;  // of :name
  std::vector<std::string> across;            // TableFile::across, or as an argument says
  std::map<std::string, std::string> blank;   // by title of these: why no row has it, if none has
  std::vector<std::string> of_file;           // "axis=value" of [where] that no argument changed
};

// Step::usage for an argument that the table does not know, an axis or a value that no variant of
// the view `figure` has, with the nearest one; Step::spec for a placeholder that there is not.
//
// Placeholders: {where} is the condition that the axes of
// the arguments have their values, {rows} the columns k1, k2, ... of the table's rows, {keys} their
// names, {titles} "k1 AS title", {order} what sorts them, {key} all of them as one text, {free} the
// axes that these name, for only(); {across} the axis of the argument `across`, {across_title} the
// title of its value, {across_values} its values; {column NAME} the column of the axis that the
// argument NAME names, {title NAME} that name, {as NAME TITLE} a
// title with the argument's value for %. {where_only AXIS} is {where} of these axes alone. -AXIS
// after a word leaves the axis out.
// `g` is the set of GPUs of the view.
Result<BoundTable> bind_arguments(SQLite::Database& sqlite, const TableFile& table,
                                  const data::TableArguments& arguments, std::int64_t g);

}  // namespace phasebit::report::sql
