// The rows of one text of one variant on one GPU, each of its measurements once.
#pragma once

#include "analysis/report/data/missing.h"
#include "core/record/record.h"
#include "core/record/statistics.h"

#include <string>
#include <vector>

namespace phasebit::report::data {

struct Measured {
  const record::PointRow* point;
  record::Summary summary;
};

struct Group {
  std::vector<Measured> measured;
  std::vector<const record::PointRow*> failed;
  const record::PointRow* newest = nullptr;
  Word same_as;
  std::string unusable;  // why a row without an error has no summary
};

// Of the rows of one repetition and place the newest that has samples, else the newest error; a
// wrong payload stays.
Group group_of(const std::vector<const record::PointRow*>& rows);

// Why the group has no figure; empty when it has one.
Reason reason_of(const Group& group);

// The repetitions whose cycles are no line.
struct Bent {
  int repetitions = 0, of = 0;
  record::Bend example;  // the last of them
  bool all_left_out() const { return repetitions > of - repetitions; }
};
// Takes them away, and all the others too when they are most.
Bent leave_out_bent(std::vector<const Measured*>& all);
// "not_linear:10.00,10.02,517.50: not_linear in 4 of 6"
Reason reason_of(const Bent& bent);

}  // namespace phasebit::report::data
