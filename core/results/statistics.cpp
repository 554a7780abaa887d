#include "core/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/ranges.h>

namespace phasebit::results {

namespace {

double median_of_sorted(const double* values, size_t count) {
  const size_t half = count / 2;
  return count % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// The largest k for which P(B <= k - 1) <= 2.5 % with B binomial(n, 1/2): the interval from the
// k-th smallest to the k-th largest value then covers the median with at least 95 %. 0 when there
// is none.
size_t interval_rank(size_t n) {
  // Through logarithms: 2^-n underflows from n = 1075 on.
  const double log_all = static_cast<double>(n) * std::log(2.0);
  double tail = 0;
  size_t k = 0;
  for (; k < n; ++k) {
    const double log_choose = std::lgamma(static_cast<double>(n) + 1) -
                              std::lgamma(static_cast<double>(k) + 1) -
                              std::lgamma(static_cast<double>(n - k) + 1);
    tail += std::exp(log_choose - log_all);
    if (tail > 0.025) break;
  }
  return k;
}

// Number of chain lengths when the samples are whole rounds of the same ascending lengths.
Result<size_t> chain_lengths(const std::vector<Sample>& samples) {
  size_t lengths = samples.empty() ? 0 : 1;
  while (lengths > 0 && lengths < samples.size() &&
         samples[lengths].items > samples[lengths - 1].items)
    ++lengths;
  if (lengths < min_chain_lengths)
    return fail(Step::store, "a slope needs at least {} chain lengths a round, not {}",
                min_chain_lengths, lengths);
  for (size_t i = lengths; i < samples.size(); ++i)
    if (samples[i].items != samples[i % lengths].items)
      return fail(Step::store, "sample {} has {} items where round 1 has {}", i + 1,
                  samples[i].items, samples[i % lengths].items);
  if (samples.size() % lengths != 0)
    return fail(Step::store, "the last round has {} of {} samples", samples.size() % lengths,
                lengths);
  for (const Sample& sample : samples)
    if (sample.readings.size() != samples.front().readings.size())
      return fail(Step::store, "a sample has {} readings where the first has {}",
                  sample.readings.size(), samples.front().readings.size());
  return lengths;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) bug("median of nothing");
  std::sort(values.begin(), values.end());
  return median_of_sorted(values.data(), values.size());
}

DeviceState median_state(const std::vector<DeviceState>& states) {
  DeviceState middle;
  for (int DeviceState::* field :
       {&DeviceState::sm_megahertz, &DeviceState::memory_megahertz, &DeviceState::watts}) {
    std::vector<double> known;
    for (const DeviceState& state : states)
      if (state.*field > 0) known.push_back(state.*field);
    if (!known.empty()) middle.*field = static_cast<int>(median(known) + 0.5);
  }
  return middle;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) bug("quantile of nothing");
  std::sort(values.begin(), values.end());
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

MedianInterval median_interval(std::vector<double> values) {
  if (values.empty()) bug("interval of nothing");
  std::sort(values.begin(), values.end());
  const size_t rank = interval_rank(values.size());
  if (rank == 0) return {{values.front(), values.back()}, false};
  return {{values[rank - 1], values[values.size() - rank]}, true};
}

namespace {

template <typename Value>
Line fit(const std::vector<Sample>& samples, const Value& value_of) {
  if (samples.empty()) bug("line through nothing");
  const auto n = static_cast<double>(samples.size());
  double mean_x = 0, mean_y = 0;
  for (const Sample& sample : samples) {
    mean_x += sample.items / n;
    mean_y += value_of(sample) / n;
  }
  double xx = 0, xy = 0, yy = 0;
  for (const Sample& sample : samples) {
    const double x = sample.items - mean_x, y = value_of(sample) - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (xx == 0) bug("line through samples of one length");
  Line line;
  line.slope = xy / xx;
  line.intercept = mean_y - line.slope * mean_x;
  double squares = 0;
  for (const Sample& sample : samples) {
    const double residual = value_of(sample) - (line.intercept + line.slope * sample.items);
    squares += residual * residual;
    if (std::abs(residual) > std::abs(line.worst_residual)) line.worst_residual = residual;
  }
  // Samples that are all equal lie on their line.
  line.r2 = yy == 0 ? 1 : 1 - squares / yy;
  return line;
}

using Round = std::vector<Sample>;

std::vector<Round> rounds_of(const std::vector<Sample>& samples, size_t lengths) {
  std::vector<Round> rounds;
  for (size_t at = 0; at < samples.size(); at += lengths)
    rounds.emplace_back(samples.begin() + static_cast<std::ptrdiff_t>(at),
                        samples.begin() + static_cast<std::ptrdiff_t>(at + lengths));
  return rounds;
}

ReadingSummary summarise_reading(const std::vector<Round>& rounds, size_t reading) {
  std::vector<double> slopes;
  slopes.reserve(rounds.size());
  for (const Round& round : rounds) slopes.push_back(fit_reading(round, reading).slope);
  return {median(slopes), median_interval(slopes)};
}

}  // namespace

Line fit_line(const std::vector<Sample>& samples) {
  return fit(samples, [](const Sample& sample) { return static_cast<double>(sample.cycles); });
}

Line fit_reading(const std::vector<Sample>& samples, size_t reading) {
  return fit(samples, [reading](const Sample& sample) {
    return static_cast<double>(sample.readings[reading]);
  });
}

namespace {

Result<Summary> summarise_launches(const std::vector<Sample>& samples) {
  std::vector<double> durations;
  for (const Sample& sample : samples) {
    if (sample.items != 0 || !sample.readings.empty())
      return fail(Step::store, "a sample of {} items and {} readings among whole launches",
                  sample.items, sample.readings.size());
    durations.push_back(static_cast<double>(sample.cycles));
  }
  Summary summary;
  summary.cycles = median(durations);
  summary.interval = median_interval(durations);
  summary.fit = {summary.cycles, 0, 1, 0};
  summary.rounds = static_cast<int>(durations.size());
  summary.modes = modes(std::move(durations));
  return summary;
}

}  // namespace

Result<Summary> summarise(const std::vector<Sample>& samples) {
  if (!samples.empty() && samples.front().items == 0) return summarise_launches(samples);
  PHASEBIT_TRY_ASSIGN(lengths, chain_lengths(samples));
  const std::vector<Round> rounds = rounds_of(samples, lengths);
  std::vector<double> slopes;
  slopes.reserve(rounds.size());
  for (const Round& round : rounds) slopes.push_back(fit_line(round).slope);
  Summary summary;
  summary.cycles = median(slopes);
  summary.interval = median_interval(slopes);
  summary.fit = fit_line(samples);
  summary.rounds = static_cast<int>(slopes.size());
  summary.modes = modes(std::move(slopes));
  for (size_t n = 0; n < samples.front().readings.size(); ++n)
    summary.readings.push_back(summarise_reading(rounds, n));
  return summary;
}

Result<Segments> segments_of(const std::vector<Sample>& samples,
                             std::optional<std::size_t> reading) {
  PHASEBIT_TRY_ASSIGN(lengths, chain_lengths(samples));
  const auto value = [&](const Sample& sample) {
    return static_cast<double>(reading ? sample.readings[*reading] : sample.cycles);
  };
  std::vector<std::vector<double>> slopes(lengths - 1);
  std::vector<double> changes;
  for (const Round& round : rounds_of(samples, lengths)) {
    for (size_t n = 1; n < lengths; ++n)
      slopes[n - 1].push_back((value(round[n]) - value(round[n - 1])) /
                              (round[n].items - round[n - 1].items));
    changes.push_back(slopes.back().back() - slopes.front().back());
  }
  Segments segments;
  for (std::vector<double>& one : slopes) segments.slopes.push_back(median(std::move(one)));
  segments.change = segments.slopes.back() - segments.slopes.front();
  segments.interval = median_interval(std::move(changes));
  constexpr double counts = 4;  // two clock reads of each segment
  segments.resolution = counts / (samples[1].items - samples[0].items);
  return segments;
}

bool is_linear(const Segments& segments) {
  constexpr double most = 0.01;
  double largest = 0;
  for (const double slope : segments.slopes) largest = std::max(largest, std::abs(slope));
  const double limit = std::max(most * largest, segments.resolution);
  return std::abs(segments.change) <= limit ||
         (segments.interval.interval.low <= limit && segments.interval.interval.high >= -limit);
}

Result<Summary> summary_of(const PointRow& point) {
  if (point.summary) return *point.summary;
  PHASEBIT_TRY_ASSIGN(made, summarise(point.samples));
  return rounded(std::move(made));
}

void add_summary(PointRow& point) {
  if (point.summary || point.samples.empty()) return;
  if (auto made = summarise(point.samples)) point.summary = rounded(std::move(*made));
}

bool precise_enough(double median_cycles, const MedianInterval& interval) {
  const double limit = std::max(0.5, 0.005 * std::abs(median_cycles));
  return interval.reached && median_cycles - interval.interval.low <= limit &&
         interval.interval.high - median_cycles <= limit;
}

bool precise_enough(const Summary& summary) {
  return precise_enough(summary.cycles, summary.interval) &&
         std::all_of(summary.readings.begin(), summary.readings.end(),
                     [](const ReadingSummary& reading) {
                       return precise_enough(reading.value, reading.interval);
                     });
}

std::vector<double> modes(std::vector<double> values) {
  if (values.empty()) bug("modes of nothing");
  std::sort(values.begin(), values.end());
  std::vector<double> medians;
  size_t first = 0;
  for (size_t i = 1; i <= values.size(); ++i) {
    const bool ends = i == values.size() ||
                      values[i] - values[i - 1] > std::max(0.5, 0.01 * std::abs(values[i - 1]));
    if (!ends) continue;
    if (10 * (i - first) >= values.size())
      medians.push_back(median_of_sorted(values.data() + first, i - first));
    first = i;
  }
  if (medians.empty()) medians.push_back(median_of_sorted(values.data(), values.size()));
  return medians;
}

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

// Abramowitz and Stegun, 26.7.3 and 26.7.4: finite sums for whole degrees of freedom.
double student_p(double t, std::size_t degrees) {
  const double angle = std::atan(std::abs(t) / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle), square = cosine * cosine;
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (std::size_t n = odd ? 3 : 2; n <= degrees; n += 2) {
    sum += term;
    const auto factor = static_cast<double>(n);
    term *= square * (factor - 1) / factor;
  }
  const double inside =
      odd ? 2 / std::acos(-1.0) * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return std::clamp(1 - inside, 0.0, 1.0);
}

std::vector<double> holm(const std::vector<double>& ps) {
  std::vector<size_t> order(ps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ps[a] < ps[b]; });
  std::vector<double> corrected(ps.size());
  double least = 0;
  for (size_t n = 0; n < order.size(); ++n) {
    least = std::max(least, std::min(1.0, static_cast<double>(ps.size() - n) * ps[order[n]]));
    corrected[order[n]] = least;
  }
  return corrected;
}

std::string factor_of(const PointRow& row, const PointRow& first) {
  const Conditions &own = row.conditions, &base = first.conditions;
  std::vector<std::string_view> changed;
  if (own.start_offset != base.start_offset) changed.emplace_back("start offset");
  if (own.sm != base.sm || row.sms != first.sms) changed.emplace_back("SM");
  if (own.first_warp != base.first_warp) changed.emplace_back("sub-partition");
  if (own.gap_after != base.gap_after || own.gap_warps != base.gap_warps)
    changed.emplace_back("roles on one sub-partition");
  if (own.padding != base.padding) changed.emplace_back("padding");
  return changed.empty() ? "seed" : fmt::format("{}", fmt::join(changed, "+"));
}

}  // namespace phasebit::results
