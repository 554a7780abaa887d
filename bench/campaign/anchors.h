// The anchors: what they must come out at, and whether they do.
#pragma once

#include "bench/point/meter.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::bench::campaign {

struct AnchorResult {
  record::Summary summary;
  double megahertz = 0;
  std::uint32_t timer_step_ns = 0;
};

struct AnchorFigure {
  std::string name;  // "fma"
  std::string unit;
  double value = 0;
  double low = 0, high = 0;
  const char* reason = "";  // why it must lie there
  bool missing = false;     // an anchor that it needs was not measured
  bool ok() const { return !missing && value >= low && value <= high; }
  // "fma: 4.00 cycles, expected 3.9 to 4.1 (...)"
  std::string text() const;
};

// `results` by the part of the id after "anchor/".
std::vector<AnchorFigure> judge_anchors(const std::map<std::string, AnchorResult>& results,
                                        const device::DeviceInfo& device);

// The anchor to run when it must be shown that the GPU still works.
inline constexpr const char* liveness_anchor = "anchor/clock_pair";

}  // namespace phasebit::bench::campaign
