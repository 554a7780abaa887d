// One point: the guarded build once, then the timed build until its median is known well enough.
#pragma once

#include "bench/point/launcher.h"
#include "bench/point/verify.h"
#include "core/image/bundle.h"
#include "core/store/statistics.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace phasebit {

struct MeasureRequest {
  const BundleVariant* variant = nullptr;
  Placement placement;
  std::uint32_t seed = 0;
  int max_rounds = 64;
  double max_seconds = 0.25;    // of timed launches; at least the first batch is made
  double timer_tick_ns = 1000;  // of %globaltimer; the coarsest known until it is measured
  std::uint64_t guard_limit_ns = 50'000'000;
  double hang_seconds = 5;  // for the end of a guarded launch
};

struct Measurement {
  std::vector<Sample> samples;        // rounds of ascending chain length
  std::vector<ReadingName> readings;  // of each sample
  double megahertz = 0;
  std::vector<std::string> flags;
  std::uint32_t timer_step_ns = 0;  // smallest step of %globaltimer seen by the anchor of that name
};

// What a point is doing, told before it does it: when the worker hangs, its parent knows in which.
enum class Phase { loading, guarded, timed };
using PhaseReport = std::function<void(Phase)>;

class Meter {
 public:
  // The smallest number of rounds whose median has a 95 % interval that is worth its name.
  static constexpr int min_rounds = 7;

  Meter(Device& device, fs::path bundle)
      : device_(device), launcher_(device), guard_(device), bundle_(std::move(bundle)) {}

  Result<Measurement> measure(const MeasureRequest& request, const PhaseReport& report);

 private:
  using Outputs = std::vector<LaunchOutput>;
  Result<Device::Function> function_of(const Image& image, const MeasureRequest& request);
  Result<Device::Function> loaded_function(const Image& image, int dynamic_shared_bytes);
  BatchRequest batch_of(const MeasureRequest& request, std::vector<std::uint32_t> items) const;
  Result<Outputs> run_verified(const MeasureRequest& request, Device::Function function,
                               std::vector<std::uint32_t> items, ExpectedFolds& folds);
  // One guarded launch.
  Status run_guarded(const MeasureRequest& request, const Image& image, Device::Function function,
                     std::uint32_t items, ExpectedFolds& folds);
  Status run_guarded(const MeasureRequest& request, ExpectedFolds& folds);
  Result<Measurement> measure_whole(const MeasureRequest& request, const PhaseReport& report);
  Result<std::uint32_t> find_base(const MeasureRequest& request, Device::Function function,
                                  ExpectedFolds& folds);
  Result<Measurement> run_timed(const MeasureRequest& request, Device::Function function,
                                std::uint32_t base, ExpectedFolds& folds);

  Device& device_;
  Launcher launcher_;
  GuardMemory guard_;  // of strangers' kernels
  fs::path bundle_;
  std::map<std::string, Device::Module> modules_;
  std::map<std::tuple<std::string, std::string, int>, Device::Function> functions_;
  std::set<std::pair<std::string, int>> guarded_;  // variant, first_warp
  std::map<std::string, std::uint32_t> bases_;     // by variant: the same chain in every repetition
};

// The achieved clock from the longest span that these launches cover, MHz; 0 when the span is too
// short for the timer's tick (less than 200 ticks: an error over 0.5 %). The launches of a cluster
// may run on several SMs, each with its own clock: those that ran where the first did count.
double achieved_megahertz(const LaunchShape& shape, const std::vector<LaunchOutput>& outputs,
                          double timer_tick_ns);

}  // namespace phasebit
