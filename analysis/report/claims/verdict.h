// Whether a claim holds, from its rows alone.
#pragma once

#include "analysis/report/claims/claim_rows.h"

#include <string>
#include <vector>

namespace phasebit::report::claims {

enum class CaseState { holds, refutes, ambiguous, no_bound };

struct JudgedCase {
  ClaimCase of;
  CaseState state = CaseState::holds;
  double bound = 0;
  double margin = 0;  // by how much it holds; below 0 it does not
  double floor = 0;   // the larger of the rows' floors and of both intervals together
};

struct Verdict {
  std::vector<JudgedCase> cases;
  size_t holds = 0, refutes = 0, ambiguous = 0;
  size_t used = 0;  // with the ambiguous where the claim counts
  // All hold, or the share of them that the claim asks for. False when none was used.
  bool is_true = false;
};

Verdict judge(const Claim& claim, const ClaimCases& cases);

}  // namespace phasebit::report::claims
