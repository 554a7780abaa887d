// What is kept of a figure: more digits than any interval resolves, and not one for the last bit of
// a division, which only fills files. Rounding what is rounded changes nothing.
#pragma once

#include "core/record/summary.h"

#include <vector>

namespace phasebit::record {

// Figures, readings, modes and intervals to 0.0001; of the line through all samples the slope to
// 0.001, intercept and residual to a cycle, r2 to 0.0001.
Summary rounded(Summary summary);

// Of segments that are no line: to 0.01.
std::vector<double> rounded_slopes(std::vector<double> slopes);

// To 0.1 MHz.
double rounded_megahertz(double megahertz);

}  // namespace phasebit::record
