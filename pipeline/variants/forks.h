// Forks and the variants they came from, for the commands that report on them.
#pragma once

#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit {

// One line for each fork whose parent has changed since, or is gone: what, and what to do. Empty
// when all are as recorded.
Result<std::vector<std::string>> drifted_forks(const fs::path& templates,
                                               const Catalogue& catalogue);

}  // namespace phasebit
