#include "bench/device/cuda_device.h"

#include "bench/device/cupti.h"
#include "bench/device/nvml.h"

#include <array>
#include <chrono>
#include <vector>

#include <dlfcn.h>

namespace phasebit::bench::device {

using launch::tensor::TensorMap;

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
  Result<EncodedMap> encode(const launch::tensor::TensorMap& map, Address tensor) override {
    return encode_tensor_map(driver_, map, tensor);
  }
  Status launch(Function function, const Grid& grid, const launch::KernelParams& params,
                const Arguments& arguments) override {
    const auto queue = [&] {
      return queued_launch(driver_, grid, stream_, functions_[static_cast<std::size_t>(function)],
                           params, arguments);
    };
    // Of a timed launch nothing but this call is between its two events.
    if (!cupti_ || !cupti_->in_pass()) return queue();
    return cupti_->launched(queue, [&] { return ended(); });
  }
  Result<double> launch_timed(Function function, const Grid& grid,
                              const launch::KernelParams& params,
                              const std::vector<Arguments>& arguments) override;
  Result<double> launch_external(Function function, const launch::ExternalLaunch& external,
                                 const std::vector<std::byte>& parameters,
                                 std::optional<std::chrono::milliseconds> limit) override;
  Status read(Address address, void* into, std::size_t bytes) override;
  Result<Counted> count(CountedOver over, const std::function<Status()>& pass) override;
  Health health() override;
  bool busy() override { return driver_.cuStreamQuery(stream_) == CUDA_ERROR_NOT_READY; }
  results::DeviceState state() override { return nvml_ ? nvml_->state() : results::DeviceState{}; }

 private:
  Status check(Step step, const char* call, CUresult code) const {
    if (code == CUDA_SUCCESS) return {};
    return fail(step, "{}", driver_.describe(call, code));
  }
  Status ended() const {
    return check(Step::launch, "cuStreamSynchronize", driver_.cuStreamSynchronize(stream_));
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
  std::unique_ptr<Cupti> cupti_;
  DeviceRequest request_;
  CUcontext context_ = nullptr;
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
  results::DeviceRow& row = info_.row;
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
  return with_hint(
      fail(Step::device, "{} ({}) is in use by {} other process{}", info_.row.name, info_.row.uuid,
           *processes, *processes == 1 ? "" : "es"),
      "wait, choose another with --device, or measure at the same time with --allow-busy");
}

Status CudaDevice::take_context() {
  // Spinning while it waits: a point is a few milliseconds long, a wake-up tens of microseconds.
  driver_.cuDevicePrimaryCtxSetFlags(device_, CU_CTX_SCHED_SPIN);
  PHASEBIT_TRY(check(Step::device, "cuDevicePrimaryCtxRetain",
                     driver_.cuDevicePrimaryCtxRetain(&context_, device_)));
  PHASEBIT_TRY(check(Step::device, "cuCtxSetCurrent", driver_.cuCtxSetCurrent(context_)));
  return check(Step::device, "cuStreamCreate",
               driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
}

Status CudaDevice::open(const DeviceRequest& request) {
  request_ = request;
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
  return ended();
}

Status CudaDevice::copy(Address to, Address from, std::size_t bytes) {
  return check(Step::launch, "cuMemcpyDtoDAsync",
               driver_.cuMemcpyDtoDAsync(to, from, bytes, stream_));
}

Result<double> CudaDevice::launch_external(Function function,
                                           const launch::ExternalLaunch& external,
                                           const std::vector<std::byte>& parameters,
                                           std::optional<std::chrono::milliseconds> limit) {
  ExternalAttributes attributes{};
  const CUlaunchConfig config = config_of(external, stream_, attributes);
  const CUfunction kernel = functions_[static_cast<std::size_t>(function)];
  PHASEBIT_TRY(allow_size(kernel, static_cast<int>(external.ctas_of_cluster())));
  const auto has_ended = [&] { return limit ? wait(*limit) : ended(); };
  return timed_launch(driver_, config, kernel, {parameters, external.starts}, has_ended);
}

Result<double> CudaDevice::launch_timed(Function function, const Grid& grid,
                                        const launch::KernelParams& params,
                                        const std::vector<Arguments>& arguments) {
  const auto queue = [&]() -> Status {
    for (const Arguments& one : arguments) PHASEBIT_TRY(launch(function, grid, params, one));
    return {};
  };
  return timed(driver_, stream_, queue, [&] { return ended(); });
}

Status CudaDevice::read(Address address, void* into, std::size_t bytes) {
  PHASEBIT_TRY(check(Step::launch, "cuMemcpyDtoHAsync",
                     driver_.cuMemcpyDtoHAsync(into, address, bytes, stream_)));
  return ended();
}

Result<Counted> CudaDevice::count(CountedOver over, const std::function<Status()>& pass) {
  if (!cupti_) {
    PHASEBIT_TRY_ASSIGN(opened, Cupti::open(request_.cupti, context_, request_.ordinal));
    cupti_ = std::move(opened);
  }
  return cupti_->count(over, pass);
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
  config.numAttrs = grid.cluster_size > 1 ? 1 : 0;
  return config;
}

Status queued_launch(const CudaDriver& driver, const Grid& grid, CUstream stream, CUfunction kernel,
                     const launch::KernelParams& params, const Arguments& given) {
  launch::KernelParams block = params;
  Arguments taken = given;
  std::vector<void*> arguments = {&block};
  for (std::uint64_t& address : taken.buffers) arguments.push_back(&address);
  for (EncodedMap& map : taken.tensor_maps) arguments.push_back(&map);
  CUlaunchAttribute attribute{};
  CUlaunchConfig config = config_of(grid, stream, attribute);
  if (given.overlaps) {  // no workload has clusters
    attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    config.numAttrs = 1;
  }
  return check(driver, config.numAttrs > 0 ? "cuLaunchKernelEx" : "cuLaunchKernel",
               device::launch(driver, config, kernel, arguments.data()));
}

CUlaunchConfig config_of(const launch::ExternalLaunch& external, CUstream stream,
                         ExternalAttributes& attributes) {
  const auto size = [](int n) { return static_cast<unsigned>(n); };
  CUlaunchConfig config{};
  config.gridDimX = size(external.grid[0]), config.gridDimY = size(external.grid[1]);
  config.gridDimZ = size(external.grid[2]), config.blockDimX = size(external.block[0]);
  config.blockDimY = size(external.block[1]), config.blockDimZ = size(external.block[2]);
  config.sharedMemBytes = size(external.shared_bytes);
  config.hStream = stream;
  config.attrs = attributes.data();
  if (external.ctas_of_cluster() > 1) {
    CUlaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = size(external.cluster[0]);
    cluster.value.clusterDim.y = size(external.cluster[1]);
    cluster.value.clusterDim.z = size(external.cluster[2]);
  }
  if (external.cooperative) {
    CUlaunchAttribute& all_at_once = attributes[config.numAttrs++];
    all_at_once.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    all_at_once.value.cooperative = 1;
  }
  return config;
}

Result<double> timed_launch(const CudaDriver& driver, const CUlaunchConfig& config,
                            CUfunction kernel, const ExternalBlock& block,
                            const std::function<Status()>& wait) {
  if (config.numAttrs > 0 && !driver.has_clusters())
    return fail(Step::device, "this driver launches neither clusters nor cooperative kernels");
  // One by one: where the driver puts them is not where they are in a block of the PTX's layout.
  std::vector<std::byte> bytes = block.bytes;
  std::vector<void*> parameters;
  for (const int start : block.starts)
    parameters.push_back(&bytes[static_cast<std::size_t>(start)]);
  const auto queue = [&] {
    return check(driver, "cuLaunchKernel", launch(driver, config, kernel, parameters.data()));
  };
  return timed(driver, config.hStream, queue, wait);
}

Result<double> timed(const CudaDriver& driver, CUstream stream,
                     const std::function<Status()>& queue, const std::function<Status()>& wait) {
  Events events(driver);
  PHASEBIT_TRY(events.make());
  PHASEBIT_TRY(check(driver, "cuEventRecord", driver.cuEventRecord(events.before(), stream)));
  PHASEBIT_TRY(queue());
  PHASEBIT_TRY(check(driver, "cuEventRecord", driver.cuEventRecord(events.behind(), stream)));
  PHASEBIT_TRY(wait());
  float milliseconds = 0;
  PHASEBIT_TRY(check(driver, "cuEventElapsedTime",
                     driver.cuEventElapsedTime(&milliseconds, events.before(), events.behind())));
  constexpr double ns_a_millisecond = 1e6;
  return ns_a_millisecond * static_cast<double>(milliseconds);
}

namespace {

static_assert(sizeof(EncodedMap) == sizeof(CUtensorMap));
static_assert(alignof(EncodedMap) >= alignof(CUtensorMap));

// The enumerations are in the driver's order (core/launch/tensor/map.h).
using launch::tensor::TensorElement;
using launch::tensor::TensorSwizzle;
static_assert(static_cast<int>(TensorElement::tf32_ftz) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
static_assert(static_cast<int>(TensorElement::f16) == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
static_assert(static_cast<int>(TensorSwizzle::by_128) == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(static_cast<int>(TensorSwizzle::atom_64) == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
static_assert(static_cast<int>(launch::tensor::TensorInterleave::by_32) ==
              CU_TENSOR_MAP_INTERLEAVE_32B);
static_assert(static_cast<int>(launch::tensor::TensorPromotion::to_256) ==
              CU_TENSOR_MAP_L2_PROMOTION_L2_256B);

template <typename To, typename From>
std::vector<To> converted(const std::vector<From>& from) {
  return {from.begin(), from.end()};
}

// The driver's arguments, as long as they are looked at.
struct Request {
  explicit Request(const TensorMap& map)
      : element(static_cast<CUtensorMapDataType>(map.element)),
        sizes(converted<cuuint64_t>(map.sizes)),
        strides(converted<cuuint64_t>(map.strides)),
        box(converted<cuuint32_t>(map.box)),
        steps(map.steps.empty() ? std::vector<cuuint32_t>(map.sizes.size(), 1)
                                : converted<cuuint32_t>(map.steps)),
        interleave(static_cast<CUtensorMapInterleave>(map.interleave)),
        swizzle(static_cast<CUtensorMapSwizzle>(map.swizzle)),
        promotion(static_cast<CUtensorMapL2promotion>(map.promotion)),
        fill(static_cast<CUtensorMapFloatOOBfill>(map.fill)) {
    strides.push_back(0);  // of one dimension too, the driver wants an address
  }
  CUtensorMapDataType element;
  std::vector<cuuint64_t> sizes, strides;
  std::vector<cuuint32_t> box, steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

CUresult encode(const CudaDriver& driver, const TensorMap& map, void* tensor, CUtensorMap& into) {
  const Request of(map);
  const auto rank = static_cast<cuuint32_t>(map.rank());
  if (!map.im2col)
    return driver.cuTensorMapEncodeTiled(&into, of.element, rank, tensor, of.sizes.data(),
                                         of.strides.data(), of.box.data(), of.steps.data(),
                                         of.interleave, of.swizzle, of.promotion, of.fill);
  return driver.cuTensorMapEncodeIm2col(
      &into, of.element, rank, tensor, of.sizes.data(), of.strides.data(), map.im2col->lower.data(),
      map.im2col->upper.data(), static_cast<cuuint32_t>(map.im2col->channels),
      static_cast<cuuint32_t>(map.im2col->pixels), of.steps.data(), of.interleave, of.swizzle,
      of.promotion, of.fill);
}

}  // namespace

Result<EncodedMap> encode_tensor_map(const CudaDriver& driver, const TensorMap& map,
                                     std::uint64_t tensor) {
  const char* call = map.im2col ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled";
  if (map.im2col ? driver.cuTensorMapEncodeIm2col == nullptr
                 : driver.cuTensorMapEncodeTiled == nullptr)
    return fail(Step::device, "tensor map {}: this driver has no {}", map.name, call);
  EncodedMap encoded;
  auto* address = reinterpret_cast<void*>(static_cast<std::uintptr_t>(tensor));
  const CUresult code =
      encode(driver, map, address, *reinterpret_cast<CUtensorMap*>(encoded.bytes.data()));
  if (code == CUDA_SUCCESS) return encoded;
  return fail(Step::bundle, "tensor map {}: {}: {}", map.name, describe(map),
              driver.describe(call, code));
}

namespace {

// cuda.h renames an entry by a macro (cuMemAlloc to cuMemAlloc_v2); the library has the new name.
#define PHASEBIT_TEXT_OF(name) #name
#define PHASEBIT_SYMBOL(name) PHASEBIT_TEXT_OF(name)

constexpr const char* library_name = "libcuda.so.1";

}  // namespace

Result<CudaDriver> CudaDriver::load() {
  void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return with_hint(fail(Step::device, "there is no CUDA driver here: {}", ::dlerror()),
                     "measure on a machine with an NVIDIA GPU; listing works without one");
  CudaDriver driver;
#define PHASEBIT_FIND(name)                                                                       \
  driver.name = reinterpret_cast<decltype(driver.name)>(::dlsym(library, PHASEBIT_SYMBOL(name))); \
  if (driver.name == nullptr)                                                                     \
    return with_hint(fail(Step::device, "{} lacks {}", library_name, PHASEBIT_SYMBOL(name)),      \
                     "install a driver of CUDA 12.0 or newer");
  PHASEBIT_CUDA_ENTRIES(PHASEBIT_FIND)
#undef PHASEBIT_FIND
#define PHASEBIT_FIND_OR_NULL(name) \
  driver.name = reinterpret_cast<decltype(driver.name)>(::dlsym(library, PHASEBIT_SYMBOL(name)));
  PHASEBIT_CUDA_CLUSTER_ENTRIES(PHASEBIT_FIND_OR_NULL)
  PHASEBIT_CUDA_TENSOR_ENTRIES(PHASEBIT_FIND_OR_NULL)
#undef PHASEBIT_FIND_OR_NULL
  if (const CUresult code = driver.cuInit(0); code != CUDA_SUCCESS)
    return with_hint(fail(Step::device, "the CUDA driver finds no usable GPU: {}",
                          driver.describe("cuInit", code)),
                     "see what nvidia-smi says; listing works without a GPU");
  return driver;
}

std::string CudaDriver::describe(const char* call, CUresult code) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  if (cuGetErrorString(code, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  return fmt::format("{}: {} ({})", call, name, text);
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int n = 0; n < 16; ++n) {
    if (n == 4 || n == 6 || n == 8 || n == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[n]));
  }
  return text;
}

}  // namespace phasebit::bench::device
