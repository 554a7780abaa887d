// What the driver's management library tells about the state of a GPU. It is looked for at run
// time; without it the answers are "unknown". Nothing is ever set through it.
#pragma once

#include "core/results/record.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace phasebit::bench::device {

class Nvml {
 public:
  // `uuid` as in "GPU-8a6b...". Null when there is no library or it does not know the GPU.
  static std::unique_ptr<Nvml> open(const std::string& uuid);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::optional<int> compute_processes() const;
  std::optional<std::string> driver_version() const;
  // Reasons for which the clocks are below what they could be, as a bit mask of slow-downs: power
  // cap 0x4, hardware slow-down 0x8, thermal 0x20 and 0x40, power brake 0x80. Idleness and settings
  // are left out.
  std::optional<std::uint64_t> slow_down_reasons() const;
  // Clocks and power at this moment; 0 what it does not know.
  results::DeviceState state() const;

 private:
  struct Impl;
  explicit Nvml(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace phasebit::bench::device
