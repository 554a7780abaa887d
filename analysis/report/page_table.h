// A table as a page of a document shows it: few rows, few columns, flags as letters.
#pragma once

#include "core/base/error.h"
#include "core/base/table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace phasebit::report {

struct PageShape {
  std::size_t first = 0;               // rows; 0: all
  std::vector<std::string> hide = {};  // titles of columns, "_" for a blank: "SASS_class"
  std::string command = {};            // prints the whole table
};

// Leaves out columns and rows, and says in a note which command has the rest. Flags become letters,
// long texts of a table that is wider than 120 characters numbers, with a note each. Step::usage
// for a column that the table lacks, with the nearest title.
Result<base::Table> page_table(base::Table table, const PageShape& shape);

}  // namespace phasebit::report
