// Variants laid out as rows and columns by their axes.
#pragma once

#include "analysis/report/data/aggregate.h"
#include "core/table/table.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::data {

struct PivotRequest {
  std::string probe = "ring";
  std::vector<std::string> rows;  // columns as in VariantAxes::column
  std::string across = "num_stages";
  std::vector<std::string> across_values = {"1", "2", "4", "8"};
  // Axes held at a value, or at one of several: "barrier|try_wait". Those that are neither here nor
  // in rows or across stay at their default.
  std::map<std::string, std::string> where;
  // Operations alone (Aggregation::alone), where the probe has them.
  bool without_loop = false;
  // Columns with the round trip of the same verbs between the same warps, alone and with its loop.
  bool round_trip = false;
  // A column with the SASS class of the variant in this column; "" for none.
  std::string class_of;
};

// A cell is the median over repetitions and the half width of its interval, or why there is none,
// with the whole reason below the table.
// Step::usage where two variants would stand in one cell: an axis in which they differ is neither
// shown nor held at a value.
Result<table::Table> pivot(const Aggregation& all, const PivotRequest& request);

}  // namespace phasebit::report::data
