#include "bench/point/whole.h"

#include "bench/point/buffers.h"
#include "bench/point/chain.h"

#include <chrono>

namespace phasebit {
namespace {

// Launches shorter than this are mostly start and end, and an event's tick is half a microsecond.
constexpr double least_ns = 50'000;
constexpr std::uint32_t most_items = 1U << 24;

class WholePoint {
 public:
  WholePoint(Device& device, Device::Function function, const WholeLaunch& whole)
      : device_(device), function_(function), whole_(whole), buffers_(device) {}

  Status make_buffers() {
    std::vector<Buffer> buffers;
    for (const WholeParameter& one : whole_.parameters)
      if (one.kind == WholeParameter::Kind::buffer) buffers.push_back(one.buffer);
    return buffers_.make(buffers);
  }

  Result<Sample> run(std::uint32_t items) {
    PHASEBIT_TRY(buffers_.fill());
    PHASEBIT_TRY_ASSIGN(ns,
                        device_.launch_whole(function_, whole_,
                                             parameter_block(whole_, items, buffers_.addresses())));
    return Sample{items, static_cast<std::uint64_t>(ns), {}};
  }

  // The first of a chain n, 2n, 3n, 4n: as long as a launch must be, or as many items as may be.
  Result<std::uint32_t> find_base() {
    std::uint32_t items = 1;
    while (true) {
      PHASEBIT_TRY_ASSIGN(sample, run(items));
      if (static_cast<double>(sample.cycles) >= least_ns || items >= most_items) return items;
      items *= 2;
    }
  }

 private:
  Device& device_;
  Device::Function function_;
  const WholeLaunch& whole_;
  BufferMemory buffers_;
};

}  // namespace

Result<Measurement> measure_whole(Device& device, Device::Function function,
                                  const MeasureRequest& request) {
  using Clock = std::chrono::steady_clock;
  WholePoint point(device, function, *request.variant->whole);
  PHASEBIT_TRY(point.make_buffers());
  PHASEBIT_TRY_ASSIGN(base, point.find_base());
  Measurement measurement;
  measurement.flags = {"gate_none", "outputs_not_verified"};
  const auto start = Clock::now();
  for (int round = 0; round < request.max_rounds; ++round) {
    for (const std::uint32_t items : chain_counts(base, 1)) {
      PHASEBIT_TRY_ASSIGN(sample, point.run(items));
      measurement.samples.push_back(sample);
    }
    if (round + 1 < Meter::min_rounds) continue;
    PHASEBIT_TRY_ASSIGN(summary, summarise(measurement.samples));
    if (precise_enough(summary)) return measurement;
    if (std::chrono::duration<double>(Clock::now() - start).count() > request.max_seconds) break;
  }
  measurement.flags.emplace_back(too_wide_flag);
  return measurement;
}

}  // namespace phasebit
