#include "core/store/rows.h"

#include "core/record/rounding.h"
#include "core/record/samples.h"
#include "core/record/statistics.h"
#include "core/store/json/summary.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace phasebit::store {

using record::DeviceRow;
using record::PointRow;
using record::RunRow;

using nlohmann::ordered_json;
using SQLite::Statement;

namespace {

// Binds the arguments to the parameters 1, 2, ...
template <typename... Args>
void bind_all(Statement& statement, const Args&... arguments) {
  int index = 0;
  (statement.bind(++index, arguments), ...);
}

bool exists(SQLite::Database& sqlite, const char* query, const std::string& value) {
  Statement statement(sqlite, query);
  statement.bind(1, value);
  return statement.executeStep();
}

std::string samples_text(const PointRow& point) {
  auto [items, cycles, readings] = record::rows_of_samples(point.samples, point.readings);
  ordered_json text = {{"items", std::move(items)}, {"cycles", std::move(cycles)}};
  if (!readings.is_null()) text["readings"] = std::move(readings);
  return text.dump();
}

void insert_image(SQLite::Database& sqlite, const PointRow& point) {
  Statement variant(sqlite, "INSERT OR IGNORE INTO variant(name, hash) VALUES(?, ?)");
  bind_all(variant, point.variant_id, point.variant_hash);
  variant.exec();
  Statement image(sqlite,
                  "INSERT OR IGNORE INTO image(text_hash, ptx_hash, sass_class, module) "
                  "VALUES(?, ?, ?, ?)");
  bind_all(image, point.text_hash, point.ptx_hash, point.sass_class, point.module);
  image.exec();
}

Result<PointRow> read_point(Statement& row) {
  PointRow point;
  int at = 0;
  const auto text = [&] { return row.getColumn(at++).getString(); };
  const auto number = [&] { return row.getColumn(at++).getInt(); };
  const std::string kind = text();
  const auto known_kind = record::point_kind(kind);
  if (!known_kind) return fail(Step::store, "unknown kind '{}'", kind);
  point.kind = *known_kind;
  point.variant_id = text(), point.variant_hash = text(), point.unit = text();
  point.ptx_hash = text(), point.text_hash = text(), point.sass_class = text();
  point.module = text(), point.device_uuid = text(), point.run_id = text();
  point.repetition = number(), point.aa_control = number() != 0;
  point.placement.sm = number(), point.placement.first_warp = number();
  point.megahertz = record::rounded_megahertz(row.getColumn(at++).getDouble());
  const ordered_json rows = ordered_json::parse(text());
  PHASEBIT_TRY_ASSIGN(named, record::samples_of_rows({rows.at("items"), rows.at("cycles"),
                                                      rows.value("readings", ordered_json())}));
  point.samples = std::move(named.samples);
  point.readings = std::move(named.readings);
  point.flags = ordered_json::parse(text()).get<std::vector<std::string>>();
  const std::string figures = text();
  if (!figures.empty())
    point.summary = record::rounded(json::summary_of_json(ordered_json::parse(figures)));
  record::add_summary(point);
  if (row.isColumnNull(at)) return point;
  const std::string step = text();
  const auto known_step = record::step_named(step);
  if (!known_step) return fail(Step::store, "unknown step '{}'", step);
  point.error = record::PointError{*known_step, text()};
  return point;
}

}  // namespace

void insert_device(SQLite::Database& sqlite, const DeviceRow& device) {
  Statement statement(sqlite,
                      "INSERT OR IGNORE INTO device(uuid, name, driver, target, multiprocessors, "
                      "l2_bytes, max_clock_khz) VALUES(?, ?, ?, ?, ?, ?, ?)");
  bind_all(statement, device.uuid, device.name, device.driver, device.target,
           device.multiprocessors, device.l2_bytes, device.max_clock_khz);
  statement.exec();
}

void insert_run(SQLite::Database& sqlite, const RunRow& run) {
  Statement statement(sqlite,
                      "INSERT OR IGNORE INTO run(name, started, command, commit_name, ptxas, "
                      "target, sweep, order_seed, timer_tick_ns, driver) "
                      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  // SQLite has no unsigned integers: the seed's bits are kept.
  bind_all(statement, run.id, run.started, run.command, run.commit, run.ptxas, run.target,
           run.sweep, static_cast<std::int64_t>(run.order_seed), run.timer_tick_ns, run.driver);
  statement.exec();
}

Status insert_point(SQLite::Database& sqlite, const PointRow& point) {
  if (!std::isfinite(point.megahertz))
    return fail(Step::store, "the clock of {} is no number", point.variant_id);
  if (!exists(sqlite, "SELECT 1 FROM device WHERE uuid = ?", point.device_uuid))
    return fail(Step::store, "the device '{}' of {} was never added", point.device_uuid,
                point.variant_id);
  if (!exists(sqlite, "SELECT 1 FROM run WHERE name = ?", point.run_id))
    return fail(Step::store, "the run '{}' of {} was never added", point.run_id, point.variant_id);
  for (const record::Sample& sample : point.samples)
    if (sample.readings.size() != point.readings.size())
      return fail(Step::store, "{}: a sample with {} readings of {}", point.variant_id,
                  sample.readings.size(), point.readings.size());
  insert_image(sqlite, point);
  Statement statement(
      sqlite,
      "INSERT INTO point(kind, variant, image, device, run, unit, repetition, aa_control, sm, "
      "first_warp, samples, megahertz, flags, figures, error_step, error_message) VALUES(?, "
      "(SELECT id FROM variant WHERE name = ? AND hash = ?), (SELECT id FROM image WHERE "
      "text_hash = ? AND ptx_hash = ? AND sass_class = ? AND module = ?), "
      "(SELECT id FROM device WHERE uuid = ?), (SELECT id FROM run WHERE name = ?), "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  // Flags are the program's own words; samples are numbers: dump() cannot fail on them.
  bind_all(statement, record::to_string(point.kind), point.variant_id, point.variant_hash,
           point.text_hash, point.ptx_hash, point.sass_class, point.module, point.device_uuid,
           point.run_id, point.unit, point.repetition, point.aa_control ? 1 : 0, point.placement.sm,
           point.placement.first_warp, samples_text(point), point.megahertz,
           ordered_json(point.flags).dump());
  if (const auto figures = record::summary_of(point))
    statement.bind(18, json::json_of(*figures).dump());
  if (point.error) {
    statement.bind(19, std::string(base::to_string(point.error->step)));
    statement.bind(20, point.error->message);
  }
  statement.exec();
  return {};
}

std::vector<DeviceRow> select_devices(SQLite::Database& sqlite) {
  Statement row(sqlite,
                "SELECT uuid, name, driver, target, multiprocessors, l2_bytes, max_clock_khz "
                "FROM device ORDER BY id");
  std::vector<DeviceRow> devices;
  while (row.executeStep())
    devices.push_back({row.getColumn(0), row.getColumn(1), row.getColumn(2), row.getColumn(3),
                       row.getColumn(4).getInt(), row.getColumn(5).getInt64(),
                       row.getColumn(6).getInt()});
  return devices;
}

std::vector<RunRow> select_runs(SQLite::Database& sqlite) {
  Statement row(sqlite,
                "SELECT name, started, command, commit_name, ptxas, target, sweep, order_seed, "
                "timer_tick_ns, driver FROM run ORDER BY id");
  std::vector<RunRow> runs;
  while (row.executeStep())
    runs.push_back({row.getColumn(0), row.getColumn(1), row.getColumn(2), row.getColumn(3),
                    row.getColumn(4), row.getColumn(5), row.getColumn(6),
                    static_cast<std::uint64_t>(row.getColumn(7).getInt64()),
                    row.getColumn(8).getDouble(), row.getColumn(9)});
  return runs;
}

namespace {

constexpr const char* point_query =
    "SELECT kind, variant.name, variant.hash, unit, ptx_hash, text_hash, sass_class, module, "
    "device.uuid, run.name, repetition, aa_control, sm, first_warp, megahertz, samples, flags, "
    "figures, error_step, error_message, point.id FROM point "
    "JOIN variant ON variant.id = point.variant JOIN image ON image.id = point.image "
    "JOIN device ON device.id = point.device JOIN run ON run.id = point.run ";

Result<std::vector<PointRow>> read_points(Statement& row) {
  std::vector<PointRow> points;
  while (row.executeStep()) {
    const int id = row.getColumn(20).getInt();
    try {
      auto point = read_point(row);
      if (!point) return fail(Step::store, "point {}: {}", id, point.error().message);
      points.push_back(std::move(*point));
    } catch (const nlohmann::json::exception& error) {
      return fail(Step::store, "point {}: {}", id, error.what());
    }
  }
  return points;
}

}  // namespace

Result<std::vector<PointRow>> select_points(SQLite::Database& sqlite) {
  Statement row(sqlite, std::string(point_query) + "ORDER BY point.id");
  return read_points(row);
}

Result<std::vector<PointRow>> select_points(SQLite::Database& sqlite, const std::string& run) {
  Statement row(sqlite, std::string(point_query) + "WHERE run.name = ? ORDER BY point.id");
  row.bind(1, run);
  return read_points(row);
}

}  // namespace phasebit::store
