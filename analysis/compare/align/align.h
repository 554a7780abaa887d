// Alignment of two sequences.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace phasebit::compare::align {

using IndexPairs = std::vector<std::pair<int, int>>;

// Index pairs of a longest common subsequence, ascending in both. E. W. Myers, "An O(ND) Difference
// Algorithm and Its Variations" (1986), in linear space: time grows with the length times the
// number of differences, memory with the length. What only one side holds costs nothing more. Where
// the differences are so many that a row of bits for each element is less work, the sequences are
// halved by that: H. Hyyrö, "Bit-Parallel LCS-length Computation Revisited" (2004), in the scheme
// of D. S. Hirschberg (1975).
IndexPairs align(const std::vector<int>& first, const std::vector<int>& second);

// The same between anchors, where both sequences are long: runs whose elements are the same in
// full (`first_whole`, `second_whole`: a hash for each element) and that each side has once, as
// many of them as keep their order. What is long and mostly equal then takes linear time.
IndexPairs align_by_anchors(const std::vector<int>& first, const std::vector<int>& second,
                            const std::vector<std::uint64_t>& first_whole,
                            const std::vector<std::uint64_t>& second_whole);

// Where a longest common subsequence may be cut in two.

struct Halves {
  int a = 0, b = 0;  // so many elements of each belong to the first half
};

// The first half of `a`, and a part of `b` from its start, so that a longest common subsequence of
// both and one of what is left make up one of all. Bit-parallel: time grows with the product of the
// lengths, divided by 64; memory with their sum. `a` has two elements or more.
Halves halve(std::span<const int> a, std::span<const int> b);

}  // namespace phasebit::compare::align
