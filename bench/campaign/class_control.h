// Whether the figures of two members of a class can be those of one code.
#pragma once

#include "core/record/statistics.h"

#include <string>
#include <vector>

namespace phasebit::bench::campaign {

// Measurements of both, under the same conditions. True when all of one side lie apart from all of
// the other by more than either side's own scatter, the intervals, half a cycle and 0.5 %.
bool are_apart(const std::vector<record::Summary>& first,
               const std::vector<record::Summary>& second);

// "ring/a 160.86, 160.85; ring/b 1464594.9, 1464595.1"
std::string in_words(const std::string& first_id, const std::vector<record::Summary>& first,
                     const std::string& second_id, const std::vector<record::Summary>& second);

}  // namespace phasebit::bench::campaign
