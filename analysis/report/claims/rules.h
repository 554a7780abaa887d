// What a sentence adds to its relation: scope, cause and control (docs/claims.md, Rules).
#pragma once

#include "analysis/report/claims/verdict.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::report::claims {

// What `question` includes and `where` excludes: other values of axes, flagged rows, rows that
// `when` leaves out.
struct Outside {
  Verdict verdict;  // its cases are those that refute
  Verdict unsaid;   // of those that no limit names
  // Of the refuting ones among these, by what keeps them out (ClaimLimit::of).
  std::map<std::string, size_t> kept_out_by;
  ClaimCases cases;           // their rows
  size_t evaluated = 0;       // distinct, as the counts of a verdict
  size_t without_figure = 0;  // rows that say nothing
};

// `inside` is cases_of the claim over the same rows.
Outside outside_of(const Claim& claim, const std::vector<ClaimRow>& rows, const ClaimCases& inside,
                   bool every_device);

// Why its sentence says more than the rows do, one text each: more than a tenth of what it leaves
// out refutes it, or rows cannot be separated from their loop, and no limit names that; `question`
// is narrower than `where`.
std::vector<std::string> scope_faults(const Claim& claim, const ClaimCases& inside,
                                      const Outside& outside);

// Why `control` is no experiment that removes the cause; "" where it is. Its sides must differ in
// one axis, in the selections and in each row that is compared.
std::string control_fault(const Claim& claim, const Claim& control, const ClaimCases& compared);

}  // namespace phasebit::report::claims
