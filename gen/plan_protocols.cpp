#include "gen/plan_protocols.h"

#include <algorithm>
#include <array>

namespace phasebit {
namespace {

constexpr std::array protocols = {
    ProtocolTraits{"cluster_launch_control", true, false, 2, 16},
    ProtocolTraits{"cp_async_mbarrier", true, false, 2},
    ProtocolTraits{"flag_acquire_release", true, true, 2},
    ProtocolTraits{"flag_volatile", true, true, 2},
    ProtocolTraits{"mbarrier", true, false, 2},
    ProtocolTraits{"mbarrier_multicast", true, false, 2},
    ProtocolTraits{"mbarrier_tx", true, false, 2},
    ProtocolTraits{"tcgen05_commit", true, false, 2},
};

int arrivals_of_role(const RolePlan& role, const std::string& arrival) {
  if (arrival == "warp") return role.warps;
  if (arrival == "elected") return 1;
  return role.threads;  // every thread, or one arrival that counts for all
}

}  // namespace

const ProtocolTraits& traits_of(const std::string& protocol) {
  static constexpr ProtocolTraits none;
  const auto* known = std::find_if(protocols.begin(), protocols.end(),
                                   [&](const auto& one) { return one.protocol == protocol; });
  return known == protocols.end() ? none : *known;
}

Arrivals arrivals_of(const VariantKey& variant, const Plan& plan) {
  const std::string arrival = variant.value("arrival");
  Arrivals out{arrivals_of_role(plan.producer, arrival), arrivals_of_role(plan.consumer, arrival)};
  // The copies of every thread arrive for themselves.
  if (variant.value("noinc") == "on") out.full = plan.producer.threads;
  if (variant.value("operand") != "state") return out;
  // Who waits by state arrives too.
  out.full += plan.consumer.threads;
  out.empty += plan.producer.threads;
  return out;
}

}  // namespace phasebit
