// One launch of one kernel, with a time limit. Errors are values; the text says what to do.
#pragma once

#include "figure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include <cuda_runtime.h>

namespace independent {

inline constexpr double launch_limit_seconds = 5;

struct LaunchResult {
  Report report{};
  std::string error;          // empty: the report is valid
  bool context_lost = false;  // the process can launch nothing any more
};

// Device memory and pinned words that all launches of a process use.
class Device {
 public:
  std::string open() {
    std::string error = check(cudaSetDevice(0), "cudaSetDevice");
    if (error.empty()) error = check(cudaGetDeviceProperties(&properties_, 0), "device properties");
    if (error.empty()) error = check(cudaMalloc(&report_, sizeof(Report)), "cudaMalloc");
    if (error.empty()) {
      error =
          check(cudaHostAlloc(&guard_, sizeof(GuardStatus), cudaHostAllocMapped), "cudaHostAlloc");
    }
    if (error.empty() && properties_.major != 9) error = "this program is built for sm_90a only";
    return error;
  }

  const cudaDeviceProp& properties() const { return properties_; }

  // Clusters of this figure that the GPU holds at the same time, one CTA an SM; 0 on error.
  int max_clusters(const Figure& figure, std::string& error) {
    if (figure.cluster_size == 1) return properties_.multiProcessorCount;
    Config config(*this, figure, figure.kernels[0], error);
    int count = 0;
    if (error.empty()) {
      error = check(cudaOccupancyMaxActiveClusters(&count, figure.kernels[0], &config.launch),
                    "cudaOccupancyMaxActiveClusters");
    }
    return error.empty() ? count : 0;
  }

  LaunchResult run(const Figure& figure, const void* kernel, LaunchPlan plan, int num_clusters) {
    LaunchResult result;
    Config config(*this, figure, kernel, result.error);
    if (!result.error.empty()) return result;
    if (num_clusters > 0) config.launch.gridDim.x = num_clusters * figure.cluster_size;
    *guard_ = GuardStatus{};
    plan.report = report_;
    plan.guard = guard_;
    void* arguments[] = {&plan};
    result.error = check(cudaMemset(report_, 0, sizeof(Report)), "cudaMemset");
    if (result.error.empty()) {
      result.error = check(cudaLaunchKernelExC(&config.launch, kernel, arguments), "launch");
    }
    if (result.error.empty()) result.error = wait();
    if (!result.error.empty()) {
      result.context_lost = true;
      return result;
    }
    result.error = check(cudaMemcpy(&result.report, report_, sizeof(Report), cudaMemcpyDefault),
                         "reading the report");
    return result;
  }

 private:
  // A CTA takes all the shared memory of its SM, so that no two share one.
  struct Config {
    cudaLaunchConfig_t launch{};
    cudaLaunchAttribute cluster{};

    Config(Device& device, const Figure& figure, const void* kernel, std::string& error) {
      cudaFuncAttributes attributes{};
      error = check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
      if (!error.empty()) return;
      const int most = static_cast<int>(device.properties_.sharedMemPerBlockOptin);
      const int bytes = (most - static_cast<int>(attributes.sharedSizeBytes)) / 1024 * 1024;
      error =
          check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                "cudaFuncSetAttribute");
      const uint32_t size = std::max(1u, figure.cluster_size);
      launch.gridDim = dim3(device.properties_.multiProcessorCount / size * size);
      launch.blockDim = dim3(figure.num_threads);
      launch.dynamicSmemBytes = bytes;
      // A size that is part of the kernel must not be given again.
      if (figure.cluster_size == 0 || attributes.requiredClusterWidth > 0) return;
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim.x = size;
      cluster.val.clusterDim.y = 1;
      cluster.val.clusterDim.z = 1;
      launch.attrs = &cluster;
      launch.numAttrs = 1;
    }
    Config(const Config&) = delete;
    Config& operator=(const Config&) = delete;
  };

  static std::string check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return {};
    return std::string(what) + ": " + cudaGetErrorString(status);
  }

  // Polls: a blocking wait could not be left when a kernel hangs.
  std::string wait() const {
    const auto start = std::chrono::steady_clock::now();
    cudaError_t status = cudaErrorNotReady;
    while ((status = cudaStreamQuery(nullptr)) == cudaErrorNotReady) {
      const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
      if (waited.count() > launch_limit_seconds) {
        return "the kernel hangs; build with -DINDEPENDENT_GUARDED to see where";
      }
    }
    if (guard_->expired != 0) return guard_text();
    return check(status, "kernel");
  }

  std::string guard_text() const {
    char text[200];
    std::snprintf(text, sizeof text,
                  "guard: block %u warp %u lane %u waited too long on shared address 0x%x, "
                  "parity or count %u",
                  guard_->block, guard_->warp, guard_->lane, guard_->barrier_address,
                  guard_->parity);
    return text;
  }

  cudaDeviceProp properties_{};
  Report* report_ = nullptr;
  GuardStatus* guard_ = nullptr;
};

}  // namespace independent
