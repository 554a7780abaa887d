#include "core/image/abi.h"

#include <fmt/format.h>

namespace phasebit {

std::string describe(const StatusRecord& status) {
  if (status.code == static_cast<std::uint32_t>(StatusCode::none)) return "no fault";
  if (status.code == static_cast<std::uint32_t>(StatusCode::not_coresident))
    return fmt::format("cta {} waited in vain for the other CTAs of its SM", status.cta);
  if (status.code != static_cast<std::uint32_t>(StatusCode::deadlock))
    return fmt::format("unknown status code {}", status.code);
  static constexpr std::array<const char*, 4> names = {"full_barrier", "empty_barrier",
                                                       "cta_barrier", "cluster_barrier"};
  const char* barrier = status.barrier < names.size() ? names[status.barrier] : "unknown barrier";
  return fmt::format("deadlock: warp {} lane {} waits on {}[{}] parity {} at item {} (cta {})",
                     status.warp, status.lane, barrier, status.slot, status.parity, status.item,
                     status.cta);
}

}  // namespace phasebit
