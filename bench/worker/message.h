// What the bench and its worker process say to each other: one JSON object a line.
#pragma once

#include "bench/device/device.h"
#include "bench/point/chain.h"

#include <string>
#include <variant>

namespace phasebit::bench::worker {

// To the worker.
std::string encode(const point::PointRequest& request);
Result<point::PointRequest> decode_request(const std::string& line);

// From the worker: first its device or why there is none; then for each request the phases it goes
// through and at last a measurement or an error.
using WorkerReply = std::variant<device::DeviceInfo, point::Phase, point::Measurement, Error>;

std::string encode(const WorkerReply& reply);
Result<WorkerReply> decode_reply(const std::string& line);

}  // namespace phasebit::bench::worker
