// Figures that are made of two rows before they are compared: a loaded cost and an isolated one, a
// block of work beside warps that wait and beside warps that do not.
#pragma once

#include "analysis/report/claims/claim_rows.h"

namespace phasebit::report::claims {

// The rows as the claim wants them: each figure against that of the row which has the values of
// `against` and all else equal. Without `against` the rows as they are. A row without such a
// control has no figure.
std::vector<ClaimRow> against_control(const Claim& claim, const std::vector<ClaimRow>& rows);

}  // namespace phasebit::report::claims
