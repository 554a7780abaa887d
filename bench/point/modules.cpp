#include "bench/point/modules.h"

namespace phasebit::bench::point {

Result<device::Device::Function> LoadedModules::function(const image::Image& image,
                                                         int dynamic_shared_bytes,
                                                         int padding_bytes) {
  const auto place = std::make_pair(image.module, padding_bytes);
  const auto key = std::make_tuple(image.module, padding_bytes, image.entry, dynamic_shared_bytes);
  if (const auto known = functions_.find(key); known != functions_.end()) return known->second;
  auto module = modules_.find(place);
  if (module == modules_.end()) {
    PHASEBIT_TRY_ASSIGN(cubin, image::read_module(bundle_, image, padding_bytes));
    PHASEBIT_TRY_ASSIGN(loaded, device_.load(cubin));
    module = modules_.emplace(place, loaded).first;
  }
  PHASEBIT_TRY_ASSIGN(function,
                      device_.function(module->second, image.entry, dynamic_shared_bytes));
  return functions_.emplace(key, function).first->second;
}

int LoadedModules::possible_padding(const image::Image& image, int wanted_bytes) const {
  return wanted_bytes != 0 && image::can_be_padded(bundle_, image) ? wanted_bytes : 0;
}

}  // namespace phasebit::bench::point
