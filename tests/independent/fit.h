// Statistics of one figure. Pure functions; cycles in, cycles out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace independent {

struct Line {
  double slope = 0;           // cycles per item
  double intercept = 0;       // cycles
  double r2 = 0;              // 1 for a perfect line
  double worst_residual = 0;  // largest |measured - fitted|, cycles
};

// Least squares through (x, y); at least two different x.
inline Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const size_t n = x.size();
  double mean_x = 0, mean_y = 0;
  for (size_t i = 0; i < n; ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double sxx = 0, sxy = 0, syy = 0;
  for (size_t i = 0; i < n; ++i) {
    sxx += (x[i] - mean_x) * (x[i] - mean_x);
    sxy += (x[i] - mean_x) * (y[i] - mean_y);
    syy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  Line line;
  line.slope = sxy / sxx;
  line.intercept = mean_y - line.slope * mean_x;
  double squares = 0;
  for (size_t i = 0; i < n; ++i) {
    const double residual = y[i] - (line.intercept + line.slope * x[i]);
    squares += residual * residual;
    line.worst_residual = std::max(line.worst_residual, std::abs(residual));
  }
  line.r2 = syy > 0 ? 1 - squares / syy : 1;
  return line;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Half the 95 % confidence interval of the median, from order statistics.
inline double median_half_width(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const double reach = 0.98 * std::sqrt(n);
  const double low = std::max(0.0, std::floor(n / 2 - reach));
  const double high = std::min(n - 1, std::ceil(n / 2 + reach) - 1);
  return (values[static_cast<size_t>(high)] - values[static_cast<size_t>(low)]) / 2;
}

// Difference of the last and the first segment of a chain, relative to the first.
inline double segment_difference(const std::vector<double>& y) {
  const double first = y[1] - y[0];
  const double last = y[y.size() - 1] - y[y.size() - 2];
  return first != 0 ? (last - first) / first : 0;
}

// A body of U items costs U * item + loop, and slopeU is that over U. So, for U = 4 and 8,
//   item = (8 * slope8 - 4 * slope4) / 4        loop = 8 * (slope4 - slope8)
inline double item_cycles(double slope_small, double slope_large, int small, int large) {
  return (large * slope_large - small * slope_small) / (large - small);
}

inline double loop_cycles(double slope_small, double slope_large, int small, int large) {
  return (slope_small - slope_large) * small * large / (large - small);
}

}  // namespace independent
