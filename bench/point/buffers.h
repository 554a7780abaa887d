// The buffers that a kernel asks for: made once, filled before each launch.
#pragma once

#include "bench/device/device.h"
#include "core/launch/buffer.h"
#include "core/launch/bundle.h"
#include "core/launch/guard_sites.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace phasebit::bench::point {

// One object serves many kernels, one after the other: memory is kept and grows.
class BufferMemory {
 public:
  explicit BufferMemory(device::Device& device) : device_(device) {}

  // Bytes of a buffer, over its fill.
  struct Contents {
    std::size_t buffer = 0;  // which one
    std::uint64_t at = 0;    // in it
    std::string bytes;
  };
  // Memory for these, zeroed, and what they are filled from. Nothing when they are those of the
  // last call: what is filled with `none` stays as it is.
  Status make(const std::vector<launch::Buffer>& buffers,
              const std::vector<Contents>& contents = {});
  // Queues the fills.
  Status fill();
  const std::vector<device::Device::Address>& addresses() const { return addresses_; }

 private:
  struct Room {
    device::Device::Address address = 0;
    std::size_t bytes = 0;
  };
  Status write_blocks(const launch::Buffer& buffer, device::Device::Address to);
  Status reserve(Room& room, std::size_t bytes);
  Status keep(const std::vector<Contents>& contents);

  device::Device& device_;
  std::vector<launch::Buffer> buffers_;
  std::vector<Room> rooms_, contents_;  // in the order of the buffers
  struct Kept {
    device::Device::Address from = 0, to = 0;
    std::size_t bytes = 0;
  };
  std::vector<Kept> kept_;
  Room all_kept_;
  std::vector<device::Device::Address> addresses_;
};

// The block of memory that a guarded launch shares with its host (core/launch/guard_sites.h).

// Which memory a guarded kernel looks for, and what its numbers stand for.
struct GuardedModule {
  device::Device::Address variable = 0;  // of its module's pb_guard
  const launch::GuardTable* table = nullptr;
};

class GuardMemory {
 public:
  explicit GuardMemory(device::Device& device) : device_(device) {}

  // Queues what the next launch needs: a zeroed block for so many CTAs at `variable`.
  Status prepare(device::Device::Address variable, int ctas, std::uint64_t limit_ns);

  // What the launch has left so far; it need not have ended.
  launch::GuardReport report() const;
  std::vector<std::uint32_t> crumbs() const;

 private:
  Status reserve(std::size_t ctas);
  Status set(device::Device::Address address, std::uint64_t value);

  device::Device& device_;
  device::Device::Address block_ = 0;
  device::Device::HostMemory host_;  // the report, then the crumbs
  std::size_t ctas_ = 0;             // that both have room for
};

// The modules of a bundle on the device, each loaded once for every place of its code.

class LoadedModules {
 public:
  LoadedModules(device::Device& device, fs::path bundle)
      : device_(device), bundle_(std::move(bundle)) {}

  // The kernel of an image whose code has so much padding before it.
  Result<device::Device::Function> function(const launch::Image& image, int dynamic_shared_bytes,
                                            int padding_bytes = 0);
  // The padding that an image can have of the wanted one: all of it, or none where its module
  // cannot be padded.
  int possible_padding(const launch::Image& image, int wanted_bytes) const;
  // Of an image whose function was asked for without padding.
  device::Device::Module module_of(const launch::Image& image) const {
    return modules_.at({image.module, 0});
  }

 private:
  device::Device& device_;
  fs::path bundle_;
  std::map<std::pair<std::string, int>, device::Device::Module> modules_;  // by hash and padding
  // By those, entry and dynamic shared memory.
  std::map<std::tuple<std::string, int, std::string, int>, device::Device::Function> functions_;
};

}  // namespace phasebit::bench::point
