// A batch of launches of one kernel: one region of results, one copy back.
#pragma once

#include "bench/device/device.h"
#include "bench/point/buffers.h"
#include "core/launch/launch.h"
#include "core/launch/verify.h"
#include "core/results/record.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace phasebit::bench::point {

struct BatchRequest {
  std::vector<std::uint32_t> items;  // one launch each, in this order
  results::Conditions placement;
  std::uint32_t seed = 0;
  std::uint64_t guard_limit_ns = 0;
  // Of a guarded kernel, whose batch is one launch.
  std::optional<GuardedModule> guard = {};
  std::chrono::milliseconds hang_limit = std::chrono::seconds(5);  // for its end
  bool timed = false;  // each launch as a whole: LaunchOutput::duration_ns
};

struct BatchOutput {
  std::vector<launch::LaunchOutput> launches;
  results::DeviceState
      state;  // of the GPU while it was busy with a batch of grids, in its last one
};

// CTAs for every SM and as many again as are wanted on one, measured or load: those of other SMs
// leave at once, and so do those that come to the target SM when its tickets are gone. A cluster is
// the grid itself, and so are the CTAs of a workload.
device::Grid grid_of(const launch::LaunchShape& shape, const results::Conditions& placement,
                     int multiprocessors);

class Launcher {
 public:
  explicit Launcher(device::Device& device) : device_(device), guard_(device), buffers_(device) {}

  // Runs the batch; again, a few times, when the wanted CTAs did not meet on the target SM.
  Result<BatchOutput> run(device::Device::Function function, const launch::LaunchShape& shape,
                          const BatchRequest& request);
  // Whether the output that the last launch of a workload left is right.
  Status check_output(const launch::LaunchShape& shape, std::uint32_t items);

 private:
  struct Layout;
  Result<BatchOutput> run_once(device::Device::Function function, const launch::LaunchShape& shape,
                               const BatchRequest& request);
  Result<double> launch(device::Device::Function function, const device::Grid& grid,
                        const launch::KernelParams& params,
                        const std::vector<device::Arguments>& of_each, bool timed);
  Status reserve(std::size_t bytes);
  // The launch's buffer that slots are stored to, kept for read_stored.
  Status keep_stored(const launch::LaunchShape& shape, std::size_t launch, std::size_t launches);
  Status read_stored(const launch::LaunchShape& shape, std::vector<launch::LaunchOutput>& outputs);
  // Each launch reads on where the one before it ended, so that nothing it reads is in a cache from
  // before unless all of the data is. The tile it begins at, of shape.data.
  std::uint32_t next_tile(const launch::LaunchShape& shape, std::uint32_t items);
  Status encode_maps(const launch::LaunchShape& shape, std::uint32_t items,
                     device::Device::Address payload_in, device::Arguments& arguments);
  // Waits for the one guarded launch. Step::launch, with all that is known of where it hangs.
  Status wait_for(const BatchRequest& request);

  device::Device& device_;
  GuardMemory guard_;
  BufferMemory buffers_;
  device::Device::Address region_ = 0;
  std::size_t region_bytes_ = 0;
  device::Device::Address kept_ = 0;  // what launches stored, one after the other
  std::size_t kept_bytes_ = 0;
  std::vector<std::byte> host_;
  std::uint64_t next_byte_ = 0;        // of data, after all that was read
  device::Device::HostMemory output_;  // a piece of a workload's
  // Of the workload whose output was checked last, whatever its tiles.
  std::optional<std::pair<launch::LaunchShape, launch::workload::Expected>> expected_;
};

}  // namespace phasebit::bench::point
