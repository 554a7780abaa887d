// What the modes pass found, from the rows of its kind.
#pragma once

#include "core/record/record.h"
#include "core/table/table.h"

#include <string>
#include <vector>

namespace phasebit::report::tables {

// The points are of one GPU. A row a variant, of its newest code: places, fresh processes, the
// modes with their shares, the lowest and the highest figure, and what separates the modes. Places
// that failed are notes.
table::Table modes_table(const std::vector<record::PointRow>& points);

}  // namespace phasebit::report::tables
