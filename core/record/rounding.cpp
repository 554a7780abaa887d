#include "core/record/rounding.h"

#include <cmath>

namespace phasebit::record {

namespace {

constexpr double figure_steps = 10000, slope_steps = 1000, cycle_steps = 1, r2_steps = 10000;
constexpr double segment_steps = 100, megahertz_steps = 10;
// From here on a double has no such digits to lose.
constexpr double largest = 1e9;

// `steps` a unit. No -0: it is written with its sign.
double to_steps(double value, double steps) {
  if (!(std::abs(value) < largest)) return value;
  return std::round(value * steps) / steps + 0.0;
}

MedianInterval rounded(const MedianInterval& made) {
  return {{to_steps(made.interval.low, figure_steps), to_steps(made.interval.high, figure_steps)},
          made.reached};
}

}  // namespace

Summary rounded(Summary summary) {
  summary.cycles = to_steps(summary.cycles, figure_steps);
  summary.interval = rounded(summary.interval);
  summary.fit.slope = to_steps(summary.fit.slope, slope_steps);
  summary.fit.intercept = to_steps(summary.fit.intercept, cycle_steps);
  summary.fit.worst_residual = to_steps(summary.fit.worst_residual, cycle_steps);
  summary.fit.r2 = to_steps(summary.fit.r2, r2_steps);
  for (double& mode : summary.modes) mode = to_steps(mode, figure_steps);
  for (ReadingSummary& reading : summary.readings)
    reading = {to_steps(reading.value, figure_steps), rounded(reading.interval)};
  return summary;
}

std::vector<double> rounded_slopes(std::vector<double> slopes) {
  for (double& slope : slopes) slope = to_steps(slope, segment_steps);
  return slopes;
}

double rounded_megahertz(double megahertz) {
  return to_steps(megahertz, megahertz_steps);
}

}  // namespace phasebit::record
