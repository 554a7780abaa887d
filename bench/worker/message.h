// What the bench and its worker process say to each other: one JSON object a line.
#pragma once

#include "bench/point/meter.h"

#include <string>
#include <variant>

namespace phasebit::bench::worker {

// To the worker.
struct PointRequest {
  std::string variant_hash;
  record::Conditions placement;
  std::uint32_t seed = 0;
  int max_rounds = 64;
  double max_seconds = 0.25;
  double timer_tick_ns = 1000;
  double hang_seconds = 5;  // for the end of a guarded launch: less than the watchdog's time
};

std::string encode(const PointRequest& request);
Result<PointRequest> decode_request(const std::string& line);

// From the worker: first its device or why there is none; then for each request the phases it goes
// through and at last a measurement or an error.
using WorkerReply = std::variant<device::DeviceInfo, point::Phase, point::Measurement, Error>;

std::string encode(const WorkerReply& reply);
Result<WorkerReply> decode_reply(const std::string& line);

}  // namespace phasebit::bench::worker
