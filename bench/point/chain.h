// Chain lengths: how many items a launch passes through the ring.
#pragma once

#include "core/base/error.h"
#include "core/launch/bundle.h"
#include "core/launch/launch.h"
#include "core/results/record.h"
#include "core/results/statistics.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace phasebit::bench::point {

// Two counts whose launches tell the cost of an item: `first` and four times as many.
std::vector<std::uint32_t> trial_counts(const launch::LaunchShape& shape, std::uint64_t first);

// n of the chain n, 2n, 3n, 4n from the samples of a trial: about 16,000 cycles for n, so that the
// longest launch takes some tens of microseconds and a round a small part of a millisecond. 0 when
// the trial was too short to tell and a longer one is allowed: make one with four times as many.
std::uint32_t chain_base(const launch::LaunchShape& shape, const results::Sample& shorter,
                         const results::Sample& longer);

// `rounds` times n, 2n, 3n, 4n.
std::vector<std::uint32_t> chain_counts(std::uint32_t base, int rounds);

// What is asked of a point, and what it came to.

// The smallest number of rounds whose median has a 95 % interval that is worth its name.
inline constexpr int min_rounds = 7;

// What goes to the worker, which knows the variant by its hash.
struct PointRequest {
  std::string variant_hash;
  results::Conditions placement;
  std::uint32_t seed = 0;
  int max_rounds = 64;
  double max_seconds = 0.25;    // of timed launches; at least the first batch is made
  double timer_tick_ns = 1000;  // of %globaltimer; the coarsest known until it is measured
  double hang_seconds = 5;      // for the end of a guarded launch: less than the watchdog's time
  bool counters = false;        // hardware counters too, after the time was taken
};

struct MeasureRequest : PointRequest {
  const launch::BundleVariant* variant = nullptr;
  std::uint64_t guard_limit_ns = 50'000'000;
};

struct Measurement {
  std::vector<results::Sample> samples;        // rounds of ascending chain length
  std::vector<results::ReadingName> readings;  // of each sample
  std::vector<results::Counter> counters;      // of one more launch
  double megahertz = 0;
  results::Quality quality;
  std::vector<int> sms;             // on which a cluster's roles ran, ascending
  results::DeviceState state;       // median of the batches
  std::uint32_t timer_step_ns = 0;  // smallest step of %globaltimer seen by the anchor of that name
  std::vector<std::string> notes;   // for people; the same ones need be said once
};

// What a point is doing, told before it does it: when the worker hangs, its parent knows in which.
enum class Phase { loading, guarded, timed };
using PhaseReport = std::function<void(Phase)>;

// What the samples say of how well the figures are known.

// Which figures missed the precision.
void note_too_wide(Measurement& measurement, const results::Summary& summary);
// Which figures are not lines, with their segments.
void note_bends(Measurement& measurement);

}  // namespace phasebit::bench::point
