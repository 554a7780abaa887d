// The answer that stands before a table: from where to where its figures go.
#pragma once

#include "core/table/table.h"

#include <string>

namespace phasebit::report {

// "**41.00 to 312.00** cycles isolated, **46.7 to 375** loaded; without a figure: 2 of 21 rows.":
// of each column of numbers that has a half width anywhere, in the columns' order. Step::usage when
// there is none.
Result<std::string> range_sentence(const table::Table& table);

}  // namespace phasebit::report
