// A Hopper GEMM of half precision by CUTLASS's CollectiveBuilder. SCHEDULE says which of the two
// warp-specialised schedules: Pingpong or Cooperative.
#include <cute/tensor.hpp>
#include <cutlass/cutlass.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#ifndef SCHEDULE
#define SCHEDULE Pingpong
#endif
#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)

using Main = cutlass::gemm::NAMED(KernelTmaWarpSpecialized, SCHEDULE);
using Last =
    std::conditional_t<std::is_same_v<Main, cutlass::gemm::KernelTmaWarpSpecializedPingpong>,
                       cutlass::epilogue::TmaWarpSpecialized,
                       cutlass::epilogue::TmaWarpSpecializedCooperative>;
using Half = cutlass::half_t;
using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;
using Tile = cute::Shape<
    std::conditional_t<std::is_same_v<Main, cutlass::gemm::KernelTmaWarpSpecializedPingpong>,
                       cute::_64, cute::_128>,
    cute::_128, cute::_64>;
using Cluster = cute::Shape<cute::_1, cute::_2, cute::_1>;
constexpr int aligned = 8;

using Epilogue = cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, Half, Row, aligned, Half, Row,
    aligned, Last>::CollectiveOp;
using Mainloop = cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Half, Row, aligned, Half, Column, aligned,
    float, Tile, Cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<sizeof(typename Epilogue::SharedStorage)>,
    Main>::CollectiveOp;
using Kernel =
    cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Mainloop, Epilogue>;
using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

// Instantiates the kernel.
cutlass::Status multiply(const typename Gemm::Arguments& arguments, void* workspace) {
  Gemm gemm;
  const auto status = gemm.initialize(arguments, workspace);
  return status == cutlass::Status::kSuccess ? gemm.run() : status;
}
