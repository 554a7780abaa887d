// The rows of one text of one variant on one GPU, each of its measurements once.
#pragma once

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
  std::string same_as, unusable;
};

// Of the rows of one repetition and place the newest that has samples, else the newest error; a
// wrong payload stays.
Group group_of(const std::vector<const record::PointRow*>& rows);

// Why the group has no figure; "" when it has one.
std::string reason_of(const Group& group);

// Takes away the repetitions whose cycles are no line, all when those are most of them. Says so:
// "not_linear in 1 of 6", with the segments of one when none is left; "" when all are lines.
std::string leave_out_bent(std::vector<const Measured*>& all);

}  // namespace phasebit::report::data
