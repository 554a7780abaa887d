// A stranger's kernel: its duration by the device's events over the number of items.
#pragma once

#include "bench/point/buffers.h"
#include "bench/point/chain.h"

#include <optional>

namespace phasebit::bench::point {

// The builds of one, loaded.
struct ExternalBuilds {
  device::Device::Function timed = 0;
  device::Device::Function guarded = 0;
  std::optional<GuardedModule> guard;  // of the guarded build; nothing where there is none
};

class ExternalPoint {
 public:
  ExternalPoint(device::Device& device, GuardMemory& guard, const ExternalBuilds& builds,
                const MeasureRequest& request)
      : device_(device), guard_(guard), builds_(builds), request_(request), buffers_(device) {}

  // Room for its buffers, what they hold by files of the bundle, and the maps of what lies in them;
  // before all else.
  Status make_buffers(const fs::path& bundle);
  // A few launches of the guarded build, which must be there. Step::guard with the place of a wait
  // that does not end; Step::launch for a hang that is not a wait, with the breadcrumbs.
  Status run_guarded();
  // The timed build, of a kernel without a wait of which no figure is wanted. Step::launch where
  // it does not end.
  Status run_once();
  // Samples hold nanoseconds in the place of cycles, and no clock is known. Nothing it writes is
  // looked at: Quality says so.
  Result<Measurement> measure();

 private:
  const launch::ExternalLaunch& external() const { return *request_.variant->external; }
  Status run_guarded(std::uint32_t items);
  std::vector<std::byte> parameters(std::uint32_t items) const;
  Result<results::Sample> run(std::uint32_t items);
  Result<std::uint32_t> find_base();

  device::Device& device_;
  GuardMemory& guard_;
  const ExternalBuilds& builds_;
  const MeasureRequest& request_;
  BufferMemory buffers_;
  std::vector<launch::MapBytes> maps_;
};

}  // namespace phasebit::bench::point
