// The block of memory that a guarded launch shares with its host (core/image/guard_block.h).
#pragma once

#include "bench/device/device.h"
#include "core/image/guard_sites.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::bench::point {

// Which memory a guarded kernel looks for, and what its numbers stand for.
struct GuardedModule {
  device::Device::Address variable = 0;  // of its module's pb_guard
  const image::GuardTable* table = nullptr;
};

class GuardMemory {
 public:
  explicit GuardMemory(device::Device& device) : device_(device) {}

  // Queues what the next launch needs: a zeroed block for so many CTAs behind `variable`.
  Status prepare(device::Device::Address variable, int ctas, std::uint64_t limit_ns);

  // What the launch has left so far; it need not have ended.
  image::GuardReport report() const;
  std::vector<std::uint32_t> crumbs() const;

 private:
  Status reserve(std::size_t ctas);
  Status set(device::Device::Address address, std::uint64_t value);

  device::Device& device_;
  device::Device::Address block_ = 0;
  device::Device::HostMemory host_;  // the report, the crumbs behind it
  std::size_t ctas_ = 0;             // that both have room for
};

}  // namespace phasebit::bench::point
