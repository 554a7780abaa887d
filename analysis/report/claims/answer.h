// What a reader asks of one claim, without the list of its rows.
#pragma once

#include "analysis/report/claims/checked_claims.h"

#include <string>

namespace phasebit::report::claims {

// Its sentence and verdict, figures by GPU, what is left out, its control, the three rows that are
// nearest to refuting it, and the command that lists all.
std::string answer(const CheckedClaim& checked);

}  // namespace phasebit::report::claims
