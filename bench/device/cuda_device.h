// The CUDA driver as a Device.
#pragma once

#include "bench/device/device.h"
#include "core/base/error.h"

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include <cuda.h>

namespace phasebit::bench::device {

// Takes the primary context of a GPU. Step::device when there is no driver or GPU, or when another
// process computes on it.
Result<std::unique_ptr<Device>> open_cuda_device(const DeviceRequest& request);

// The entry points of the CUDA driver that we use, found at run time so that the program starts,
// lists and explains itself on a machine without a driver.

// The names with their version as cuda.h spells them: those have been in every driver since 11.4.
// clang-format off
#define PHASEBIT_CUDA_ENTRIES(X)                                                              \
  X(cuInit) X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString) X(cuDeviceGetCount)   \
  X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceGetUuid) X(cuDeviceGetAttribute)                \
  X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxSetFlags) X(cuCtxSetCurrent)                \
  X(cuModuleLoadData) X(cuModuleGetFunction) X(cuFuncSetAttribute) X(cuMemAlloc)              \
  X(cuMemHostAlloc) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemcpyHtoDAsync)            \
  X(cuStreamCreate) X(cuStreamSynchronize)                                                    \
  X(cuLaunchKernel) X(cuMemsetD32Async) X(cuMemHostGetDevicePointer) X(cuModuleGetGlobal)    \
  X(cuStreamQuery) X(cuEventCreate) X(cuEventRecord) X(cuEventElapsedTime) X(cuEventDestroy)
// Since 11.8: without them there are no clusters, and all else works.
#define PHASEBIT_CUDA_CLUSTER_ENTRIES(X)                                                      \
  X(cuLaunchKernelEx) X(cuOccupancyMaxActiveClusters)
// Since 12.0: without them there are no tensor maps.
#define PHASEBIT_CUDA_TENSOR_ENTRIES(X)                                                       \
  X(cuTensorMapEncodeTiled) X(cuTensorMapEncodeIm2col)
// clang-format on

struct CudaDriver {
#define PHASEBIT_MEMBER(name) decltype(&::name) name = nullptr;
  PHASEBIT_CUDA_ENTRIES(PHASEBIT_MEMBER)
  PHASEBIT_CUDA_CLUSTER_ENTRIES(PHASEBIT_MEMBER)
  PHASEBIT_CUDA_TENSOR_ENTRIES(PHASEBIT_MEMBER)
#undef PHASEBIT_MEMBER

  bool has_clusters() const {
    return cuLaunchKernelEx != nullptr && cuOccupancyMaxActiveClusters != nullptr;
  }

  // Loads libcuda.so.1 and calls cuInit. Step::device says what is missing.
  static Result<CudaDriver> load();

  // "cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)"
  std::string describe(const char* call, CUresult code) const;
};

// "GPU-8a6b...", as the driver's tools print it.
std::string uuid_text(const CUuuid& uuid);

// What the driver takes a launch as; and that of a kernel with parameters of its own, between two
// events.

// The launch that a grid means. The attribute must outlive it.
CUlaunchConfig config_of(const Grid& grid, CUstream stream, CUlaunchAttribute& cluster);

// Queues a kernel that takes the block, and after it the arguments. Step::launch names the call
// that failed.
Status queued_launch(const CudaDriver& driver, const Grid& grid, CUstream stream, CUfunction kernel,
                     const launch::KernelParams& params, const Arguments& arguments);

// The same of a stranger's kernel.
using ExternalAttributes = std::array<CUlaunchAttribute, 2>;
CUlaunchConfig config_of(const launch::ExternalLaunch& external, CUstream stream,
                         ExternalAttributes& attributes);

// The bytes of all parameters, and where each begins.
struct ExternalBlock {
  std::vector<std::byte> bytes;
  std::vector<int> starts;
};

// Nanoseconds from before the kernel to after it; `wait` until it has ended. Step::launch names
// the call that failed.
Result<double> timed_launch(const CudaDriver& driver, const CUlaunchConfig& config,
                            CUfunction kernel, const ExternalBlock& block,
                            const std::function<Status()>& wait);
// The same of what `queue` puts into the stream.
Result<double> timed(const CudaDriver& driver, CUstream stream,
                     const std::function<Status()>& queue, const std::function<Status()>& wait);

// A tensor map as the driver encodes it.

// As Device::encode.
Result<EncodedMap> encode_tensor_map(const CudaDriver& driver, const launch::tensor::TensorMap& map,
                                     std::uint64_t tensor);

}  // namespace phasebit::bench::device
