// What a repetition changes that must not matter.
#pragma once

#include "bench/device/device.h"
#include "core/image/manifest.h"
#include "core/record/conditions.h"

namespace phasebit::bench::campaign {

// Repetition 0 is `base`. Those behind it change one thing each, in turn: the start offset, the SM,
// the sub-partitions, where the code lies, whether the roles begin on one sub-partition, the start
// offset again. What to depends on the variant's name and the repetition alone, so that a resumed
// run finds its rows. A thing that the launch has no room for stays as it is.
record::Conditions vary(const record::Conditions& base, const image::BundleVariant& variant,
                        int repetition, const device::DeviceInfo& device);

}  // namespace phasebit::bench::campaign
