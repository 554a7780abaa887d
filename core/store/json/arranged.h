// Results in the order of their file.
#pragma once

#include "core/record/record.h"
#include "core/record/same_code.h"

#include <vector>

namespace phasebit {

// All variants of points are in results.variants, in the order in which they come. All points are
// in `points` and `same_code`; results.points is empty. Both go by run.
struct Arranged {
  Results results;
  std::vector<PointRow> points;
  std::vector<SameCode> same_code;
};

Arranged arrange(Results results);
Results expand(Arranged arranged);

}  // namespace phasebit
