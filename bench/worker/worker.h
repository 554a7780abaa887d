// The child process: it owns the device, and nothing else does. When a kernel hangs, it is what
// gets killed.
#pragma once

#include "bench/device/device.h"

namespace phasebit::bench::worker {

// Descriptor on which a worker finds its socket.
inline constexpr int worker_fd = 3;

// Opens the device, says so, serves requests until the other side closes. The exit status.
int run_worker(const device::DeviceRequest& request, const device::DeviceFactory& open_device);

}  // namespace phasebit::bench::worker
