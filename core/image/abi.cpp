#include "core/image/abi.h"

#include "core/isa/barrier_word.h"

#include <fmt/format.h>

namespace phasebit {

namespace {

std::string describe_wait(const StatusRecord& status) {
  static constexpr std::array<const char*, 6> names = {
      "full_barrier", "empty_barrier", "cta_barrier", "cluster_barrier", "full_flag", "empty_flag"};
  const char* name = status.barrier < names.size() ? names[status.barrier] : "unknown barrier";
  const auto kind = static_cast<BarrierKind>(status.barrier);
  if (kind == BarrierKind::full_flag || kind == BarrierKind::empty_flag)
    return fmt::format("waits for {}[{}] = {}, found {},", name, status.slot, status.parity,
                       status.found);
  return fmt::format("waits on {}[{}] parity {}", name, status.slot, status.parity);
}

// No mbarrier's word is 0: even without arrivals its fields hold negative counts.
bool has_word(const StatusRecord& status) {
  const auto kind = static_cast<BarrierKind>(status.barrier);
  return (kind == BarrierKind::full || kind == BarrierKind::empty) && status.found != 0;
}

}  // namespace

std::string describe(const StatusRecord& status, int sm) {
  if (status.code == static_cast<std::uint32_t>(StatusCode::none)) return "no fault";
  if (status.code == static_cast<std::uint32_t>(StatusCode::not_coresident))
    return fmt::format("cta {} waited in vain for the other CTAs of its SM", status.cta);
  if (status.code != static_cast<std::uint32_t>(StatusCode::deadlock))
    return fmt::format("unknown status code {}", status.code);
  const std::string word =
      has_word(status) ? "; " + describe_barrier_word(status.found, sm) : std::string();
  return fmt::format("deadlock: warp {} lane {} {} at item {} (cta {}){}", status.warp, status.lane,
                     describe_wait(status), status.item, status.cta, word);
}

}  // namespace phasebit
