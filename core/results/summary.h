// The figures of one point, as statistics.h makes them from its samples.
#pragma once

#include <vector>

namespace phasebit::results {

struct Interval {
  double low = 0, high = 0;
  double half_width() const { return (high - low) / 2; }
  bool operator==(const Interval&) const = default;
};

// Distribution-free 95 % confidence interval of the median, from order statistics (binomial). With
// fewer than 6 values no interval reaches 95 %: the whole range is returned and `reached` is false.
struct MedianInterval {
  Interval interval;
  bool reached = false;
  bool operator==(const MedianInterval&) const = default;
};

// A least-squares line through (items, cycles), or (items, a reading).
struct Line {
  double slope = 0, intercept = 0, r2 = 0;
  double worst_residual = 0;  // cycles, signed, the one of largest magnitude
  bool operator==(const Line&) const = default;
};

// A reading's median slope over the rounds, like that of the cycles.
struct ReadingSummary {
  double value = 0;
  MedianInterval interval;
  bool operator==(const ReadingSummary&) const = default;
};

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
  bool operator==(const Summary&) const = default;
};

}  // namespace phasebit::results
