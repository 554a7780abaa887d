// The modules of a bundle on the device, each loaded once for every place of its code.
#pragma once

#include "bench/device/device.h"
#include "core/image/bundle.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace phasebit::bench::point {

class LoadedModules {
 public:
  LoadedModules(device::Device& device, fs::path bundle)
      : device_(device), bundle_(std::move(bundle)) {}

  // The kernel of an image whose code has so much padding before it.
  Result<device::Device::Function> function(const image::Image& image, int dynamic_shared_bytes,
                                            int padding_bytes = 0);
  // The padding that an image can have of the wanted one: all of it, or none where its module
  // cannot be padded.
  int possible_padding(const image::Image& image, int wanted_bytes) const;
  // Of an image whose function was asked for without padding.
  device::Device::Module module_of(const image::Image& image) const {
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
