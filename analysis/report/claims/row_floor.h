// What a figure differs by when nothing that matters has changed: the one place that claims ask.
#pragma once

#include "analysis/report/data/aggregate.h"

#include <map>
#include <string>

namespace phasebit::report::claims {

class RowFloors {
 public:
  explicit RowFloors(const data::Aggregation& aggregation);

  // A/A, cycles: the 95th percentile of the A/A differences of the row's stratum, in cycles or as a
  // share of its figure, whichever is less. A stratum holds figures of 20 and of 8000 cycles, whose
  // differences in cycles say nothing of each other.
  double of(const data::Aggregate& row) const;

 private:
  const data::Aggregation& aggregation_;
  std::map<std::string, double> percent_;  // by stratum; "" for all
};

}  // namespace phasebit::report::claims
