// The buffers that a kernel asks for: made once, filled before each launch.
#pragma once

#include "bench/device/device.h"
#include "core/image/buffer.h"

#include <cstddef>
#include <vector>

namespace phasebit::bench::point {

// One object serves many kernels, one after the other: memory is kept and grows.
class BufferMemory {
 public:
  explicit BufferMemory(device::Device& device) : device_(device) {}

  // Memory for these, zeroed, and what `index` and `random` are filled from. Nothing when they are
  // those of the last call: what is filled with `none` stays as it is.
  Status make(const std::vector<image::Buffer>& buffers);
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

  device::Device& device_;
  std::vector<image::Buffer> buffers_;
  std::vector<Room> rooms_, contents_;  // in the order of the buffers
  std::vector<device::Device::Address> addresses_;
};

}  // namespace phasebit::bench::point
