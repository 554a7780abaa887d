// What the samples say of how well the figures are known.
#pragma once

#include "bench/point/measurement.h"

namespace phasebit::bench::point {

// Which figures missed the precision.
void note_too_wide(Measurement& measurement, const record::Summary& summary);
// Which figures are no lines, with their segments.
void note_bends(Measurement& measurement);

}  // namespace phasebit::bench::point
