// Blocks and instructions have numbers that are ints; containers take another type.
#pragma once

#include <cstddef>

namespace phasebit::flow {

// Of a number that is not negative.
inline std::size_t index_of(int number) {
  return static_cast<std::size_t>(number);
}

}  // namespace phasebit::flow
