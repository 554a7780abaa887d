// The CUDA driver as a Device.
#pragma once

#include "bench/device/device.h"

namespace phasebit::bench::device {

// Takes the primary context of a GPU. Step::device when there is no driver or GPU, or when another
// process computes on it.
Result<std::unique_ptr<Device>> open_cuda_device(const DeviceRequest& request);

}  // namespace phasebit::bench::device
