#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <cuda.h>

namespace phasebit::test {

// A stream that a graph is made of.
inline const auto captured_stream = reinterpret_cast<CUstream>(std::uintptr_t{64});

struct FakeKernel {
  const char* name;
  int parameters;
  std::size_t offsets[4], bytes[4];
  int registers;
};

}  // namespace phasebit::test
