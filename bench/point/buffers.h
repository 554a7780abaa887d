// The buffers that a kernel asks for: made once, filled before each launch.
#pragma once

#include "bench/device/device.h"
#include "core/image/buffer.h"

#include <cstddef>
#include <string>
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
  Status make(const std::vector<image::Buffer>& buffers,
              const std::vector<Contents>& contents = {});
  // Queues the fills.
  Status fill();
  const std::vector<device::Device::Address>& addresses() const { return addresses_; }

 private:
  struct Room {
    device::Device::Address address = 0;
    std::size_t bytes = 0;
  };
  Status write_blocks(const image::Buffer& buffer, device::Device::Address to);
  Status reserve(Room& room, std::size_t bytes);
  Status keep(const std::vector<Contents>& contents);

  device::Device& device_;
  std::vector<image::Buffer> buffers_;
  std::vector<Room> rooms_, contents_;  // in the order of the buffers
  struct Kept {
    device::Device::Address from = 0, to = 0;
    std::size_t bytes = 0;
  };
  std::vector<Kept> kept_;
  Room all_kept_;
  std::vector<device::Device::Address> addresses_;
};

}  // namespace phasebit::bench::point
