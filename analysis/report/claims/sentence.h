// The sentence of a claim with the figures of its rows.
#pragma once

#include "analysis/report/claims/verdict.h"

#include <string>

namespace phasebit::report::claims {

// The words in braces: used, holds, refutes, ambiguous, holds_of_used (count_text), devices; a, b,
// difference, ratio, percent (of b), saved (b - a), saved_percent: from the lowest to the highest
// of the rows used, by model where they differ; `axis.NAME`: the values of an axis; a name of
// `shows`. Step::spec for another word.
Status check_placeholders(const Claim& claim);

// What bounds the rows and is not said: "with `num_stages=2 read=first`", "H200 alone", "3 without
// a figure"; "" where nothing does. Axes with one value in all rows used, which is not the default
// (or is a size), that neither a side nor a limit names and whose value the sentence does not have.
std::string measured_with(const Claim& claim, const ClaimCases& cases, const Verdict& verdict);

// And measured_with in brackets after it.
std::string sentence(const Claim& claim, const ClaimCases& cases, const Verdict& verdict);

// What is distinct on GPUs of one model: "18" where all models have as many, else "18 on H200, 12
// on H100".
std::string count_text(const Verdict& verdict, size_t Counts::* count);

// "12.6", "75", "0.35": "32,397": three digits or more, without zeros at the end.
std::string plain(double value);

}  // namespace phasebit::report::claims
