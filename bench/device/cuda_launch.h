// What the driver takes a launch as; and that of a kernel with parameters of its own, between two
// events.
#pragma once

#include "bench/device/cuda_driver.h"
#include "bench/device/device.h"

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace phasebit::bench::device {

// The launch that a grid means. The attribute must outlive it.
CUlaunchConfig config_of(const Grid& grid, CUstream stream, CUlaunchAttribute& cluster);

// Queues a kernel that takes the block, and behind it the arguments. Step::launch names the call
// that failed.
Status queued_launch(const CudaDriver& driver, const Grid& grid, CUstream stream, CUfunction kernel,
                     const image::KernelParams& params, const Arguments& arguments);

// The same of a stranger's kernel.
using WholeAttributes = std::array<CUlaunchAttribute, 2>;
CUlaunchConfig config_of(const image::WholeLaunch& whole, CUstream stream,
                         WholeAttributes& attributes);

// The bytes of all parameters, and where each begins.
struct WholeBlock {
  std::vector<std::byte> bytes;
  std::vector<int> starts;
};

// Nanoseconds from before the kernel to behind it; `wait` until it has ended. Step::launch names
// the call that failed.
Result<double> timed_launch(const CudaDriver& driver, const CUlaunchConfig& config,
                            CUfunction kernel, const WholeBlock& block,
                            const std::function<Status()>& wait);

}  // namespace phasebit::bench::device
