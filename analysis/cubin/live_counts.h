// How many registers of each kind are live at one place.
#pragma once

#include <algorithm>

namespace phasebit::cubin {

// At an instruction: those it reads, those it writes, and those that keep a value across it. The
// stack pointer R1 is one of them.
struct LiveCounts {
  int registers = 0;           // R, a thread
  int predicates = 0;          // P
  int uniform_registers = 0;   // UR, a warp
  int uniform_predicates = 0;  // UP

  bool operator==(const LiveCounts&) const = default;
};

// The larger of each kind.
inline LiveCounts peak(const LiveCounts& a, const LiveCounts& b) {
  return {std::max(a.registers, b.registers), std::max(a.predicates, b.predicates),
          std::max(a.uniform_registers, b.uniform_registers),
          std::max(a.uniform_predicates, b.uniform_predicates)};
}

}  // namespace phasebit::cubin
