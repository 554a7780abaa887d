#include "bench/point/chain.h"

#include "core/results/statistics.h"

#include <algorithm>

namespace phasebit::bench::point {

using launch::allowed_items;
using launch::LaunchShape;

namespace {

constexpr double base_cycles = 16384;
// A grid that reads memory: long enough that start and end of its CTAs are a small part.
constexpr double base_ns_of_grid = 500'000;
// Shorter launches are mostly start and end.
constexpr double least_trial_cycles = 8192;
// An item that costs nothing (the empty anchor) would ask for an endless chain.
constexpr double most_items = 1 << 16;

}  // namespace

std::vector<std::uint32_t> trial_counts(const LaunchShape& shape, std::uint64_t first) {
  const std::uint32_t shorter = allowed_items(shape, first);
  return {shorter, 4 * shorter};
}

std::uint32_t chain_base(const LaunchShape& shape, const results::Sample& shorter,
                         const results::Sample& longer) {
  const bool longest = static_cast<double>(longer.items) >= most_items ||
                       allowed_items(shape, std::uint64_t{shorter.items} + 1) <= shorter.items;
  if (static_cast<double>(longer.cycles) < least_trial_cycles && !longest) return 0;
  const double difference =
      static_cast<double>(longer.cycles) - static_cast<double>(shorter.cycles);
  // A disturbed trial may tell nonsense; a quarter of the whole launch bounds it from below, or a
  // chain might take seconds.
  const double floor = static_cast<double>(longer.cycles) / longer.items / 4;
  const double cycles_per_item = std::max(difference / (longer.items - shorter.items), floor);
  const double base = shape.sms > 0 ? base_ns_of_grid : base_cycles;
  const double wanted = cycles_per_item > 0 ? base / cycles_per_item : most_items;
  return allowed_items(shape, static_cast<std::uint64_t>(std::min(wanted, most_items)));
}

std::vector<std::uint32_t> chain_counts(std::uint32_t base, int rounds) {
  std::vector<std::uint32_t> counts;
  for (int round = 0; round < rounds; ++round)
    for (std::uint32_t n = 1; n <= 4; ++n) counts.push_back(n * base);
  return counts;
}

void note_too_wide(Measurement& measurement, const results::Summary& summary) {
  std::vector<std::string>& too_wide = measurement.quality.too_wide;
  if (summary.rounds < min_rounds || !results::precise_enough(summary.cycles, summary.interval))
    too_wide.emplace_back();
  for (std::size_t n = 0; n < summary.readings.size(); ++n)
    if (!results::precise_enough(summary.readings[n].value, summary.readings[n].interval))
      too_wide.push_back(measurement.readings[n].name);
}

void note_bends(Measurement& measurement) {
  const auto note = [&](const std::string& reading, const Result<results::Segments>& segments) {
    if (segments && !results::is_linear(*segments))
      measurement.quality.bends.push_back({reading, results::rounded_slopes(segments->slopes)});
  };
  note("", results::segments_of(measurement.samples));
  for (std::size_t n = 0; n < measurement.readings.size(); ++n)
    note(measurement.readings[n].name, results::segments_of(measurement.samples, n));
}

}  // namespace phasebit::bench::point
