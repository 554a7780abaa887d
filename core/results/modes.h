// What a pass over processes and places says of a variant: one figure, or several, and what
// separates them.
#pragma once

#include "core/results/record.h"

#include <string>
#include <vector>

namespace phasebit::results {

struct ModeObservation {
  int process = 0;
  Placement placement;
  double cycles = 0;
};

struct ModeReport {
  struct Mode {
    double cycles = 0;  // median of its places
    std::size_t places = 0;
  };
  std::vector<Mode> modes;  // ascending; one when nothing separates
  std::size_t places = 0;
  double lowest = 0, highest = 0;
  // The factors (process, SM, first_warp) whose value alone tells the mode: "SM (0 | 66)".
  std::vector<std::string> separators;
};

// Of nothing: no modes.
ModeReport separate_modes(const std::vector<ModeObservation>& observations);

// "one mode: 41.00 cycles in 48 places", or each mode with its share and its separators.
std::string describe_modes(const std::vector<ModeObservation>& observations);

}  // namespace phasebit::results
