// The entry points of the CUDA driver that we use, found at run time so that the program starts,
// lists and explains itself on a machine without a driver.
#pragma once

#include "core/base/error.h"

#include <cuda.h>

namespace phasebit::bench::device {

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

}  // namespace phasebit::bench::device
