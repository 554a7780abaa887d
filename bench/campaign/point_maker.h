// From a variant and a place to the row that will hold its samples, and to the worker's request.
#pragma once

#include "bench/worker/message.h"
#include "core/image/manifest.h"
#include "core/record/conditions.h"

#include <string>

namespace phasebit {

struct PointMaker {
  std::string device_uuid, run_id;
  int max_rounds = 64;
  double max_seconds = 0.25;
  double timer_tick_ns = 1000;  // the coarsest known, until the anchor has measured it

  // The row of a point, still without samples.
  PointRow row(const BundleVariant& variant, PointKind kind, const Conditions& conditions) const;
  // The payload differs from repetition to repetition, and is the same when a point is repeated.
  PointRequest request(const PointRow& row, const Conditions& conditions) const;
};

// Puts what was measured, or why nothing was, into the row.
void fill_row(PointRow& row, const Result<Measurement>& measured);

}  // namespace phasebit
