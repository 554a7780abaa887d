#include "bench/device/cuda_tensor_map.h"

#include <vector>

namespace phasebit::bench::device {

using image::tensor::TensorMap;

namespace {

static_assert(sizeof(EncodedMap) == sizeof(CUtensorMap));
static_assert(alignof(EncodedMap) >= alignof(CUtensorMap));

// The enumerations are in the driver's order (core/image/tensor/map.h).
using image::tensor::TensorElement;
using image::tensor::TensorSwizzle;
static_assert(static_cast<int>(TensorElement::tf32_ftz) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
static_assert(static_cast<int>(TensorElement::f16) == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
static_assert(static_cast<int>(TensorSwizzle::by_128) == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(static_cast<int>(TensorSwizzle::atom_64) == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
static_assert(static_cast<int>(image::tensor::TensorInterleave::by_32) ==
              CU_TENSOR_MAP_INTERLEAVE_32B);
static_assert(static_cast<int>(image::tensor::TensorPromotion::to_256) ==
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

}  // namespace phasebit::bench::device
