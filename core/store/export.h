// Results for other programs: summaries, without the samples.
#pragma once

#include "core/record/record.h"

#include <string>

namespace phasebit::store {

// One row a point: kind, id, unit, cycles, ends of the interval of the median, line through all
// samples, achieved clock, verdict, conditions and quality (the fields of record::PointRow), error,
// where it ran, readings, and a column `axis.NAME` for each axis that some variant has. A point
// whose code was measured under another variant's name has that figure, of the same repetition, and
// `same_as` says whose it is; one without a figure has its reason in `error`.
std::string to_csv(const record::Results& results);

// The form that Google Benchmark's --benchmark_format=json has, times in cycles (time_unit "cycles"
// is ours; its compare.py takes it as it is).
std::string to_google_benchmark_json(const record::Results& results);

}  // namespace phasebit::store
