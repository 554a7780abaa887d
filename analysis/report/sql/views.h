// What a query sees: the views, the columns of axes in them, and a hint for a column that is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::report::sql {

// The column of an axis: its name, or axis_NAME where a table or view has such a column already.
std::string axis_column(const std::string& axis);
std::string sql_name(const std::string& name);  // "name"

// How the value of an axis is kept: whole numbers as numbers.
bool is_whole_number(const std::string& value);

// The columns of a variant but its number, each after a comma; of `axes` those that no variant of
// the results has are NULL.
std::string variant_columns(SQLite::Database& sqlite, const std::vector<std::string>& axes);

// The views that every query has, of one set of GPUs. `axes`: all that the project declares, so
// that a query may name one that no variant of the results has. Throws SQLite::Exception.
void make_views(SQLite::Database& sqlite, std::int64_t g, const std::vector<std::string>& axes);

// The first statement of a text, as SQLite reads it; what it complains of stays in the connection.
struct FirstStatement {
  bool is_there = false, writes = false;
  std::size_t end = 0;  // in the text
};
FirstStatement look_at(SQLite::Database& sqlite, const std::string& text);

// What helps with a complaint of SQLite's; of a column that `figure` lacks, the nearest.
std::string sql_hint(SQLite::Database& sqlite, const std::string& what);

}  // namespace phasebit::report::sql
