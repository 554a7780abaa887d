// Why there is no figure.
#pragma once

#include "core/record/record.h"

#include <string>

namespace phasebit::report::data {

enum class Missing {
  nothing,  // there is one
  not_measured,
  failed,      // at a step
  ungated,     // no rule covers the code
  not_linear,  // most repetitions are no line
  time_out,    // what was measured is the end of a wait
  unusable,    // `text` says why
};

struct Reason {
  Missing what = Missing::nothing;
  std::string text{};  // for people
  Step step{};         // of Missing::failed and ungated
  bool empty() const { return what == Missing::nothing; }
  bool operator==(const Reason&) const = default;
};

// "gate: the SASS is not the intended one: ..."
Reason reason_of(record::Verdict verdict, const record::PointError& error);
Reason not_measured();
Reason unusable(std::string text);

}  // namespace phasebit::report::data
