// The sentence of a claim with the figures of its rows.
#pragma once

#include "analysis/report/claims/verdict.h"

#include <string>

namespace phasebit::report::claims {

// What may be in braces: used, holds, refutes, ambiguous, devices; a, b, difference, ratio,
// percent (of b), saved (b - a), saved_percent: from the lowest to the highest of the rows used;
// `axis.NAME`: the values of an
// axis; a name of `shows`. Step::spec for another word.
Status check_placeholders(const Claim& claim);

std::string sentence(const Claim& claim, const ClaimCases& cases, const Verdict& verdict);

// "12.6", "75", "0.35": "32,397": three digits or more, without zeros at the end.
std::string plain(double value);

}  // namespace phasebit::report::claims
