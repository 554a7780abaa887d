// One file of results as several, because no published file is above a megabyte.
#pragma once

#include "core/record/record.h"

#include <vector>

namespace phasebit::store::json {

// At most `count` parts that stand alone: each has all devices, runs and labels, and whole families
// of rows. A family is a variant in all its rows (repetitions, modes, errors), what has the same
// code (A/A controls) and what says that its code is that of one of them. Rows keep their order
// within a part. At least two parts where there are two families and `count` is two or more.
std::vector<record::Results> split_results(const record::Results& results, std::size_t count);

}  // namespace phasebit::store::json
