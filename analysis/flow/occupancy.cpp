#include "analysis/flow/occupancy.h"

#include <algorithm>

#include <cuda_occupancy.h>

namespace phasebit::flow {

using isa::Target;

namespace {

constexpr int warp_size = 32;
constexpr int kib = 1024;

// Programming guide, "Technical Specifications per Compute Capability". A CTA may have all of an
// SM's shared memory but what the driver reserves of it: nothing on 7.5, 1 KiB from 8.0 on.
cudaOccDeviceProp device_of(const Target& target) {
  cudaOccDeviceProp device{};
  device.computeMajor = target.sm / 10;
  device.computeMinor = target.sm % 10;
  device.maxThreadsPerBlock = target.max_threads_per_cta;
  device.maxThreadsPerMultiprocessor = target.max_warps_per_sm * warp_size;
  device.regsPerBlock = isa::registers_per_sm;
  device.regsPerMultiprocessor = isa::registers_per_sm;
  device.warpSize = warp_size;
  device.sharedMemPerBlock = 48 * kib;
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(target.shared_bytes_per_sm);
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(target.max_shared_bytes_per_cta);
  device.reservedSharedMemPerBlock =
      static_cast<std::size_t>(target.shared_bytes_per_sm - target.max_shared_bytes_per_cta);
  device.numSms = 1;
  return device;
}

cudaOccFuncAttributes kernel_of(const Target& target, const CtaNeeds& needs) {
  cudaOccFuncAttributes kernel{};
  kernel.maxThreadsPerBlock = target.max_threads_per_cta;
  kernel.numRegs = needs.registers;
  kernel.sharedSizeBytes = 0;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(needs.shared_bytes);
  kernel.numBlockBarriers = needs.barriers;
  return kernel;
}

// The limits that hold the CTAs where they are. NVIDIA's own flags name those that were lowest
// before barriers were looked at.
std::vector<std::string> limits_of(const cudaOccResult& result) {
  const std::pair<int, const char*> limits[] = {{result.blockLimitRegs, "registers"},
                                                {result.blockLimitSharedMem, "shared memory"},
                                                {result.blockLimitWarps, "warps"},
                                                {result.blockLimitBlocks, "CTAs"},
                                                {result.blockLimitBarriers, "barriers"}};
  std::vector<std::string> names;
  for (const auto& [limit, name] : limits)
    if (limit == result.activeBlocksPerMultiprocessor) names.emplace_back(name);
  return names;
}

}  // namespace

CtaNeeds needs_of(const cubin::SassKernel& kernel, const Target& target, const CtaShape& shape) {
  constexpr int first_sm_with_reserve = 90;
  int fixed = static_cast<int>(kernel.static_shared_bytes);
  if (target.sm >= first_sm_with_reserve) fixed = std::max(0, fixed - kib);
  return {shape.threads, kernel.registers, fixed + shape.dynamic_shared_bytes, kernel.barriers};
}

Result<Occupancy> occupancy_of(const Target& target, const CtaNeeds& needs) {
  if (target.max_warps_per_sm == 0)
    return fail(Step::usage, "{}: no occupancy, as the limits of its SM are not published",
                target.name);
  if (needs.threads <= 0 || needs.registers <= 0)
    return fail(Step::usage, "no occupancy of a CTA of {} threads with {} registers each",
                needs.threads, needs.registers);
  const cudaOccDeviceProp device = device_of(target);
  const cudaOccFuncAttributes kernel = kernel_of(target, needs);
  cudaOccDeviceState state{};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, needs.threads,
                                              static_cast<std::size_t>(needs.shared_bytes));
  if (error != CUDA_OCC_SUCCESS)
    return fail(Step::usage, "{}: cuda_occupancy.h gives no occupancy (error {})", target.name,
                static_cast<int>(error));
  const int ctas = result.activeBlocksPerMultiprocessor;
  return Occupancy{ctas, ctas * ((needs.threads + warp_size - 1) / warp_size),
                   target.max_warps_per_sm, limits_of(result)};
}

}  // namespace phasebit::flow
