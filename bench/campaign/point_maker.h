// From a variant and a place to the row that will hold its samples, and to the worker's request.
#pragma once

#include "bench/worker/message.h"
#include "core/image/manifest.h"
#include "core/record/conditions.h"

#include <string>

namespace phasebit::bench::campaign {

struct PointMaker {
  std::string device_uuid, run_id;
  int max_rounds = 64;
  double max_seconds = 0.25;
  double timer_tick_ns = 1000;  // the coarsest known, until the anchor has measured it

  // The row of a point, still without samples.
  record::PointRow row(const image::BundleVariant& variant, record::PointKind kind,
                       const record::Conditions& conditions) const;
  // The payload differs from repetition to repetition, and is the same when a point is repeated.
  worker::PointRequest request(const record::PointRow& row,
                               const record::Conditions& conditions) const;
};

// Puts what was measured, or why nothing was, into the row.
void fill_row(record::PointRow& row, const Result<point::Measurement>& measured);

}  // namespace phasebit::bench::campaign
