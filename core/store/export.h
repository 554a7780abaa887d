// Results in another program's form. A point whose code was measured under another variant's name
// has that figure, of the same repetition; one without a figure has the reason.
#pragma once

#include "core/record/record.h"

#include <string>

namespace phasebit::store {

// The form that Google Benchmark's --benchmark_format=json has, times in cycles (time_unit "cycles"
// is ours; its compare.py takes it as it is).
std::string to_google_benchmark_json(const record::Results& results);

}  // namespace phasebit::store
