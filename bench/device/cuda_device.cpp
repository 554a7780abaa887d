#include "bench/device/cuda_device.h"

#include "bench/device/cuda_driver.h"
#include "bench/device/cuda_launch.h"
#include "bench/device/cuda_tensor_map.h"
#include "bench/device/nvml.h"

#include <array>
#include <chrono>
#include <vector>

namespace phasebit::bench::device {
namespace {

// Dynamic shared memory that needs no opt-in.
constexpr int plain_shared_bytes = 48 * 1024;
// Clusters of so many CTAs run wherever clusters do; larger ones need an opt-in.
constexpr int portable_cluster_size = 8;
// Asking the management library takes up to a millisecond: more than many a point.
constexpr auto health_period = std::chrono::milliseconds(100);

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(CudaDriver driver) : driver_(driver) {}

  Status open(const DeviceRequest& request);
  const DeviceInfo& info() const override { return info_; }
  Result<Module> load(const std::string& cubin) override;
  Result<Function> function(Module module, const std::string& entry,
                            int dynamic_shared_bytes) override;
  Result<Address> variable(Module module, const std::string& name) override;
  Result<HostMemory> allocate_host(std::size_t bytes) override;
  Status wait(std::chrono::milliseconds limit) override;
  Status allow_cluster(Function function, const Grid& grid) override;
  Result<Address> allocate(std::size_t bytes) override;
  Status fill(Address address, std::uint32_t word, std::size_t words) override;
  Status write(Address to, const void* from, std::size_t bytes) override;
  Status copy(Address to, Address from, std::size_t bytes) override;
  Result<EncodedMap> encode(const image::tensor::TensorMap& map, Address tensor) override {
    return encode_tensor_map(driver_, map, tensor);
  }
  Status launch(Function function, const Grid& grid, const image::KernelParams& params,
                const Arguments& arguments) override {
    return queued_launch(driver_, grid, stream_, functions_[static_cast<std::size_t>(function)],
                         params, arguments);
  }
  Result<double> launch_whole(Function function, const image::WholeLaunch& whole,
                              const std::vector<std::byte>& parameters,
                              std::optional<std::chrono::milliseconds> limit) override;
  Status read(Address address, void* into, std::size_t bytes) override;
  Health health() override;
  bool busy() override { return driver_.cuStreamQuery(stream_) == CUDA_ERROR_NOT_READY; }
  record::DeviceState state() override { return nvml_ ? nvml_->state() : record::DeviceState{}; }

 private:
  Status check(Step step, const char* call, CUresult code) const {
    if (code == CUDA_SUCCESS) return {};
    return fail(step, "{}", driver_.describe(call, code));
  }
  int attribute(CUdevice_attribute which) const;
  Status allow_size(CUfunction kernel, int ctas_of_cluster);
  bool fits_cluster(CUfunction kernel, Grid grid, int size) const;
  Status identify(int ordinal);
  Status refuse_when_busy();
  Status take_context();

  CudaDriver driver_;
  CUdevice device_ = 0;
  CUstream stream_ = nullptr;
  DeviceInfo info_;
  std::unique_ptr<Nvml> nvml_;
  std::vector<CUmodule> modules_;
  std::vector<CUfunction> functions_;
  Health health_;
  std::chrono::steady_clock::time_point health_taken_{};
};

int CudaDevice::attribute(CUdevice_attribute which) const {
  int value = 0;
  return driver_.cuDeviceGetAttribute(&value, which, device_) == CUDA_SUCCESS ? value : 0;
}

Status CudaDevice::identify(int ordinal) {
  int count = 0;
  PHASEBIT_TRY(check(Step::device, "cuDeviceGetCount", driver_.cuDeviceGetCount(&count)));
  if (ordinal < 0 || ordinal >= count)
    return with_hint(fail(Step::device, "there is no device {}: {} found", ordinal, count),
                     "choose one with --device, and see CUDA_VISIBLE_DEVICES");
  PHASEBIT_TRY(check(Step::device, "cuDeviceGet", driver_.cuDeviceGet(&device_, ordinal)));
  std::array<char, 256> name{};
  PHASEBIT_TRY(check(Step::device, "cuDeviceGetName",
                     driver_.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device_)));
  CUuuid uuid{};
  PHASEBIT_TRY(check(Step::device, "cuDeviceGetUuid", driver_.cuDeviceGetUuid(&uuid, device_)));
  info_.sm = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
             attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info_.max_shared_bytes_per_cta = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info_.max_threads_per_cta = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info_.launches_clusters =
      driver_.has_clusters() && attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0;
  int version = 0;
  driver_.cuDriverGetVersion(&version);
  record::DeviceRow& row = info_.row;
  row.uuid = uuid_text(uuid);
  row.name = name.data();
  row.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  row.target = fmt::format("sm_{}", info_.sm);
  row.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  row.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  row.max_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  return {};
}

Status CudaDevice::refuse_when_busy() {
  const std::optional<int> processes = nvml_ ? nvml_->compute_processes() : std::nullopt;
  if (!processes) {
    info_.unknown = "whether another process computes on it";
    return {};
  }
  if (*processes == 0) return {};
  return with_hint(fail(Step::device, "{} ({}) is in use by {} other process{}", info_.row.name,
                        info_.row.uuid, *processes, *processes == 1 ? "" : "es"),
                   "wait, choose another with --device, or measure beside it with --allow-busy");
}

Status CudaDevice::take_context() {
  // Spinning while it waits: a point is a few milliseconds long, a wake-up tens of microseconds.
  driver_.cuDevicePrimaryCtxSetFlags(device_, CU_CTX_SCHED_SPIN);
  CUcontext context = nullptr;
  PHASEBIT_TRY(check(Step::device, "cuDevicePrimaryCtxRetain",
                     driver_.cuDevicePrimaryCtxRetain(&context, device_)));
  PHASEBIT_TRY(check(Step::device, "cuCtxSetCurrent", driver_.cuCtxSetCurrent(context)));
  return check(Step::device, "cuStreamCreate",
               driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
}

Status CudaDevice::open(const DeviceRequest& request) {
  PHASEBIT_TRY(identify(request.ordinal));
  nvml_ = Nvml::open(info_.row.uuid);
  if (nvml_)
    if (const auto version = nvml_->driver_version()) info_.row.driver = *version;
  // Before there is a context of our own: NVML may name processes of another PID namespace.
  if (request.refuse_busy) PHASEBIT_TRY(refuse_when_busy());
  return take_context();
}

Result<Device::Module> CudaDevice::load(const std::string& cubin) {
  CUmodule module = nullptr;
  const CUresult code = driver_.cuModuleLoadData(&module, cubin.data());
  if (code == CUDA_ERROR_NO_BINARY_FOR_GPU)
    return fail(Step::device, "a module of the bundle is not for {} (sm_{})", info_.row.name,
                info_.sm);
  PHASEBIT_TRY(check(Step::bundle, "cuModuleLoadData", code));
  modules_.push_back(module);
  return static_cast<Module>(modules_.size() - 1);
}

Result<Device::Function> CudaDevice::function(Module module, const std::string& entry,
                                              int dynamic_shared_bytes) {
  if (dynamic_shared_bytes > info_.max_shared_bytes_per_cta)
    return fail(Step::device, "{} needs {} bytes of shared memory, {} has {}", entry,
                dynamic_shared_bytes, info_.row.name, info_.max_shared_bytes_per_cta);
  CUfunction function = nullptr;
  const CUresult code = driver_.cuModuleGetFunction(
      &function, modules_[static_cast<std::size_t>(module)], entry.c_str());
  if (code == CUDA_ERROR_NOT_FOUND)
    return with_hint(fail(Step::bundle, "the module has no kernel {}", entry), "pack it again");
  PHASEBIT_TRY(check(Step::launch, "cuModuleGetFunction", code));
  if (dynamic_shared_bytes > plain_shared_bytes)
    PHASEBIT_TRY(
        check(Step::launch, "cuFuncSetAttribute",
              driver_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         dynamic_shared_bytes)));
  functions_.push_back(function);
  return static_cast<Function>(functions_.size() - 1);
}

// Whether one cluster of so many CTAs of this kernel can run. cuOccupancyMaxPotentialClusterSize
// would ask for the limit itself, but refuses a grid of one cluster (driver 580).
bool CudaDevice::fits_cluster(CUfunction kernel, Grid grid, int size) const {
  grid.ctas = grid.cluster_size = size;
  CUlaunchAttribute cluster{};
  const CUlaunchConfig config = config_of(grid, stream_, cluster);
  int clusters = 0;
  return driver_.cuOccupancyMaxActiveClusters(&clusters, kernel, &config) == CUDA_SUCCESS &&
         clusters > 0;
}

// Above the size that every GPU takes a kernel must be allowed it.
Status CudaDevice::allow_size(CUfunction kernel, int ctas_of_cluster) {
  if (ctas_of_cluster <= portable_cluster_size) return {};
  return check(
      Step::device, "cuFuncSetAttribute",
      driver_.cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
}

Status CudaDevice::allow_cluster(Function function, const Grid& grid) {
  if (!info_.launches_clusters) return refuse_cluster(info_, grid.cluster_size, 0);
  const CUfunction kernel = functions_[static_cast<std::size_t>(function)];
  PHASEBIT_TRY(allow_size(kernel, grid.cluster_size));
  if (fits_cluster(kernel, grid, grid.cluster_size)) return {};
  int largest = 1;
  while (2 * largest < grid.cluster_size && fits_cluster(kernel, grid, 2 * largest)) largest *= 2;
  return refuse_cluster(info_, grid.cluster_size, largest);
}

Result<Device::Address> CudaDevice::allocate(std::size_t bytes) {
  CUdeviceptr address = 0;
  const CUresult code = driver_.cuMemAlloc(&address, bytes);
  PHASEBIT_TRY(check(Step::launch, fmt::format("cuMemAlloc of {} bytes", bytes).c_str(), code));
  return static_cast<Address>(address);
}

Result<Device::HostMemory> CudaDevice::allocate_host(std::size_t bytes) {
  HostMemory memory;
  PHASEBIT_TRY(check(Step::launch, "cuMemHostAlloc",
                     driver_.cuMemHostAlloc(&memory.host, bytes,
                                            CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)));
  CUdeviceptr address = 0;
  PHASEBIT_TRY(check(Step::launch, "cuMemHostGetDevicePointer",
                     driver_.cuMemHostGetDevicePointer(&address, memory.host, 0)));
  memory.device = static_cast<Address>(address);
  return memory;
}

Result<Device::Address> CudaDevice::variable(Module module, const std::string& name) {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult code = driver_.cuModuleGetGlobal(
      &address, &bytes, modules_[static_cast<std::size_t>(module)], name.c_str());
  if (code == CUDA_ERROR_NOT_FOUND)
    return with_hint(fail(Step::bundle, "the module has no variable {}", name), "pack it again");
  PHASEBIT_TRY(check(Step::launch, "cuModuleGetGlobal", code));
  return static_cast<Address>(address);
}

Status CudaDevice::wait(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    const CUresult code = driver_.cuStreamQuery(stream_);
    if (code != CUDA_ERROR_NOT_READY) return check(Step::launch, "cuStreamQuery", code);
    if (std::chrono::steady_clock::now() > deadline)
      return fail(Step::launch, "did not end within {} ms", limit.count());
  }
}

Status CudaDevice::fill(Address address, std::uint32_t word, std::size_t words) {
  return check(Step::launch, "cuMemsetD32Async",
               driver_.cuMemsetD32Async(address, word, words, stream_));
}

Status CudaDevice::write(Address to, const void* from, std::size_t bytes) {
  PHASEBIT_TRY(check(Step::launch, "cuMemcpyHtoDAsync",
                     driver_.cuMemcpyHtoDAsync(to, from, bytes, stream_)));
  return check(Step::launch, "cuStreamSynchronize", driver_.cuStreamSynchronize(stream_));
}

Status CudaDevice::copy(Address to, Address from, std::size_t bytes) {
  return check(Step::launch, "cuMemcpyDtoDAsync",
               driver_.cuMemcpyDtoDAsync(to, from, bytes, stream_));
}

Result<double> CudaDevice::launch_whole(Function function, const image::WholeLaunch& whole,
                                        const std::vector<std::byte>& parameters,
                                        std::optional<std::chrono::milliseconds> limit) {
  WholeAttributes attributes{};
  const CUlaunchConfig config = config_of(whole, stream_, attributes);
  const CUfunction kernel = functions_[static_cast<std::size_t>(function)];
  PHASEBIT_TRY(allow_size(kernel, static_cast<int>(whole.ctas_of_cluster())));
  const auto ended = [&] {
    return limit ? wait(*limit)
                 : check(Step::launch, "cuStreamSynchronize", driver_.cuStreamSynchronize(stream_));
  };
  return timed_launch(driver_, config, kernel, {parameters, whole.starts}, ended);
}

Status CudaDevice::read(Address address, void* into, std::size_t bytes) {
  PHASEBIT_TRY(check(Step::launch, "cuMemcpyDtoHAsync",
                     driver_.cuMemcpyDtoHAsync(into, address, bytes, stream_)));
  return check(Step::launch, "cuStreamSynchronize", driver_.cuStreamSynchronize(stream_));
}

Health CudaDevice::health() {
  const auto now = std::chrono::steady_clock::now();
  if (!nvml_ || now - health_taken_ < health_period) return health_;
  health_taken_ = now;
  const auto reasons = nvml_->slow_down_reasons();
  health_ = Health{reasons.has_value(), reasons.value_or(0) != 0};
  return health_;
}

}  // namespace

Result<std::unique_ptr<Device>> open_cuda_device(const DeviceRequest& request) {
  PHASEBIT_TRY_ASSIGN(driver, CudaDriver::load());
  auto device = std::make_unique<CudaDevice>(driver);
  PHASEBIT_TRY(device->open(request));
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace phasebit::bench::device
