// Operations alone: what their probes measure in a loop, with the loop subtracted.
#pragma once

#include "analysis/report/data/aggregate.h"

#include <vector>

namespace phasebit::report::data {

// Probes whose axis `unroll` is an item so many times in the loop's body have slopes c4 and c8,
// cycles an item: each is the item and a 4th or an 8th of the loop. (8 c8 - 4 c4) / 4 is the item
// alone. The half width is what both can add up to, (8 h8 + 4 h4) / 4, and so is the spread.
// Without a value where one of them has none. Each stands under the id of the variant whose loop
// holds one item; sorted by id. Single forms have tables of their own.
std::vector<Aggregate> without_loop(const std::vector<Aggregate>& points);

// Whether the loop of the variant holds an item several times, for that difference alone.
bool is_unrolled_item(const VariantAxes& axes);

}  // namespace phasebit::report::data
