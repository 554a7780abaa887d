// What a launch was, as a line of JSON in a file of the process; join/capture/captured.cpp reads
// it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda.h>

namespace phasebit::bench::capture {

struct LaunchNote {
  CUfunction function = nullptr;
  std::array<unsigned, 3> grid{}, block{}, cluster{1, 1, 1};
  unsigned shared_bytes = 0;
  bool cooperative = false;
  CUstream stream = nullptr;
  void** parameters = nullptr;  // one address each, or
  void** extra = nullptr;       // a block of bytes, as cuLaunchKernel takes them
};
// Once for launches that are alike; how often they came is noted when the process ends. Where the
// contents of buffers are wanted, those that the first of them finds.
void note(const LaunchNote& launch);

// A map that the driver has encoded: its arguments, by the 128 bytes that kernels take.
struct MapNote {
  const CUtensorMap* encoded = nullptr;
  CUtensorMapDataType element{};
  std::uint64_t address = 0;
  std::vector<std::uint64_t> sizes, strides;
  std::vector<std::uint32_t> box, steps;
  CUtensorMapInterleave interleave{};
  CUtensorMapSwizzle swizzle{};
  CUtensorMapL2promotion promotion{};
  CUtensorMapFloatOOBfill fill{};
  std::vector<int> lower, upper;  // of im2col
  std::uint32_t channels = 0, pixels = 0;
};
void note(const MapNote& map);

}  // namespace phasebit::bench::capture
