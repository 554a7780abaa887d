// Numbers as text, with the digits that their interval supports.
#pragma once

#include "core/results/record.h"

#include <string>

namespace phasebit::report::data {

// Digits after the point, 0 to 2: as many as the leading digit of the half width has.
int digits_for(double half_width);

// "12.34"
std::string shown(double value, double half_width);

// "12.34 ±0.05"; the half width is rounded up, so that it is never understated.
std::string shown_with_interval(double value, double half_width);

// "0.05 %"
std::string shown_percent(double percent);

// Why there is no figure.

enum class Missing {
  nothing,  // there is one
  not_measured,
  failed,          // at a step
  ungated,         // no rule covers the code
  not_linear,      // most repetitions are no line
  time_out,        // what was measured is the end of a wait
  several_values,  // over the conditions: `text` says which
  not_separable,   // from the loop that it was measured in
  hidden,          // in the time that the loop's branch waits
  unusable,        // `text` says why
};

struct Reason {
  Missing what = Missing::nothing;
  std::string text{};  // for people
  Step step{};         // of Missing::failed and ungated
  bool empty() const { return what == Missing::nothing; }
  bool operator==(const Reason&) const = default;
};

// "gate: the SASS is not the intended one: ..."
Reason reason_of(results::Verdict verdict, const results::PointError& error);
Reason not_measured();
Reason unusable(std::string text);

}  // namespace phasebit::report::data
