// The rows of a claim, and which of them it compares.
#pragma once

#include "analysis/report/claims/claim_rows.h"

#include <optional>
#include <utility>
#include <vector>

namespace phasebit::report::claims {

// A row of `a`, and what it is compared with: a row of `b`, or a formula alone.
struct ClaimCase {
  size_t a = 0;
  std::optional<size_t> b;
};

struct LeftOut {
  size_t row = 0;
  std::string why;
};

struct ClaimCases {
  std::vector<ClaimRow> rows;  // all that the selection matches
  std::vector<ClaimCase> cases;
  std::vector<LeftOut> left_out;
};

// Rows without a figure, with a flag that the claim does not accept, or with nothing to compare
// with are left out. Forks, snippets, edits and flags of ptxas are not spoken of unless the
// selection names their axis; nor are devices and versions of ptxas that the claim does not name.
ClaimCases cases_of(const Claim& claim, const std::vector<ClaimRow>& rows, bool every_device);

}  // namespace phasebit::report::claims
