// Under which conditions a point was measured that must not matter to its figure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::record {

// Where a point ran.
struct Placement {
  int sm = 0;          // the target SM
  int first_warp = 0;  // shift of the roles over the sub-partitions
  bool operator==(const Placement&) const = default;
};

// A repetition changes one of them on purpose; how far the figure moves then is its floor
// (docs/measuring.md, Floors).
struct Conditions : Placement {
  std::uint32_t start_offset = 0;    // KernelParams::start_offset
  int padding = 0;                   // bytes of NOPs before the kernel's first instruction
  int gap_after = 0, gap_warps = 0;  // idle warps between the others: KernelParams
  int idle_warps() const { return first_warp + gap_warps; }
  // Of a warp as it was launched the number that roles and records know.
  int numbered(int launched) const;
  bool operator==(const Conditions&) const = default;
};

// What differs from none beside the placement: "start_offset:7", "padding:208", "gap:3@1".
std::vector<std::string> words_of(const Conditions& conditions);

}  // namespace phasebit::record
