// Forms that a target does not take, or that nothing runs yet, among the variants of a space.
#pragma once

#include "pipeline/select/space.h"

#include <string>
#include <utility>
#include <vector>

namespace phasebit::pipeline::select {

// Takes them out of the space. Reasons with the number of variants, in the order first met.
Result<std::vector<std::pair<std::string, int>>> leave_out_forms(Space& space,
                                                                 const std::string& target);

}  // namespace phasebit::pipeline::select
