#include "bench/worker/message.h"

#include "core/base/fields_json.h"

#include <type_traits>

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

// A whole number that the field cannot hold, such as a fraction, is an error of the message.
template <typename Value>
void read_field(const json& in, Value& value) {
  if constexpr (phasebit::base::IsNumber<Value>)
    if (!phasebit::base::holds_whole<Value>(in))
      throw json::other_error::create(501, "no number of the field: " + in.dump(), &in);
  if constexpr (std::is_enum_v<Value>) {
    std::underlying_type_t<Value> number{};
    read_field(in, number);
    value = static_cast<Value>(number);
  } else {
    in.get_to(value);
  }
}
template <typename Value>
void read_field(const json& in, std::vector<Value>& values) {
  if (!in.is_array()) throw json::other_error::create(501, "no list: " + in.dump(), &in);
  for (const json& one : in) read_field(one, values.emplace_back());
}

}  // namespace

#define PHASEBIT_READ_FIELD(name) read_field(nlohmann_json_j.at(#name), nlohmann_json_t.name);

// The types are of several rooms: no functions of this one would be found by their arguments.
#define PHASEBIT_JSON_FIELDS(Type, ...)                                           \
  template <>                                                                     \
  struct nlohmann::adl_serializer<Type> {                                         \
    static void to_json(json& nlohmann_json_j, const Type& nlohmann_json_t) {     \
      NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))    \
    }                                                                             \
    static void from_json(const json& nlohmann_json_j, Type& nlohmann_json_t) {   \
      NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(PHASEBIT_READ_FIELD, __VA_ARGS__)) \
    }                                                                             \
  };

PHASEBIT_JSON_FIELDS(phasebit::results::Conditions, sm, first_warp, start_offset, padding,
                     gap_after, gap_warps)
PHASEBIT_JSON_FIELDS(phasebit::bench::point::PointRequest, variant_hash, placement, seed,
                     max_rounds, max_seconds, timer_tick_ns, hang_seconds, counters)
PHASEBIT_JSON_FIELDS(phasebit::results::DeviceRow, uuid, name, driver, target, multiprocessors,
                     l2_bytes, max_clock_khz)
PHASEBIT_JSON_FIELDS(phasebit::bench::device::DeviceInfo, row, sm, max_shared_bytes_per_cta,
                     max_threads_per_cta, launches_clusters, unknown)
PHASEBIT_JSON_FIELDS(phasebit::results::ReadingName, name, unit)
PHASEBIT_JSON_FIELDS(phasebit::results::Counter, name, value)
PHASEBIT_JSON_FIELDS(phasebit::Error, step, message, hint)

template <>
struct nlohmann::adl_serializer<phasebit::Word> {
  static void to_json(json& out, const phasebit::Word& word) { out = word.text(); }
  static void from_json(const json& in, phasebit::Word& word) { word = in.get<std::string>(); }
};

// A list: its items, its cycles, its readings.
template <>
struct nlohmann::adl_serializer<phasebit::results::Sample> {
  static void to_json(json& out, const phasebit::results::Sample& sample) {
    out = {sample.items, sample.cycles};
    for (const std::uint64_t reading : sample.readings) out.push_back(reading);
  }
  static void from_json(const json& in, phasebit::results::Sample& sample) {
    read_field(in.at(0), sample.items);
    read_field(in.at(1), sample.cycles);
    for (std::size_t n = 2; n < in.size(); ++n) read_field(in[n], sample.readings.emplace_back());
  }
};

PHASEBIT_JSON_FIELDS(phasebit::results::Bend, reading, slopes)
PHASEBIT_JSON_FIELDS(phasebit::results::Quality, items_only, gate, outputs_verified, too_wide,
                     modes, bends, padded, clock_ok, throttled, first_use, no_counters)
PHASEBIT_JSON_FIELDS(phasebit::results::DeviceState, sm_megahertz, memory_megahertz, watts)
PHASEBIT_JSON_FIELDS(phasebit::bench::point::Measurement, samples, readings, counters, megahertz,
                     quality, sms, state, timer_step_ns, notes)

namespace phasebit::bench::worker {
namespace {

// One of an enumeration, of which `last` is the last.
template <typename Enumeration>
Enumeration value_of(const json& number, Enumeration last) {
  std::int64_t value = 0;
  read_field(number, value);
  if (value < 0 || value > static_cast<std::int64_t>(last))
    throw json::other_error::create(501, fmt::format("{} is out of range", value), &number);
  return static_cast<Enumeration>(value);
}

}  // namespace

std::string encode(const point::PointRequest& request) {
  return json(request).dump();
}

Result<point::PointRequest> decode_request(const std::string& line) {
  try {
    return json::parse(line).get<point::PointRequest>();
  } catch (const json::exception& error) {
    return fail(Step::io, "request not understood: {}", error.what());
  }
}

std::string encode(const WorkerReply& reply) {
  struct Encoder {
    json operator()(const device::DeviceInfo& info) const { return {{"device", info}}; }
    json operator()(point::Phase phase) const { return {{"phase", static_cast<int>(phase)}}; }
    json operator()(const point::Measurement& measurement) const {
      return {{"measurement", measurement}};
    }
    json operator()(const Error& error) const { return {{"error", error}}; }
  };
  // A device's or driver's text may hold anything.
  return std::visit(Encoder{}, reply).dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<WorkerReply> decode_reply(const std::string& line) {
  try {
    const json reply = json::parse(line);
    if (!reply.is_object() || reply.size() != 1)
      return fail(Step::io, "reply of the worker not understood: no object of one member");
    const std::string kind = reply.begin().key();
    const json& body = reply.begin().value();
    if (kind == "device") return body.get<device::DeviceInfo>();
    if (kind == "phase") return value_of(body, point::Phase::timed);
    if (kind == "measurement") return body.get<point::Measurement>();
    auto error = reply.at("error").get<Error>();
    error.step = value_of(reply.at("error").at("step"), Step::io);
    return error;
  } catch (const json::exception& error) {
    return fail(Step::io, "reply of the worker not understood: {}", error.what());
  }
}

}  // namespace phasebit::bench::worker
