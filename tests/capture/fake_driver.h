#pragma once

#include <cstddef>
#include <string_view>

#include <cuda.h>

namespace phasebit::test {

struct FakeKernel {
  const char* name;
  int parameters;
  std::size_t offsets[4], bytes[4];
  int registers;
};

}  // namespace phasebit::test
