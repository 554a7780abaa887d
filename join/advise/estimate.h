// What was not measured, estimated from the rows next to it: a weighted mean of their logarithms
// whose weights follow from how much each axis moves the figure (kriging, docs/advise.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::join::advise {

// Where a variant is: a number an axis. Words are numbered, numbers are their log2; `absent` is an
// axis that the variant does not have.
using Place = std::vector<double>;
inline constexpr double absent = -1000;

struct Sample {
  Place at;
  double value = 0;  // above 0
};

struct Estimate {
  double value = 0, low = 0, high = 0;
  std::vector<std::size_t> from;  // samples, the nearest first
};

class Estimator {
 public:
  // `is_number`: of each axis.
  Estimator(std::vector<bool> is_number, std::vector<Sample> samples);

  // The mean square of ln(a / b) over pairs of samples that differ in this axis alone, for a step
  // of one; of an axis without such a pair the mean of the others.
  double weight(std::size_t axis) const { return weights_[axis]; }
  double distance(const Place& one, const Place& other) const;

  // The value alone, which ranks; nothing is known without samples: 0.
  double value(const Place& at) const;
  // With the interval that holds the value of a sample in 19 of 20, where each of the samples next
  // to it is estimated from the others.
  Estimate estimate(const Place& at) const;

 private:
  struct System;
  double step(std::size_t axis, double one, double other) const;
  double likeness(const Place& one, const Place& other) const;
  double likeness(const Place& one, const Place& other, const std::vector<std::size_t>& axes,
                  double shared) const;
  void weigh(std::size_t axis, const std::vector<std::uint64_t>& hashes);
  void weigh_all();
  std::vector<std::size_t> nearest(const Place& at, std::size_t most) const;
  System system(const Place& at, std::size_t most) const;

  std::vector<bool> is_number_;
  std::vector<Sample> samples_;
  std::vector<double> weights_;
  double weight_of_all_ = 0;
  double between(std::size_t one, std::size_t other) const;

  std::vector<std::size_t> every_, varied_;  // axes; those in which two samples differ
  // Likenesses of samples, in a square; 0 where not yet asked for, none of very many samples.
  mutable std::vector<float> known_;
  double weight_unvaried_ = 0;
};

}  // namespace phasebit::join::advise
