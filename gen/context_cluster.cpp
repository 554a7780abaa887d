#include "gen/context_cluster.h"

#include "core/image/abi.h"

namespace phasebit {

void add_cluster(nlohmann::json& context, const VariantKey& variant) {
  const std::string protocol = variant.value("protocol");
  if (protocol == "mbarrier_cluster" || protocol == "st_async")
    context["uses_barrier_address"] = true;
  const auto kind = static_cast<std::uint32_t>(BarrierKind::cluster);
  context["whole_cluster"] = {{"barrier_kind", std::to_string(kind)}, {"reported_parity", "0"}};
}

}  // namespace phasebit
