// Why a rule speaks of no code, and what its author may have meant.
#pragma once

#include "analysis/gate/expectation.h"

#include <string>
#include <vector>

namespace phasebit::gate {

// Step::gate, with the nearest name, target or family of what is there.
tl::unexpected<Error> nothing_found(const Expectation& rule,
                                    const std::vector<GateSubject>& subjects, std::size_t matching);

}  // namespace phasebit::gate
