// What is asked of a point, and what it came to.
#pragma once

#include "core/image/bundle.h"
#include "core/record/conditions.h"
#include "core/record/record.h"
#include "core/record/statistics.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace phasebit::bench::point {

// The smallest number of rounds whose median has a 95 % interval that is worth its name.
inline constexpr int min_rounds = 7;

struct MeasureRequest {
  const image::BundleVariant* variant = nullptr;
  record::Conditions placement;
  std::uint32_t seed = 0;
  int max_rounds = 64;
  double max_seconds = 0.25;    // of timed launches; at least the first batch is made
  double timer_tick_ns = 1000;  // of %globaltimer; the coarsest known until it is measured
  std::uint64_t guard_limit_ns = 50'000'000;
  double hang_seconds = 5;  // for the end of a guarded launch
};

struct Measurement {
  std::vector<record::Sample> samples;        // rounds of ascending chain length
  std::vector<record::ReadingName> readings;  // of each sample
  double megahertz = 0;
  record::Quality quality;
  std::vector<int> sms;             // on which a cluster's roles ran, ascending
  record::DeviceState state;        // median of the batches
  std::uint32_t timer_step_ns = 0;  // smallest step of %globaltimer seen by the anchor of that name
};

// What a point is doing, told before it does it: when the worker hangs, its parent knows in which.
enum class Phase { loading, guarded, timed };
using PhaseReport = std::function<void(Phase)>;

}  // namespace phasebit::bench::point
