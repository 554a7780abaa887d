#include "bench/device/cuda_launch.h"

namespace phasebit::bench::device {
namespace {

Status check(const CudaDriver& driver, const char* call, CUresult code) {
  if (code == CUDA_SUCCESS) return {};
  return fail(Step::launch, "{}", driver.describe(call, code));
}

class Events {
 public:
  explicit Events(const CudaDriver& driver) : driver_(driver) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    for (CUevent event : events_)
      if (event != nullptr) driver_.cuEventDestroy(event);
  }
  Status make() {
    for (CUevent& event : events_)
      PHASEBIT_TRY(
          check(driver_, "cuEventCreate", driver_.cuEventCreate(&event, CU_EVENT_DEFAULT)));
    return {};
  }
  CUevent before() const { return events_[0]; }
  CUevent behind() const { return events_[1]; }

 private:
  const CudaDriver& driver_;
  std::array<CUevent, 2> events_{};
};

// Without clusters cuLaunchKernel does, which drivers before 11.8 have too.
CUresult launch(const CudaDriver& driver, const CUlaunchConfig& config, CUfunction kernel,
                void** parameters) {
  if (config.numAttrs > 0) return driver.cuLaunchKernelEx(&config, kernel, parameters, nullptr);
  return driver.cuLaunchKernel(kernel, config.gridDimX, config.gridDimY, config.gridDimZ,
                               config.blockDimX, config.blockDimY, config.blockDimZ,
                               config.sharedMemBytes, config.hStream, parameters, nullptr);
}

}  // namespace

CUlaunchConfig config_of(const Grid& grid, CUstream stream, CUlaunchAttribute& cluster) {
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = static_cast<unsigned>(grid.cluster_size);
  cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(grid.ctas);
  config.blockDimX = static_cast<unsigned>(grid.threads);
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(grid.dynamic_shared_bytes);
  config.hStream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return config;
}

Status queued_launch(const CudaDriver& driver, const Grid& grid, CUstream stream, CUfunction kernel,
                     const image::KernelParams& params, const Arguments& given) {
  image::KernelParams block = params;
  Arguments taken = given;
  std::vector<void*> arguments = {&block};
  for (std::uint64_t& address : taken.buffers) arguments.push_back(&address);
  for (EncodedMap& map : taken.tensor_maps) arguments.push_back(&map);
  if (grid.cluster_size > 1) {
    CUlaunchAttribute cluster{};
    const CUlaunchConfig config = config_of(grid, stream, cluster);
    return check(driver, "cuLaunchKernelEx",
                 driver.cuLaunchKernelEx(&config, kernel, arguments.data(), nullptr));
  }
  return check(driver, "cuLaunchKernel",
               driver.cuLaunchKernel(kernel, static_cast<unsigned>(grid.ctas), 1, 1,
                                     static_cast<unsigned>(grid.threads), 1, 1,
                                     static_cast<unsigned>(grid.dynamic_shared_bytes), stream,
                                     arguments.data(), nullptr));
}

CUlaunchConfig config_of(const image::WholeLaunch& whole, CUstream stream,
                         WholeAttributes& attributes) {
  const auto size = [](int n) { return static_cast<unsigned>(n); };
  CUlaunchConfig config{};
  config.gridDimX = size(whole.grid[0]), config.gridDimY = size(whole.grid[1]);
  config.gridDimZ = size(whole.grid[2]), config.blockDimX = size(whole.block[0]);
  config.blockDimY = size(whole.block[1]), config.blockDimZ = size(whole.block[2]);
  config.sharedMemBytes = size(whole.shared_bytes);
  config.hStream = stream;
  config.attrs = attributes.data();
  if (whole.ctas_of_cluster() > 1) {
    CUlaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = size(whole.cluster[0]);
    cluster.value.clusterDim.y = size(whole.cluster[1]);
    cluster.value.clusterDim.z = size(whole.cluster[2]);
  }
  if (whole.cooperative) {
    CUlaunchAttribute& all_at_once = attributes[config.numAttrs++];
    all_at_once.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    all_at_once.value.cooperative = 1;
  }
  return config;
}

Result<double> timed_launch(const CudaDriver& driver, const CUlaunchConfig& config,
                            CUfunction kernel, const WholeBlock& block,
                            const std::function<Status()>& wait) {
  if (config.numAttrs > 0 && !driver.has_clusters())
    return fail(Step::device, "this driver launches neither clusters nor cooperative kernels");
  Events events(driver);
  PHASEBIT_TRY(events.make());
  // One by one: where the driver puts them is not where they stand in a block of the PTX's layout.
  std::vector<std::byte> bytes = block.bytes;
  std::vector<void*> parameters;
  for (const int start : block.starts)
    parameters.push_back(&bytes[static_cast<std::size_t>(start)]);
  PHASEBIT_TRY(
      check(driver, "cuEventRecord", driver.cuEventRecord(events.before(), config.hStream)));
  PHASEBIT_TRY(check(driver, "cuLaunchKernel", launch(driver, config, kernel, parameters.data())));
  PHASEBIT_TRY(
      check(driver, "cuEventRecord", driver.cuEventRecord(events.behind(), config.hStream)));
  PHASEBIT_TRY(wait());
  float milliseconds = 0;
  PHASEBIT_TRY(check(driver, "cuEventElapsedTime",
                     driver.cuEventElapsedTime(&milliseconds, events.before(), events.behind())));
  constexpr double ns_a_millisecond = 1e6;
  return ns_a_millisecond * static_cast<double>(milliseconds);
}

}  // namespace phasebit::bench::device
