// A stranger's kernel: its duration by the device's events over the number of items.
#pragma once

#include "bench/point/meter.h"

namespace phasebit {

// Samples hold nanoseconds in the place of cycles. Nothing it writes is looked at: the flags say
// so.
Result<Measurement> measure_whole(Device& device, Device::Function function,
                                  const MeasureRequest& request);

}  // namespace phasebit
