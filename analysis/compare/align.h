// Alignment of two sequences.
#pragma once

#include <utility>
#include <vector>

namespace phasebit {

// Index pairs of a longest common subsequence, ascending in both. E. W. Myers, "An O(ND) Difference
// Algorithm and Its Variations" (1986), in linear space: time grows with the length times the
// number of differences, memory with the length. What only one side holds costs nothing more.
std::vector<std::pair<int, int>> align(const std::vector<int>& first,
                                       const std::vector<int>& second);

}  // namespace phasebit
