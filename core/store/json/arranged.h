// Results in the order of their file.
#pragma once

#include "core/record/record.h"
#include "core/store/json/same_code_lines.h"

#include <vector>

namespace phasebit::store::json {

// All variants of points are in results.variants, in the order in which they come. All points are
// in `points` and `same_code`; results.points is empty. Both go by run.
struct Arranged {
  record::Results results;
  std::vector<record::PointRow> points;
  std::vector<SameCode> same_code;
};

Arranged arrange(record::Results results);
record::Results expand(Arranged arranged);

}  // namespace phasebit::store::json
