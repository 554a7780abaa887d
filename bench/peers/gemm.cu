// A product by CUTLASS's collectives, with the tile of the workload gemm, each cluster shape, and
// ping-pong, timed as phasebit-bench times a workload. A program of its own.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cute/tensor.hpp>
#include <cutlass/cutlass.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/version.h>

namespace {

using cute::_1;
using cute::_2;
using Element = cutlass::bfloat16_t;
constexpr int aligned = 8, warm = 5, launches = 40;

struct Shape {
  int m, n, k;
};
struct Buffers {
  Element *a, *b, *out;
};

#define CHECK(call)                                           \
  if (const cudaError_t error = (call); error != cudaSuccess) \
  std::printf("%s: %s\n", #call, cudaGetErrorString(error)), std::exit(1)

// Normal enough: sums of four uniform numbers.
__global__ void draw(Element* to, std::size_t count, unsigned seed) {
  for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count;
       n += std::size_t{gridDim.x} * blockDim.x) {
    unsigned x = static_cast<unsigned>(n) * 2654435761U + seed;
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      x ^= x << 13, x ^= x >> 17, x ^= x << 5;
      sum += static_cast<float>(x) * 0x1p-32F - 0.5F;
    }
    to[n] = Element(sum * 1.732F);
  }
}

template <class Tile, class Cluster, class Mainloop, class Stores>
void time_kernel(const char* name, const Shape& shape, const Buffers& buffers) {
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, void,
      cutlass::layout::RowMajor, aligned, Element, cutlass::layout::RowMajor, aligned,
      Stores>::CollectiveOp;
  using Loop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, cutlass::layout::RowMajor,
      aligned, Element, cutlass::layout::ColumnMajor, aligned, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Epilogue::SharedStorage))>,
      Mainloop>::CollectiveOp;
  using Kernel =
      cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Loop, Epilogue>;
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;
  for (const int swizzle : {1, 8}) {
    typename Gemm::Arguments arguments{
        cutlass::gemm::GemmUniversalMode::kGemm,
        {shape.m, shape.n, shape.k, 1},
        {buffers.a, cute::make_stride(std::int64_t{shape.k}, _1{}, std::int64_t{0}), buffers.b,
         cute::make_stride(std::int64_t{shape.k}, _1{}, std::int64_t{0})},
        {{1.0F, 0.0F},
         nullptr,
         cute::make_stride(std::int64_t{shape.n}, _1{}, std::int64_t{0}),
         buffers.out,
         cute::make_stride(std::int64_t{shape.n}, _1{}, std::int64_t{0})}};
    arguments.scheduler.max_swizzle_size = swizzle;
    Gemm gemm;
    if (gemm.can_implement(arguments) != cutlass::Status::kSuccess ||
        gemm.initialize(arguments) != cutlass::Status::kSuccess) {
      std::printf("%s: cannot be launched\n", name);
      return;
    }
    cudaEvent_t before, behind;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&behind));
    std::vector<float> durations;
    for (int launch = 0; launch < warm + launches; ++launch) {
      CHECK(cudaMemsetAsync(buffers.out, 0x3f, sizeof(Element) * shape.m * std::size_t(shape.n)));
      CHECK(cudaEventRecord(before));
      gemm.run();
      CHECK(cudaEventRecord(behind));
      CHECK(cudaDeviceSynchronize());
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, before, behind));
      if (launch >= warm) durations.push_back(1000 * ms);
    }
    std::sort(durations.begin(), durations.end());
    const double us = durations[launches / 2];
    std::printf("%d x %d x %d, %s, max_swizzle %d: %.1f us, %.1f TFLOP/s\n", shape.m, shape.n,
                shape.k, name, swizzle, us, 2e-6 * shape.m * shape.n * shape.k / us);
  }
}

}  // namespace

int main() {
  using Together = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
  using InTurns = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
  using StoreTogether = cutlass::epilogue::TmaWarpSpecializedCooperative;
  using StoreInTurns = cutlass::epilogue::TmaWarpSpecialized;
  using Wide = cute::Shape<cute::_128, cute::_256, cute::_64>;
  using Square = cute::Shape<cute::_128, cute::_128, cute::_64>;
  std::printf("CUTLASS %d.%d.%d\n", CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH);
  for (const Shape& shape : {Shape{8192, 8192, 8192}, Shape{4096, 8192, 4096}}) {
    Buffers buffers{};
    const auto make = [](Element*& to, std::size_t count, unsigned seed) {
      CHECK(cudaMalloc(&to, sizeof(Element) * count));
      draw<<<1024, 256>>>(to, count, seed);
    };
    make(buffers.a, shape.m * std::size_t(shape.k), 1);
    make(buffers.b, shape.n * std::size_t(shape.k), 2);
    make(buffers.out, shape.m * std::size_t(shape.n), 3);
    time_kernel<Wide, cute::Shape<_1, _1, _1>, Together, StoreTogether>(
        "128 x 256, cooperative, 1x1", shape, buffers);
    time_kernel<Wide, cute::Shape<_2, _1, _1>, Together, StoreTogether>(
        "128 x 256, cooperative, 2x1", shape, buffers);
    time_kernel<Wide, cute::Shape<_1, _2, _1>, Together, StoreTogether>(
        "128 x 256, cooperative, 1x2", shape, buffers);
    time_kernel<Square, cute::Shape<_2, _1, _1>, InTurns, StoreInTurns>("128 x 128, ping-pong, 2x1",
                                                                        shape, buffers);
    CHECK(cudaFree(buffers.a));
    CHECK(cudaFree(buffers.b));
    CHECK(cudaFree(buffers.out));
  }
  return 0;
}
