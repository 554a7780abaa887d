// What a row's flags say of its figures.
#pragma once

#include "bench/point/measurement.h"

#include <string>

namespace phasebit::bench::point {

// Once.
void add_flag(Measurement& measurement, const std::string& flag);
// Which figures missed the precision.
void flag_too_wide(Measurement& measurement, const record::Summary& summary);
// Which figures are no lines, with their segments.
void flag_not_linear(Measurement& measurement);

}  // namespace phasebit::bench::point
