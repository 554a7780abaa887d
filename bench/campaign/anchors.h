// The anchors: what they must come out at, and whether they do.
#pragma once

#include "bench/campaign/plan.h"
#include "bench/point/meter.h"
#include "bench/worker/handle.h"
#include "core/results/statistics.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::bench::campaign {

struct AnchorResult {
  results::Summary summary;
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

// The anchors, measured before anything else by the same code path.

struct AnchorPass {
  std::vector<results::PointRow> rows;  // in the order of the bundle
  std::map<std::string, AnchorResult> results;
  double timer_tick_ns = 0;  // 0 when its anchor was not measured
};

// An anchor that fails is an error row, and missing from the results.
AnchorPass measure_anchors(const launch::Manifest& manifest, worker::WorkerHandle& worker,
                           PointMaker maker, const results::Conditions& conditions);

// Step::device when the bundle has no anchors, or when a figure is off.
Status check_anchors(const AnchorPass& pass, const std::vector<AnchorFigure>& figures);

// Whether the figures of two members of a class can be those of one code.

// Measurements of both, under the same conditions. True when all of one side lie apart from all of
// the other by more than either side's own scatter, the intervals, half a cycle and 0.5 %.
bool are_apart(const std::vector<results::Summary>& first,
               const std::vector<results::Summary>& second);

// "ring/a 160.86, 160.85; ring/b 1464594.9, 1464595.1"
std::string in_words(const std::string& first_id, const std::vector<results::Summary>& first,
                     const std::string& second_id, const std::vector<results::Summary>& second);

}  // namespace phasebit::bench::campaign
