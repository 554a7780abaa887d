#include "bench/worker/message.h"

#include <nlohmann/json.hpp>

namespace phasebit {

using nlohmann::json;

// Found by argument-dependent lookup, hence in the namespace of the types.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Conditions, sm, first_warp, start_offset, padding, gap_after,
                                   gap_warps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PointRequest, variant_hash, placement, seed, max_rounds,
                                   max_seconds, timer_tick_ns, hang_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceRow, uuid, name, driver, target, multiprocessors, l2_bytes,
                                   max_clock_khz)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceInfo, row, sm, max_shared_bytes_per_cta,
                                   max_threads_per_cta, launches_clusters, unknown)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReadingName, name, unit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Error, step, message, hint)

// A sample is a list: its items, its cycles, its readings.
static json list_of(const Sample& sample) {
  json list = {sample.items, sample.cycles};
  for (const std::uint64_t reading : sample.readings) list.push_back(reading);
  return list;
}

static Sample sample_of(const json& list) {
  Sample sample{list.at(0).get<std::uint32_t>(), list.at(1).get<std::uint64_t>(), {}};
  for (std::size_t n = 2; n < list.size(); ++n)
    sample.readings.push_back(list[n].get<std::uint64_t>());
  return sample;
}

static void to_json(json& out, const Measurement& measurement) {
  json samples = json::array();
  for (const Sample& sample : measurement.samples) samples.push_back(list_of(sample));
  out = {{"samples", samples},
         {"readings", measurement.readings},
         {"megahertz", measurement.megahertz},
         {"flags", measurement.flags},
         {"timer_step_ns", measurement.timer_step_ns}};
}

static void from_json(const json& in, Measurement& measurement) {
  for (const json& list : in.at("samples")) measurement.samples.push_back(sample_of(list));
  in.at("readings").get_to(measurement.readings);
  in.at("megahertz").get_to(measurement.megahertz);
  in.at("flags").get_to(measurement.flags);
  in.at("timer_step_ns").get_to(measurement.timer_step_ns);
}

std::string encode(const PointRequest& request) {
  return json(request).dump();
}

Result<PointRequest> decode_request(const std::string& line) {
  try {
    return json::parse(line).get<PointRequest>();
  } catch (const json::exception& error) {
    return fail(Step::io, "request not understood: {}", error.what());
  }
}

std::string encode(const WorkerReply& reply) {
  struct Encoder {
    json operator()(const DeviceInfo& info) const { return {{"device", info}}; }
    json operator()(Phase phase) const { return {{"phase", static_cast<int>(phase)}}; }
    json operator()(const Measurement& measurement) const { return {{"measurement", measurement}}; }
    json operator()(const Error& error) const { return {{"error", error}}; }
  };
  // A device's or driver's text may hold anything.
  return std::visit(Encoder{}, reply).dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<WorkerReply> decode_reply(const std::string& line) {
  try {
    const json reply = json::parse(line);
    const std::string kind = reply.begin().key();
    const json& body = reply.begin().value();
    if (kind == "device") return body.get<DeviceInfo>();
    if (kind == "phase") return static_cast<Phase>(body.get<int>());
    if (kind == "measurement") return body.get<Measurement>();
    return reply.at("error").get<Error>();
  } catch (const json::exception& error) {
    return fail(Step::io, "reply of the worker not understood: {}", error.what());
  }
}

}  // namespace phasebit
