// One point: the guarded build once, then the timed build until its median is known well enough.
#pragma once

#include "bench/point/buffers.h"
#include "bench/point/chain.h"
#include "bench/point/launcher.h"
#include "core/launch/verify.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace phasebit::bench::point {

class Meter {
 public:
  Meter(device::Device& device, fs::path bundle)
      : device_(device),
        bundle_(std::move(bundle)),
        launcher_(device),
        guard_(device),
        modules_(device, bundle_) {}

  Result<Measurement> measure(const MeasureRequest& request, const PhaseReport& report);

 private:
  Result<device::Device::Function> function_of(const launch::Image& image,
                                               const MeasureRequest& request);
  BatchRequest batch_of(const MeasureRequest& request, std::vector<std::uint32_t> items) const;
  Result<BatchOutput> run_verified(const MeasureRequest& request, device::Device::Function function,
                                   std::vector<std::uint32_t> items,
                                   launch::ExpectedChecksums& checksums);
  // One guarded launch.
  Status run_guarded(const MeasureRequest& request, const launch::Image& image,
                     device::Device::Function function, std::uint32_t items,
                     launch::ExpectedChecksums& checksums);
  Status run_guarded(const MeasureRequest& request, launch::ExpectedChecksums& checksums);
  // Whole launches, one after the other.
  Result<Measurement> run_workload(const MeasureRequest& request, device::Device::Function function,
                                   launch::ExpectedChecksums& checksums);
  Result<Measurement> measure_external(const MeasureRequest& request, const PhaseReport& report);
  Result<std::uint32_t> find_base(const MeasureRequest& request, device::Device::Function function,
                                  launch::ExpectedChecksums& checksums);
  // After the time was taken: what hardware counts in one more launch of so many items, where the
  // request asks.
  Status add_counters(const MeasureRequest& request, device::Device::Function function,
                      std::uint32_t items, launch::ExpectedChecksums& checksums,
                      Measurement& measurement);
  // What a row says of how it was measured.
  void note_conditions(const MeasureRequest& request, const std::set<std::uint32_t>& sms,
                       const std::vector<results::DeviceState>& states, Measurement& measurement);
  Result<Measurement> run_timed(const MeasureRequest& request, device::Device::Function function,
                                std::uint32_t base, launch::ExpectedChecksums& checksums);

  device::Device& device_;
  fs::path bundle_;
  Launcher launcher_;
  GuardMemory guard_;  // of strangers' kernels
  LoadedModules modules_;
  std::set<std::pair<std::string, int>> guarded_;  // variant, idle warps
  std::map<std::string, std::uint32_t> bases_;     // by variant: the same chain in every repetition
};

// The achieved clock from the longest span that these launches cover, MHz; 0 when the span is too
// short for the timer's tick (less than 200 ticks: an error over 0.5 %). The launches of a cluster
// may run on several SMs, each with its own clock: those that ran where the first did count.
double achieved_megahertz(const launch::LaunchShape& shape,
                          const std::vector<launch::LaunchOutput>& outputs, double timer_tick_ns);

}  // namespace phasebit::bench::point
