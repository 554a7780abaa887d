#include "bench/device/device.h"

#include "core/isa/targets.h"

namespace phasebit::bench::device {

tl::unexpected<Error> refuse_cluster(const DeviceInfo& device, int wanted, int largest) {
  if (!device.launches_clusters)
    return fail(Step::device, "a cluster of {} CTAs: {} ({}) has no clusters", wanted,
                device.row.name, device.row.target);
  if (wanted > largest)
    return fail(Step::device, "a cluster of {} CTAs: {} takes at most {} with this kernel", wanted,
                device.row.name, largest);
  return with_hint(fail(Step::device, "a cluster of {} CTAs: no part of {} has room for it", wanted,
                        device.row.name),
                   "fewer threads or less shared memory, or a GPU without other processes");
}

Status check_target(const std::string& target, const DeviceInfo& device) {
  PHASEBIT_TRY_ASSIGN(parsed, isa::parse_target(target));
  const bool same_major = parsed.sm / 10 == device.sm / 10;
  const bool runs =
      parsed.suffix == "a" ? parsed.sm == device.sm : same_major && parsed.sm <= device.sm;
  if (runs) return {};
  return with_hint(
      fail(Step::device, "the bundle is for {}, but {} is sm_{}", target, device.row.name,
           device.sm),
      fmt::format("pack it for this GPU: `phasebit pack` with an sm_{} target", device.sm));
}

}  // namespace phasebit::bench::device
