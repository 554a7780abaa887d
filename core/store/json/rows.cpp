#include "core/store/json/rows.h"

#include "core/record/rounding.h"
#include "core/record/samples.h"

namespace phasebit::store::json {

using base::JsonFields;
using record::DeviceRow;
using record::PointRow;
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

ordered_json json_of(const PointRow& point) {
  ordered_json line = {{"type", "point"}};
  if (point.kind != record::PointKind::point) line["kind"] = record::to_string(point.kind);
  line["id"] = point.variant_id;
  line["hash"] = point.variant_hash;
  line["unit"] = point.unit;
  line["repetition"] = point.repetition;
  if (point.aa_control) line["aa_control"] = true;
  line["sm"] = point.placement.sm;
  line["first_warp"] = point.placement.first_warp;
  line["megahertz"] = point.megahertz;
  if (!point.flags.empty()) line["flags"] = point.flags;
  if (point.error) {
    line["error_step"] = base::to_string(point.error->step);
    line["error"] = point.error->message;
  }
  if (!point.samples.empty()) {
    auto [items, cycles, readings] = record::rows_of_samples(point.samples, point.readings);
    line["items"] = std::move(items);
    line["cycles"] = std::move(cycles);
    if (!readings.is_null()) line["readings"] = std::move(readings);
  }
  line["sass_class"] = point.sass_class;
  line["text_hash"] = point.text_hash;
  line["ptx_hash"] = point.ptx_hash;
  line["module"] = point.module;
  line["device"] = point.device_uuid;
  line["run"] = point.run_id;
  return line;
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

namespace {

void read_outcome(JsonFields& fields, PointRow& point) {
  const ordered_json* items = fields.find("items");
  const ordered_json* cycles = fields.find("cycles");
  const ordered_json* readings = fields.find("readings");
  const ordered_json null;
  if ((items == nullptr) != (cycles == nullptr)) fields.complain("'items' without 'cycles'");
  if (readings != nullptr && items == nullptr) fields.complain("'readings' without 'items'");
  if (items != nullptr && cycles != nullptr) {
    auto named = record::samples_of_rows({*items, *cycles, readings == nullptr ? null : *readings});
    if (!named) fields.complain(named.error().message);
    if (named) point.samples = std::move(named->samples);
    if (named) point.readings = std::move(named->readings);
  }
  const ordered_json* message = fields.find("error");
  if (message == nullptr && fields.find("error_step") == nullptr) return;
  const auto word = fields.get<std::string>("error_step");
  const auto step = record::step_named(word);
  if (!step) fields.complain(fmt::format("'{}' is no step", word));
  point.error = record::PointError{step.value_or(Step::store), fields.get<std::string>("error")};
}

}  // namespace

PointRow point_of(JsonFields& fields) {
  PointRow point;
  const auto word = fields.get_or<std::string>("kind", "point");
  const auto kind = record::point_kind(word);
  if (!kind) fields.complain(fmt::format("'{}' is no kind of point", word));
  point.kind = kind.value_or(record::PointKind::point);
  point.variant_id = fields.get<std::string>("id");
  point.variant_hash = fields.get<std::string>("hash");
  point.unit = fields.get<std::string>("unit");
  point.repetition = fields.get<int>("repetition");
  point.aa_control = fields.get_or("aa_control", false);
  point.placement.sm = fields.get<int>("sm");
  point.placement.first_warp = fields.get<int>("first_warp");
  point.megahertz = record::rounded_megahertz(fields.get<double>("megahertz"));
  point.flags = fields.get_or<std::vector<std::string>>("flags", {});
  read_outcome(fields, point);
  point.sass_class = fields.get<std::string>("sass_class");
  point.text_hash = fields.get<std::string>("text_hash");
  point.ptx_hash = fields.get<std::string>("ptx_hash");
  point.module = fields.get<std::string>("module");
  point.device_uuid = fields.get<std::string>("device");
  point.run_id = fields.get<std::string>("run");
  return point;
}

}  // namespace phasebit::store::json
