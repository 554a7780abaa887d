#include "bench/point/guard_memory.h"

#include <cstddef>
#include <cstring>

namespace phasebit::bench::point {

using image::GuardHeader;
using image::GuardReport;

namespace {

constexpr std::size_t warps_of_cta = 32;

std::size_t crumb_bytes(std::size_t ctas) {
  return ctas * warps_of_cta * sizeof(std::uint32_t);
}

}  // namespace

Status GuardMemory::reserve(std::size_t ctas) {
  if (ctas <= ctas_) return {};
  PHASEBIT_TRY_ASSIGN(block,
                      device_.allocate(sizeof(GuardHeader) + ctas * sizeof(image::GuardCta)));
  PHASEBIT_TRY_ASSIGN(host, device_.allocate_host(sizeof(GuardReport) + crumb_bytes(ctas)));
  block_ = block;
  host_ = host;
  ctas_ = ctas;
  return {};
}

Status GuardMemory::set(device::Device::Address address, std::uint64_t value) {
  PHASEBIT_TRY(device_.fill(address, static_cast<std::uint32_t>(value), 1));
  return device_.fill(address + 4, static_cast<std::uint32_t>(value >> 32), 1);
}

Status GuardMemory::prepare(device::Device::Address variable, int ctas, std::uint64_t limit_ns) {
  PHASEBIT_TRY(reserve(static_cast<std::size_t>(ctas)));
  // No launch is running: the last one has been waited for.
  std::memset(host_.host, 0, sizeof(GuardReport) + crumb_bytes(ctas_));
  const std::size_t bytes =
      sizeof(GuardHeader) + static_cast<std::size_t>(ctas) * sizeof(image::GuardCta);
  PHASEBIT_TRY(device_.fill(block_, 0, bytes / 4));
  PHASEBIT_TRY(set(block_ + offsetof(GuardHeader, limit_ns), limit_ns));
  PHASEBIT_TRY(set(block_ + offsetof(GuardHeader, report), host_.device));
  PHASEBIT_TRY(set(block_ + offsetof(GuardHeader, crumbs), host_.device + sizeof(GuardReport)));
  const auto warps = static_cast<std::uint32_t>(static_cast<std::size_t>(ctas) * warps_of_cta);
  PHASEBIT_TRY(device_.fill(block_ + offsetof(GuardHeader, crumb_warps), warps, 1));
  PHASEBIT_TRY(
      device_.fill(block_ + offsetof(GuardHeader, ctas), static_cast<std::uint32_t>(ctas), 1));
  return set(variable, block_);
}

GuardReport GuardMemory::report() const {
  GuardReport report;
  if (host_.host != nullptr) std::memcpy(&report, host_.host, sizeof report);
  return report;
}

std::vector<std::uint32_t> GuardMemory::crumbs() const {
  std::vector<std::uint32_t> crumbs(ctas_ * warps_of_cta);
  if (host_.host != nullptr)
    std::memcpy(crumbs.data(), static_cast<const std::byte*>(host_.host) + sizeof(GuardReport),
                crumb_bytes(ctas_));
  return crumbs;
}

}  // namespace phasebit::bench::point
