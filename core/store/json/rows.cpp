#include "core/store/json/rows.h"

namespace phasebit::store::json {

using base::JsonFields;
using record::DeviceRow;
using record::RunRow;

using nlohmann::ordered_json;

ordered_json json_of(const DeviceRow& device) {
  return {{"type", "device"},
          {"uuid", device.uuid},
          {"name", device.name},
          {"driver", device.driver},
          {"target", device.target},
          {"multiprocessors", device.multiprocessors},
          {"l2_bytes", device.l2_bytes},
          {"max_clock_khz", device.max_clock_khz}};
}

ordered_json json_of(const RunRow& run) {
  return {{"type", "run"},
          {"id", run.id},
          {"started", run.started},
          {"command", run.command},
          {"commit", run.commit},
          {"ptxas", run.ptxas},
          {"target", run.target},
          {"sweep", run.sweep},
          {"order_seed", run.order_seed},
          {"timer_tick_ns", run.timer_tick_ns},
          {"driver", run.driver}};
}

DeviceRow device_of(JsonFields& fields) {
  DeviceRow device;
  device.uuid = fields.get<std::string>("uuid");
  device.name = fields.get<std::string>("name");
  device.driver = fields.get<std::string>("driver");
  device.target = fields.get<std::string>("target");
  device.multiprocessors = fields.get<int>("multiprocessors");
  device.l2_bytes = fields.get<std::int64_t>("l2_bytes");
  device.max_clock_khz = fields.get<int>("max_clock_khz");
  return device;
}

RunRow run_of(JsonFields& fields) {
  RunRow run;
  run.id = fields.get<std::string>("id");
  run.started = fields.get<std::string>("started");
  run.command = fields.get<std::string>("command");
  run.commit = fields.get<std::string>("commit");
  run.ptxas = fields.get<std::string>("ptxas");
  run.target = fields.get<std::string>("target");
  run.sweep = fields.get<std::string>("sweep");
  run.order_seed = fields.get<std::uint64_t>("order_seed");
  run.timer_tick_ns = fields.get<double>("timer_tick_ns");
  run.driver = fields.get<std::string>("driver");
  return run;
}

}  // namespace phasebit::store::json
