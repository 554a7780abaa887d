// Where a longest common subsequence may be cut in two.
#pragma once

#include <span>

namespace phasebit::compare::align {

struct Halves {
  int a = 0, b = 0;  // so many elements of each belong to the first half
};

// The first half of `a`, and a part of `b` from its start, so that a longest common subsequence of
// both and one of what is left make up one of all. Bit-parallel: time grows with the product of the
// lengths, divided by 64; memory with their sum. `a` has two elements or more.
Halves halve(std::span<const int> a, std::span<const int> b);

}  // namespace phasebit::compare::align
