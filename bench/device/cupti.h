// CUPTI's range profiler: the hardware counters of one launch. It is looked for when counters are
// asked for, as the driver is; nothing is linked with it.
#pragma once

#include "bench/device/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cuda.h>

namespace phasebit::bench::device {

class Cupti {
 public:
  // `library` as in DeviceRequest. Step::device where there is no CUPTI of CUDA 12.6 or newer, and
  // for all that its calls say: the user may not read counters, the GPU is virtual, the driver old.
  static Result<std::unique_ptr<Cupti>> open(const fs::path& library, CUcontext context,
                                             int ordinal);
  ~Cupti();
  Cupti(const Cupti&) = delete;
  Cupti& operator=(const Cupti&) = delete;

  // As Device::count. The profiler is on within this call alone, and only what goes through
  // launched() is counted.
  Result<Counted> count(CountedOver over, const std::function<Status()>& pass);
  bool in_pass() const { return in_pass_; }
  // Makes the launch of a pass, between two waits for the stream.
  Status launched(const std::function<Status()>& launch, const std::function<Status()>& wait);

 private:
  struct Metrics;
  Cupti() = default;
  template <typename Params>
  Status call(const char* name, Params& params) const;
  Result<std::unique_ptr<Metrics>> make_metrics(CountedOver over) const;
  Status configure(Metrics& metrics) const;
  Result<std::vector<std::uint8_t>> switch_on(Metrics& metrics);
  Status run_passes(const std::function<Status()>& pass);
  Result<std::vector<double>> values_of(Metrics& metrics,
                                        const std::vector<std::uint8_t>& data) const;

  void* library_ = nullptr;
  std::string name_;  // of the library
  CUcontext context_ = nullptr;
  std::string chip_;
  std::vector<std::uint8_t> available_;  // which counters are
  void* profiler_ = nullptr;             // while it is on
  bool in_pass_ = false;
  std::unique_ptr<Metrics> all_sms_, busiest_sm_;  // made when they are first asked for
};

}  // namespace phasebit::bench::device
