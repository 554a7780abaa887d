// Statistics as pure functions. All figures of a summary come from the same samples. Calling one
// with no values at all is a bug of the caller.
#pragma once

#include "core/store/record.h"

#include <vector>

namespace phasebit {

double median(std::vector<double> values);

struct Interval {
  double low = 0, high = 0;
  double half_width() const { return (high - low) / 2; }
};

// Distribution-free 95 % confidence interval of the median, from order statistics (binomial). With
// fewer than 6 values no interval reaches 95 %: the whole range is returned and `reached` is false.
struct MedianInterval {
  Interval interval;
  bool reached = false;
};
MedianInterval median_interval(std::vector<double> values);

// A least-squares line through (items, cycles), or (items, a reading). The samples have at least
// two different lengths.
struct Line {
  double slope = 0, intercept = 0, r2 = 0;
  double worst_residual = 0;  // cycles, signed, the one of largest magnitude
};
Line fit_line(const std::vector<Sample>& samples);
Line fit_reading(const std::vector<Sample>& samples, std::size_t reading);

// A reading's median slope over the rounds, like that of the cycles.
struct ReadingSummary {
  double value = 0;
  MedianInterval interval;
};

// Fewer chain lengths give no summary (docs/measuring.md: slope, not bracket).
inline constexpr std::size_t min_chain_lengths = 4;

// Cycles per item of one point. A round is one sample of each chain length; its slope is the slope
// of the line through it. The figure is the median of the rounds' slopes.
struct Summary {
  double cycles = 0;        // median slope
  MedianInterval interval;  // of that median
  Line fit;                 // through all samples
  int rounds = 0;
  // Distinct slopes seen, when they fall into separate groups (see modes()); else one.
  std::vector<double> modes;
  std::vector<ReadingSummary> readings;  // in the order of Sample::readings
};
// Step::store when the samples are not whole rounds of the same ascending chain lengths, or some
// lack a reading that others have.
Result<Summary> summarise(const std::vector<Sample>& samples);

// The rule of docs/measuring.md: both ends of the interval within max(0.5 cycle, 0.5 %) of the
// median. For a reading the 0.5 is of its own unit.
bool precise_enough(double median_cycles, const MedianInterval& interval);
// Of the cycles and of every reading.
bool precise_enough(const Summary& summary);

// Groups of values separated by gaps wider than max(0.5, 1 % of the value below the gap) that hold
// at least a tenth of the values each: their medians, ascending. The median of all when no group
// does.
std::vector<double> modes(std::vector<double> values);

// value at quantile q in 0..1, linear between neighbours.
double quantile(std::vector<double> values, double q);

}  // namespace phasebit
