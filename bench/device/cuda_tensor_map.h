// A tensor map as the driver encodes it.
#pragma once

#include "bench/device/cuda_driver.h"
#include "bench/device/device.h"

namespace phasebit::bench::device {

// As Device::encode.
Result<EncodedMap> encode_tensor_map(const CudaDriver& driver, const image::tensor::TensorMap& map,
                                     std::uint64_t tensor);

}  // namespace phasebit::bench::device
