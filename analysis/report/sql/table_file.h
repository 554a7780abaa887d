// A table of the reports: a query with a head of TOML, NAME.sql (docs/report-tables.md).
#pragma once

#include "core/base/file.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::report::sql {

struct TableArgument {
  std::string name;
  std::string words;        // what a value is, for lists: "BYTES"
  std::string otherwise;    // the value where it is not given
  bool is_needed = false;   // an error where it is not given
  bool is_percent = false;  // a number, 0 or more
  int least = 0;            // a whole number, at least this; 0: no such argument
  bool is_axis = false;     // the name of an axis
  std::string query;        // gives the value where there is none
  std::string values;       // a query of those that it may have; "": any
  std::vector<std::string> one_of;
};

struct TableFile {
  std::string name;  // of the file, without its ending
  std::string file;
  std::string doc;     // a line: what it shows
  std::string legend;  // the first note
  std::string hint;    // of an error where it has no row
  std::string none;    // that error
  std::string probe;   // whose variants have the values of its arguments; "" for any
  std::string runs;    // fill.h, RunKind
  bool all_gpus = false;
  bool may_be_empty = false;
  bool sentences = false;   // the notes say all that the row holds
  bool takes_axes = false;  // any axis=value
  std::vector<TableArgument> arguments;
  // What {rows} and {where} are where no argument says otherwise.
  std::vector<std::string> rows;
  std::vector<std::pair<std::string, std::string>> where;
  // By value of the argument `rows` the table that is made instead.
  std::vector<std::pair<std::string, std::string>> instead;
  // Titles of the columns that the values of the column `across` become, in this order; with
  // `every` those that no row has too.
  std::vector<std::string> across;
  bool every_column = false;
  std::string absent;  // a cell of which the query has nothing
  std::string sql;
  int sql_line = 1;  // of the file, where the query begins

  const TableArgument* argument(const std::string& wanted) const;
  // "most=N axis=value"
  std::string argument_words() const;
};

// Step::spec with file:line.
Result<TableFile> parse_table(std::string_view text, const std::string& file);

// Every NAME.sql of a folder, by name.
Result<std::vector<TableFile>> read_tables(const fs::path& folder);
// That of a name, or of a file NAME.sql. Step::usage with the nearest name.
Result<TableFile> read_table(const fs::path& folder, const std::string& name);

}  // namespace phasebit::report::sql
