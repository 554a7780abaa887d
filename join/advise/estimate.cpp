#include "join/advise/estimate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace phasebit::join::advise {

namespace {

// Beyond this many steps (a factor of 8) two numbers are as different as any.
constexpr double most_steps = 3;
// Samples that a value is made from, and one with its interval: more cost time, and with fewer the
// interval is wider.
constexpr std::size_t samples_of_value = 80, samples_of_interval = 200;
// A variogram needs this many pairs.
constexpr std::size_t least_pairs = 3;
constexpr double unknown = -1;         // a weight without pairs
constexpr double least_weight = 1e-4;  // 1 %: what a step may always change
// How quickly samples stop to be alike, and the share of the likeness that is a sum over axes.
// Chosen by leaving rows of the published results out (tools/benchmarks/advise.py).
constexpr double likeness_range = 0.6, additive_share = 0.5;
// Two measurements of one thing: the squared 1 % of a figure, of a likeness of 1.
constexpr double noise = 1e-4;
constexpr double share_inside = 0.95;
// Samples whose likenesses are kept: 64 MB.
constexpr std::size_t most_known = 4000;

// Of a symmetric positive matrix, row by row: L with L L^T = it.
class Cholesky {
 public:
  Cholesky(std::vector<double> matrix, std::size_t size) : l_(std::move(matrix)), n_(size) {
    for (std::size_t j = 0; j < n_; ++j) {
      at(j, j) = std::sqrt(std::max(at(j, j) - dot(j, j, j), 1e-12));
      for (std::size_t i = j + 1; i < n_; ++i) at(i, j) = (at(i, j) - dot(i, j, j)) / at(j, j);
    }
  }

  std::vector<double> solve(std::vector<double> x) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= l_[i * n_ + k] * x[k];
      x[i] /= l_[i * n_ + i];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) x[i] -= l_[k * n_ + i] * x[k];
      x[i] /= l_[i * n_ + i];
    }
    return x;
  }

  // Of the inverse, on its diagonal: of the column j of L^-1 the square.
  double inverse_at(std::size_t j) const {
    std::vector<double> column(n_, 0);
    column[j] = 1 / l_[j * n_ + j];
    double square = column[j] * column[j];
    for (std::size_t i = j + 1; i < n_; ++i) {
      const double* row = &l_[i * n_];
      column[i] = -std::inner_product(row + j, row + i, &column[j], 0.0) / row[i];
      square += column[i] * column[i];
    }
    return square;
  }

 private:
  double& at(std::size_t i, std::size_t j) { return l_[i * n_ + j]; }
  double dot(std::size_t i, std::size_t j, std::size_t count) const {
    const double *one = &l_[i * n_], *other = &l_[j * n_];
    return std::inner_product(one, one + count, other, 0.0);
  }

  std::vector<double> l_;
  std::size_t n_;
};

double sum(const std::vector<double>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0);
}

// Sums of these tell places apart.
std::uint64_t hash_of(std::size_t axis, double value) {
  std::uint64_t mixed = std::bit_cast<std::uint64_t>(value + 0.0) ^ (axis * 0x9e3779b97f4a7c15);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;  // splitmix64
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

double product(const std::vector<double>& one, const std::vector<double>& other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

}  // namespace

Estimator::Estimator(std::vector<bool> is_number, std::vector<Sample> samples)
    : is_number_(std::move(is_number)),
      samples_(std::move(samples)),
      weights_(is_number_.size(), unknown) {
  for (std::size_t axis = 0; axis < weights_.size(); ++axis) {
    every_.push_back(axis);
    const bool varies = std::any_of(samples_.begin(), samples_.end(), [&](const Sample& sample) {
      return sample.at[axis] != samples_.front().at[axis];
    });
    if (varies) varied_.push_back(axis);
  }
  weigh_all();
  if (samples_.size() <= most_known) known_.resize(samples_.size() * samples_.size());
}

void Estimator::weigh_all() {
  std::vector<std::uint64_t> hashes(samples_.size(), 0);
  for (std::size_t n = 0; n < samples_.size(); ++n)
    for (const std::size_t axis : varied_) hashes[n] += hash_of(axis, samples_[n].at[axis]);
  double known = 0, count = 0;
  for (const std::size_t axis : varied_) {
    weigh(axis, hashes);
    if (weights_[axis] == unknown) continue;
    known += weights_[axis];
    ++count;
  }
  for (double& weight : weights_) {
    if (weight == unknown && count > 0) weight = known / count;
    weight = std::max(weight, least_weight);
  }
  weight_of_all_ = std::max(sum(weights_), least_weight);
  weight_unvaried_ = weight_of_all_;
  for (const std::size_t axis : varied_) weight_unvaried_ -= weights_[axis];
}

double Estimator::step(std::size_t axis, double one, double other) const {
  if (one == other) return 0;
  if (!is_number_[axis] || one == absent || other == absent) return 1;
  return std::min(most_steps, std::abs(one - other));
}

double Estimator::likeness(const Place& one, const Place& other) const {
  return likeness(one, other, every_, 0);
}

double Estimator::between(std::size_t one, std::size_t other) const {
  const auto like = [&] {
    return likeness(samples_[one].at, samples_[other].at, varied_, weight_unvaried_);
  };
  if (known_.empty()) return like();
  float& known = known_[one * samples_.size() + other];
  if (known == 0) known = static_cast<float>(like());
  return known;
}

// From the samples that differ in this axis alone: those whose `rest` is the same, the hash of all
// axes less that of this one.
void Estimator::weigh(std::size_t axis, const std::vector<std::uint64_t>& hashes) {
  std::unordered_map<std::uint64_t, std::vector<const Sample*>> alike;
  for (std::size_t n = 0; n < samples_.size(); ++n)
    alike[hashes[n] - hash_of(axis, samples_[n].at[axis])].push_back(&samples_[n]);
  double squares = 0;
  std::size_t pairs = 0;
  for (const auto& [rest, group] : alike)
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double steps = step(axis, group[i]->at[axis], group[j]->at[axis]);
        if (steps == 0) continue;
        const double change = std::log(group[i]->value / group[j]->value);
        squares += std::min(1.0, change * change) / steps;
        ++pairs;
      }
  if (pairs >= least_pairs) weights_[axis] = squares / static_cast<double>(pairs);
}

double Estimator::distance(const Place& one, const Place& other) const {
  double all = 0;
  for (std::size_t axis = 0; axis < weights_.size(); ++axis)
    if (one[axis] != other[axis]) all += weights_[axis] * step(axis, one[axis], other[axis]);
  return all;
}

// 1 of a place and itself. A product over axes, by which a change that one axis makes carries over
// to what is near in the others, and a sum over axes, by which it carries over to all.
double Estimator::likeness(const Place& one, const Place& other,
                           const std::vector<std::size_t>& axes, double shared) const {
  double away = 0;
  for (const std::size_t axis : axes) {
    if (one[axis] == other[axis]) {
      shared += weights_[axis];
      continue;
    }
    const double steps = step(axis, one[axis], other[axis]);
    away += weights_[axis] * steps;
    if (is_number_[axis]) shared += weights_[axis] * std::exp(-steps / 2);
  }
  return (1 - additive_share) * std::exp(-away / likeness_range) +
         additive_share * shared / weight_of_all_;
}

std::vector<std::size_t> Estimator::nearest(const Place& at, std::size_t most) const {
  std::vector<std::pair<double, std::size_t>> by_distance(samples_.size());
  for (std::size_t n = 0; n < samples_.size(); ++n)
    by_distance[n] = {distance(samples_[n].at, at), n};
  const std::size_t count = std::min(most, by_distance.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(count),
                    by_distance.end());
  std::vector<std::size_t> near(count);
  for (std::size_t n = 0; n < count; ++n) near[n] = by_distance[n].second;
  return near;
}

// The samples next to a place, and what their likenesses say of it.
struct Estimator::System {
  std::vector<std::size_t> near;
  std::vector<double> logs, to_place;            // of these
  std::vector<double> solved_logs, solved_ones;  // by the likenesses between them
  double mean = 0;
  Cholesky likenesses;

  double value() const {
    double all = mean;
    for (std::size_t n = 0; n < near.size(); ++n)
      all += to_place[n] * (solved_logs[n] - mean * solved_ones[n]);
    return std::exp(all);
  }
  double variance(const std::vector<double>& likeness, double own) const {
    const double short_of_one = 1 - product(likeness, solved_ones);
    return std::max(1e-9, own - product(likeness, likenesses.solve(likeness)) +
                              short_of_one * short_of_one / sum(solved_ones));
  }
  // Of each sample estimated from the others, in its own standard deviations: such that the share
  // of them that must be inside is.
  double deviations() const;
};

// The residuals of all but one follow from the inverse of all (Dubrule, 1983).
double Estimator::System::deviations() const {
  std::vector<double> off(near.size());
  for (std::size_t n = 0; n < near.size(); ++n) {
    const double own =
        likenesses.inverse_at(n) - solved_ones[n] * solved_ones[n] / sum(solved_ones);
    off[n] = std::abs(solved_logs[n] - mean * solved_ones[n]) / std::sqrt(std::max(own, 1e-12));
  }
  const auto place = static_cast<std::ptrdiff_t>(
      std::min(off.size() - 1, static_cast<std::size_t>(share_inside * double(off.size()))));
  std::nth_element(off.begin(), off.begin() + place, off.end());
  return off[static_cast<std::size_t>(place)];
}

Estimator::System Estimator::system(const Place& at, std::size_t most) const {
  const std::vector<std::size_t> near = nearest(at, most);
  const std::size_t n = near.size();
  std::vector<double> matrix(n * n), logs(n), to_place(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Place& own = samples_[near[i]].at;
    logs[i] = std::log(samples_[near[i]].value);
    to_place[i] = likeness(own, at);
    for (std::size_t j = 0; j < i; ++j)
      matrix[i * n + j] = matrix[j * n + i] = between(near[i], near[j]);
    matrix[i * n + i] = 1 + noise;
  }
  Cholesky likenesses(std::move(matrix), n);
  std::vector<double> solved_logs = likenesses.solve(logs),
                      solved_ones = likenesses.solve(std::vector<double>(n, 1));
  const double mean = sum(solved_logs) / sum(solved_ones);
  return {near,
          std::move(logs),
          std::move(to_place),
          std::move(solved_logs),
          std::move(solved_ones),
          mean,
          std::move(likenesses)};
}

double Estimator::value(const Place& at) const {
  return samples_.empty() ? 0 : system(at, samples_of_value).value();
}

Estimate Estimator::estimate(const Place& at) const {
  if (samples_.empty()) return {};
  System known = system(at, samples_of_interval);
  const double value = known.value();
  const double wide =
      std::exp(known.deviations() * std::sqrt(known.variance(known.to_place, 1 + noise)));
  return {value, value / wide, value * wide, std::move(known.near)};
}

}  // namespace phasebit::join::advise
