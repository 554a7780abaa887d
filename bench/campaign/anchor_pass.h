// The anchors, measured before anything else by the same code path.
#pragma once

#include "bench/campaign/anchors.h"
#include "bench/campaign/point_maker.h"
#include "bench/worker/handle.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::bench::campaign {

struct AnchorPass {
  std::vector<record::PointRow> rows;  // in the order of the bundle
  std::map<std::string, AnchorResult> results;
  double timer_tick_ns = 0;  // 0 when its anchor was not measured
};

// An anchor that fails is an error row, and missing from the results.
AnchorPass measure_anchors(const image::Manifest& manifest, worker::WorkerHandle& worker,
                           PointMaker maker, const record::Conditions& conditions);

// Step::device when the bundle has none, or when a figure is off.
Status check_anchors(const AnchorPass& pass, const std::vector<AnchorFigure>& figures);

}  // namespace phasebit::bench::campaign
