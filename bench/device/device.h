// What the bench needs of a GPU. Two things implement it: the CUDA driver (cuda_device.h) and, in
// tests, a fake (fake.h). One device belongs to one process and is used from one thread.
#pragma once

#include "core/base/file.h"
#include "core/launch/abi.h"
#include "core/launch/external.h"
#include "core/launch/tensor/map.h"
#include "core/results/record.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::bench::device {

struct DeviceInfo {
  results::DeviceRow row;
  int sm = 0;  // compute capability: 90
  int max_shared_bytes_per_cta = 0;
  int max_threads_per_cta = 0;
  bool launches_clusters = false;
  // What could not be found out, one sentence each: "whether another process computes on it".
  std::string unknown;
};

// What the driver says of the GPU's state at this moment.
struct Health {
  bool known = false;
  bool throttled = false;  // power, thermal or hardware slow-down; not idleness
};

struct Grid {
  int ctas = 0;
  int threads = 0;       // of one CTA
  int cluster_size = 1;  // above 1 the grid is made of clusters of so many CTAs
  int dynamic_shared_bytes = 0;
};

// Step::device for a cluster that cannot be launched: what was wanted and what the device can.
tl::unexpected<Error> refuse_cluster(const DeviceInfo& device, int wanted, int largest);

// What the driver makes of a tensor map (cuda.h, CUtensorMap).
struct alignas(128) EncodedMap {
  std::array<std::byte, 128> bytes{};
};

// What a kernel takes after the parameter block, in this order.
struct Arguments {
  std::vector<std::uint64_t> buffers;  // their addresses
  std::vector<EncodedMap> tensor_maps;
  bool overlaps = false;  // the launch may begin before the one before it has ended
};

// Over what counters that are a share of the hardware are taken.
enum class CountedOver { all_sms, busiest_sm };

struct Counted {
  std::vector<results::Counter> counters;
  std::vector<std::string> notes;  // which the chip lacks
};

// Errors: Step::device when the GPU cannot be used at all, Step::bundle when a module or entry is
// not what the manifest says, Step::launch for everything after that; after a Step::launch error
// the device is lost and its process must be replaced.
class Device {
 public:
  using Module = int;
  using Function = int;
  using Address = std::uint64_t;
  // Pinned memory of the host that a kernel reads and writes too.
  struct HostMemory {
    Address device = 0;
    void* host = nullptr;
  };

  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual Result<Module> load(const std::string& cubin) = 0;
  // The kernel, allowed so many bytes of dynamic shared memory.
  virtual Result<Function> function(Module module, const std::string& entry,
                                    int dynamic_shared_bytes) = 0;
  // A variable of the module. Step::bundle when it has no variable of that name.
  virtual Result<Address> variable(Module module, const std::string& name) = 0;
  // Whether a cluster of this size can run at all; asked before the first launch of one.
  // Step::device, naming the size and the largest one, when it cannot.
  virtual Status allow_cluster(Function function, const Grid& grid) = 0;
  // Lives as long as the device.
  virtual Result<Address> allocate(std::size_t bytes) = 0;
  virtual Result<HostMemory> allocate_host(std::size_t bytes) = 0;
  // Until all that was queued has ended. Step::launch when it has not after the limit.
  virtual Status wait(std::chrono::milliseconds limit) = 0;
  // Into memory of the device, when all that was queued before has ended.
  virtual Status write(Address to, const void* from, std::size_t bytes) = 0;
  // fill, copy and launch are queued in order; read waits for all of them.
  virtual Status fill(Address address, std::uint32_t word, std::size_t words) = 0;
  virtual Status copy(Address to, Address from, std::size_t bytes) = 0;
  // The map as kernels take it, of a tensor that begins at `tensor`. Step::device when the driver
  // knows none; Step::bundle for one that it refuses, which leaves the device as it was.
  virtual Result<EncodedMap> encode(const launch::tensor::TensorMap& map, Address tensor) = 0;
  // The kernel takes the block, and after it the arguments.
  virtual Status launch(Function function, const Grid& grid, const launch::KernelParams& params,
                        const Arguments& arguments) = 0;
  // One launch for each of the arguments, and waits for the last one's end. The duration of all by
  // two events, ns.
  virtual Result<double> launch_timed(Function /*function*/, const Grid& /*grid*/,
                                      const launch::KernelParams& /*params*/,
                                      const std::vector<Arguments>& /*arguments*/) {
    return fail(Step::device, "this device times no launches");
  }
  // A kernel with parameters of its own; waits for its end, forever without a limit. Its duration
  // by two events, ns.
  virtual Result<double> launch_external(Function function, const launch::ExternalLaunch& external,
                                         const std::vector<std::byte>& parameters,
                                         std::optional<std::chrono::milliseconds> limit = {}) = 0;
  virtual Status read(Address address, void* into, std::size_t bytes) = 0;
  // Hardware counters of the one launch that `pass` makes. It is called once for each pass over the
  // counters, so it sets again whatever the kernel changes; only the launch is counted.
  // Step::device says why nothing can be counted here; an error of the pass ends it.
  virtual Result<Counted> count(CountedOver /*over*/, const std::function<Status()>& /*pass*/) {
    return fail(Step::device, "this device has no counters");
  }
  virtual Health health() = 0;
  // Clocks and power at this moment; unknown where the driver does not say.
  virtual results::DeviceState state() { return {}; }
  // Whether something that was queued has not ended.
  virtual bool busy() { return false; }
};

struct DeviceRequest {
  int ordinal = 0;
  bool refuse_busy = true;  // Step::device when another process computes on it
  fs::path bundle;
  fs::path cupti = {};  // a library or its folder, for count(); "" looks for it
};

using DeviceFactory = std::function<Result<std::unique_ptr<Device>>(const DeviceRequest&)>;

// Whether a cubin for `target` ("sm_90a") runs on the device: an `a` target on its own compute
// capability alone, any other on the same major version with an equal or newer minor one (CUDA C++
// programming guide, "Binary Compatibility"). Step::device, naming both, when it does not.
Status check_target(const std::string& target, const DeviceInfo& device);

}  // namespace phasebit::bench::device
