#include "core/results/rows.h"

#include "core/base/text.h"
#include "core/results/samples.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace phasebit::results {

using launch::CatalogueFacts;
using launch::KeyAxes;
using nlohmann::ordered_json;
using SQLite::Statement;

namespace {

void bind_one(Statement& statement, int parameter, const auto& value) {
  statement.bind(parameter, value);
}
void bind_one(Statement& statement, int parameter, const Word& value) {
  statement.bind(parameter, value.text());
}

// Binds the arguments to the parameters 1, 2, ...
template <typename... Args>
void bind_all(Statement& statement, const Args&... arguments) {
  int index = 0;
  (bind_one(statement, ++index, arguments), ...);
}

bool exists(SQLite::Database& sqlite, const char* query, const std::string& value) {
  Statement statement(sqlite, query);
  statement.bind(1, value);
  return statement.executeStep();
}

std::string samples_text(const PointRow& point) {
  auto [items, cycles, readings] = rows_of_samples(point.samples, point.readings);
  ordered_json text = {{"items", std::move(items)}, {"cycles", std::move(cycles)}};
  if (!readings.is_null()) text["readings"] = std::move(readings);
  for (const Counter& counter : point.counters) text["counters"][counter.name] = counter.value;
  if (!point.quality.no_counters.empty()) text["no_counters"] = point.quality.no_counters.text();
  return text.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
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

std::string list_text(const std::vector<int>& numbers) {
  return ordered_json(numbers).dump();
}

// The columns of a row, one after the other.
class StoredColumns {
 public:
  explicit StoredColumns(Statement& row) : row_(row) {}
  std::string text() { return row_.getColumn(at_++).getString(); }
  int number() { return row_.getColumn(at_++).getInt(); }
  bool flag() { return number() != 0; }
  double real() { return row_.getColumn(at_++).getDouble(); }
  ordered_json json() { return ordered_json::parse(text()); }
  bool is_null() const { return row_.isColumnNull(at_); }
  void skip() { ++at_; }

 private:
  Statement& row_;
  int at_ = 0;
};

// StoredColumns "interval_ok" and "segments" of the cycles ("") or of a reading.
void read_quality(StoredColumns& columns, const std::string& reading, Quality& quality) {
  if (!columns.flag()) quality.too_wide.push_back(reading);
  if (columns.is_null())
    columns.skip();
  else
    quality.bends.push_back({reading, columns.json().get<std::vector<double>>()});
}

void read_place(StoredColumns& columns, PointRow& point) {
  Conditions& conditions = point.conditions;
  conditions.sm = columns.number();
  conditions.first_warp = columns.number();
  conditions.start_offset = static_cast<std::uint32_t>(columns.number());
  conditions.padding = columns.number();
  conditions.gap_after = columns.number();
  conditions.gap_warps = columns.number();
  point.sms = columns.json().get<std::vector<int>>();
}

Status read_outcome(StoredColumns& columns, PointRow& point) {
  const std::string verdict = columns.text();
  const auto known_verdict = verdict_named(verdict);
  if (!known_verdict) return fail(Step::store, "unknown verdict '{}'", verdict);
  point.verdict = *known_verdict;
  point.same_as = columns.text();
  if (columns.is_null()) {
    columns.skip();
    columns.skip();
    return {};
  }
  const std::string step = columns.text();
  const auto known_step = step_named(step);
  if (!known_step) return fail(Step::store, "unknown step '{}'", step);
  point.error = PointError{*known_step, columns.text()};
  return {};
}

Status read_figures(StoredColumns& columns, PointRow& point) {
  const ordered_json rows = columns.json();
  PHASEBIT_TRY_ASSIGN(named, samples_of_rows({rows.at("items"), rows.at("cycles"),
                                              rows.value("readings", ordered_json())}));
  point.samples = std::move(named.samples);
  point.readings = std::move(named.readings);
  const ordered_json counters = rows.value("counters", ordered_json::object());
  for (const auto& [name, value] : counters.items()) {
    if (!is_counter_name(name)) return fail(Step::store, "'{}' is not the name of a counter", name);
    point.counters.push_back({name, value.get<double>()});
  }
  point.quality.no_counters = rows.value("no_counters", "");
  if (columns.is_null())
    columns.skip();
  else
    point.summary = summary_of_json(columns.json());
  add_summary(point);
  point.megahertz = columns.real();
  return {};
}

// StoredColumns of other programs: texts by name.
Status read_extra(StoredColumns& columns, PointRow& point) {
  const std::string text = columns.text();
  if (!text.empty()) {
    const ordered_json extra = ordered_json::parse(text);
    if (!extra.is_object() ||
        !std::ranges::all_of(extra, [](const auto& one) { return one.is_string(); }))
      return fail(Step::store, "further columns '{}' are not texts by name", text);
  }
  point.extra = text;
  return {};
}

Result<PointRow> read_point(Statement& row) {
  PointRow point;
  StoredColumns columns(row);
  const std::string kind = columns.text();
  const auto known_kind = point_kind(kind);
  if (!known_kind) return fail(Step::store, "unknown kind '{}'", kind);
  point.kind = *known_kind;
  for (Word* word :
       {&point.variant_id, &point.variant_hash, &point.unit, &point.ptx_hash, &point.text_hash,
        &point.sass_class, &point.module, &point.device_uuid, &point.run_id})
    *word = columns.text();
  point.repetition = columns.number();
  point.aa_control = columns.flag();
  read_place(columns, point);
  PHASEBIT_TRY(read_outcome(columns, point));
  PHASEBIT_TRY(read_figures(columns, point));
  point.state = {columns.number(), columns.number(), columns.number()};
  Quality& quality = point.quality;
  quality.items_only = columns.flag();
  quality.gate = columns.text();
  quality.outputs_verified = columns.flag();
  read_quality(columns, "", quality);
  quality.modes = columns.flag();
  quality.padded = columns.flag();
  quality.clock_ok = columns.flag();
  quality.throttled = columns.flag();
  quality.first_use = columns.flag();
  PHASEBIT_TRY(read_extra(columns, point));
  point.lacks = columns.text();
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

namespace {

Status check_point(SQLite::Database& sqlite, const PointRow& point) {
  if (!std::isfinite(point.megahertz))
    return fail(Step::store, "the clock of {} is not a number", point.variant_id);
  for (const Counter& counter : point.counters)
    if (!std::isfinite(counter.value))
      return fail(Step::store, "the counter {} of {} is not a number", counter.name,
                  point.variant_id);
  if (!exists(sqlite, "SELECT 1 FROM device WHERE uuid = ?", point.device_uuid))
    return fail(Step::store, "the device '{}' of {} was never added", point.device_uuid,
                point.variant_id);
  if (!exists(sqlite, "SELECT 1 FROM run WHERE name = ?", point.run_id))
    return fail(Step::store, "the run '{}' of {} was never added", point.run_id, point.variant_id);
  for (const Sample& sample : point.samples)
    if (sample.readings.size() != point.readings.size())
      return fail(Step::store, "{}: a sample with {} readings of {}", point.variant_id,
                  sample.readings.size(), point.readings.size());
  const auto check_name = [&](const std::string& name) -> Status {
    const bool known =
        name.empty() || std::any_of(point.readings.begin(), point.readings.end(),
                                    [&](const auto& one) { return one.name == name; });
    if (known) return {};
    return fail(Step::store, "{}: its quality is of a reading '{}' that it does not have",
                point.variant_id, name);
  };
  for (const std::string& reading : point.quality.too_wide) PHASEBIT_TRY(check_name(reading));
  for (const Bend& bend : point.quality.bends) PHASEBIT_TRY(check_name(bend.reading));
  return {};
}

int interval_ok(const Quality& quality, const std::string& reading) {
  return base::contains(quality.too_wide, reading) ? 0 : 1;
}

// Binds the slopes of a figure that is not a line; without them the parameter stays NULL.
void bind_segments(Statement& statement, int parameter, const Quality& quality,
                   const std::string& reading) {
  for (const Bend& bend : quality.bends)
    if (bend.reading == reading) statement.bind(parameter, ordered_json(bend.slopes).dump());
}

void insert_readings(SQLite::Database& sqlite, const PointRow& point) {
  const std::int64_t id = sqlite.getLastInsertRowid();
  for (size_t n = 0; n < point.readings.size(); ++n) {
    const ReadingName& reading = point.readings[n];
    Statement row(sqlite,
                  "INSERT INTO reading(point, number, name, unit, interval_ok, segments) "
                  "VALUES(?, ?, ?, ?, ?, ?)");
    bind_all(row, id, static_cast<int>(n), reading.name, reading.unit,
             interval_ok(point.quality, reading.name));
    bind_segments(row, 6, point.quality, reading.name);
    row.exec();
  }
}

constexpr const char* point_insertion =
    "INSERT INTO point(kind, variant, image, device, run, unit, repetition, aa_control, sm, "
    "first_warp, start_offset, padding, gap_after, gap_warps, sms, verdict, same_as, samples, "
    "megahertz, gpu_sm_mhz, gpu_memory_mhz, gpu_watts, items_only, gate, outputs_verified, "
    "interval_ok, modes, padded, clock_ok, throttled, first_use, figures, error_step, "
    "error_message, segments, extra, lacks) VALUES(?1, "
    "(SELECT id FROM variant WHERE name = ?2 AND hash = ?3), (SELECT id FROM image WHERE "
    "text_hash = ?4 AND ptx_hash = ?5 AND sass_class = ?6 AND module = ?7), "
    "(SELECT id FROM device WHERE uuid = ?8), (SELECT id FROM run WHERE name = ?9), "
    "?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, "
    "?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41)";

}  // namespace

Status insert_point(SQLite::Database& sqlite, const PointRow& point) {
  PHASEBIT_TRY(check_point(sqlite, point));
  insert_image(sqlite, point);
  Statement statement(sqlite, point_insertion);
  const Conditions& conditions = point.conditions;
  const Quality& quality = point.quality;
  // Samples are numbers, and so are the lists: dump() cannot fail on them.
  bind_all(statement, to_string(point.kind), point.variant_id, point.variant_hash, point.text_hash,
           point.ptx_hash, point.sass_class, point.module, point.device_uuid, point.run_id,
           point.unit, point.repetition, int{point.aa_control}, conditions.sm,
           conditions.first_warp, static_cast<std::int64_t>(conditions.start_offset),
           conditions.padding, conditions.gap_after, conditions.gap_warps, list_text(point.sms),
           to_string(point.verdict), point.same_as, samples_text(point), point.megahertz,
           point.state.sm_megahertz, point.state.memory_megahertz, point.state.watts,
           int{quality.items_only}, quality.gate, int{quality.outputs_verified},
           interval_ok(quality, ""), int{quality.modes}, int{quality.padded}, int{quality.clock_ok},
           int{quality.throttled}, int{quality.first_use});
  if (const auto figures = summary_of(point)) statement.bind(36, json_of(*figures).dump());
  if (point.error) {
    statement.bind(37, std::string(base::to_string(point.error->step)));
    statement.bind(38, point.error->message);
  }
  bind_segments(statement, 39, quality, "");
  statement.bind(40, point.extra.text());
  statement.bind(41, point.lacks.text());
  statement.exec();
  insert_readings(sqlite, point);
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

// What read_point() reads, and the point's id.
constexpr const char* point_query =
    "SELECT kind, variant.name, variant.hash, unit, ptx_hash, text_hash, sass_class, module, "
    "device.uuid, run.name, repetition, aa_control, sm, first_warp, start_offset, padding, "
    "gap_after, gap_warps, sms, verdict, same_as, error_step, error_message, samples, figures, "
    "megahertz, gpu_sm_mhz, gpu_memory_mhz, gpu_watts, items_only, gate, outputs_verified, "
    "interval_ok, segments, modes, padded, clock_ok, throttled, first_use, extra, "
    "lacks, point.id FROM point "
    "JOIN variant ON variant.id = point.variant JOIN image ON image.id = point.image "
    "JOIN device ON device.id = point.device JOIN run ON run.id = point.run ";
constexpr int point_id_column = 41;

constexpr const char* reading_query =
    "SELECT reading.point, reading.name, reading.unit, reading.interval_ok, reading.segments "
    "FROM reading "
    "JOIN point ON point.id = reading.point JOIN run ON run.id = point.run ";

struct Readings {
  std::vector<ReadingName> names;
  Quality quality;
};

// By the point's id.
std::unordered_map<int, Readings> read_readings(Statement& row) {
  std::unordered_map<int, Readings> readings;
  while (row.executeStep()) {
    StoredColumns columns(row);
    Readings& of_point = readings[columns.number()];
    std::string name = columns.text(), unit = columns.text();
    read_quality(columns, name, of_point.quality);
    of_point.names.push_back({std::move(name), std::move(unit)});
  }
  return readings;
}

void add_readings(Readings& readings, PointRow& point) {
  point.readings = std::move(readings.names);
  Quality& quality = point.quality;
  std::ranges::move(readings.quality.too_wide, std::back_inserter(quality.too_wide));
  std::ranges::move(readings.quality.bends, std::back_inserter(quality.bends));
}

Result<std::vector<PointRow>> read_points(Statement& row, Statement& reading_rows) {
  std::vector<PointRow> points;
  int id = 0;
  try {
    std::unordered_map<int, Readings> readings = read_readings(reading_rows);
    while (row.executeStep()) {
      id = row.getColumn(point_id_column).getInt();
      auto point = read_point(row);
      if (!point) return fail(Step::store, "point {}: {}", id, point.error().message);
      if (const auto at = readings.find(id); at != readings.end()) add_readings(at->second, *point);
      points.push_back(std::move(*point));
    }
  } catch (const nlohmann::json::exception& error) {
    return fail(Step::store, "point {}: {}", id, error.what());
  }
  return points;
}

}  // namespace

Result<std::vector<PointRow>> select_points(SQLite::Database& sqlite) {
  Statement row(sqlite, std::string(point_query) + "ORDER BY point.id");
  Statement readings(sqlite, std::string(reading_query) + "ORDER BY reading.point, reading.number");
  return read_points(row, readings);
}

Result<std::vector<PointRow>> select_points(SQLite::Database& sqlite, const std::string& run) {
  Statement row(sqlite, std::string(point_query) + "WHERE run.name = ? ORDER BY point.id");
  Statement readings(sqlite, std::string(reading_query) +
                                 "WHERE run.name = ? ORDER BY reading.point, reading.number");
  row.bind(1, run);
  readings.bind(1, run);
  return read_points(row, readings);
}

// Keys and what the catalogue says of them, to SQL and back.

namespace {

std::string text_of(const KeyAxes& axes) {
  ordered_json object = ordered_json::object();
  for (const auto& [axis, value] : axes) object[axis] = value;
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

KeyAxes axes_of(const std::string& text) {
  KeyAxes axes;
  const ordered_json object = ordered_json::parse(text);
  for (const auto& [axis, value] : object.items())
    axes.emplace_back(axis, value.get<std::string>());
  return axes;
}

// An axis that a component has got since is in one key alone, and there at its default.
bool agree(const KeyAxes& a, const KeyAxes& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& one) {
    const std::string* other = launch::find_axis(b, one.first);
    return other == nullptr || *other == one.second;
  });
}

}  // namespace

bool same_key(const VariantRow& a, const VariantRow& b) {
  if (!a.has_key() || !b.has_key()) return a == b;
  return a.id == b.id && a.hash == b.hash && a.named == b.named && agree(*a.defaults, *b.defaults);
}

Status insert_variant(SQLite::Database& sqlite, const VariantRow& variant) {
  Statement row(sqlite, "INSERT OR IGNORE INTO variant(name, hash) VALUES(?, ?)");
  row.bind(1, variant.id);
  row.bind(2, variant.hash);
  row.exec();
  if (!variant.has_key()) return {};
  const std::string defaults = text_of(*variant.defaults), axes = text_of(variant.named);
  Statement known(sqlite,
                  "SELECT key_defaults.axes, variant.axes FROM variant JOIN key_defaults ON "
                  "key_defaults.id = variant.defaults WHERE name = ? AND hash = ?");
  known.bind(1, variant.id);
  known.bind(2, variant.hash);
  if (known.executeStep()) {
    if (known.getColumn(1).getString() == axes &&
        agree(axes_of(known.getColumn(0).getString()), *variant.defaults))
      return {};
    return fail(Step::store, "{} is there already with another key", variant.id);
  }
  Statement shared(sqlite, "INSERT OR IGNORE INTO key_defaults(axes) VALUES(?)");
  shared.bind(1, defaults);
  shared.exec();
  Statement key(sqlite,
                "UPDATE variant SET defaults = (SELECT id FROM key_defaults WHERE axes = ?), "
                "axes = ? WHERE name = ? AND hash = ?");
  key.bind(1, defaults);
  key.bind(2, axes);
  key.bind(3, variant.id);
  key.bind(4, variant.hash);
  key.exec();
  return {};
}

void insert_catalogue(SQLite::Database& sqlite, const CatalogueFacts& facts) {
  if (facts.empty()) return;
  CatalogueFacts whole;
  Statement known(sqlite, "SELECT facts FROM catalogue");
  if (known.executeStep())
    whole = launch::facts_of(nlohmann::json::parse(known.getColumn(0).getString()));
  known.reset();
  whole.add(facts);
  Statement row(sqlite, "INSERT OR REPLACE INTO catalogue(id, facts) VALUES(1, ?)");
  row.bind(1, launch::json_of(whole).dump());
  row.exec();
}

Result<std::vector<VariantRow>> select_variants(SQLite::Database& sqlite) {
  std::map<std::int64_t, std::shared_ptr<const KeyAxes>> shared;
  std::vector<VariantRow> variants;
  try {
    Statement defaults(sqlite, "SELECT id, axes FROM key_defaults");
    while (defaults.executeStep())
      shared[defaults.getColumn(0).getInt64()] =
          std::make_shared<const KeyAxes>(axes_of(defaults.getColumn(1).getString()));
    Statement row(sqlite,
                  "SELECT name, hash, defaults, axes FROM variant WHERE defaults IS NOT NULL "
                  "ORDER BY id");
    while (row.executeStep())
      variants.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(),
                          shared[row.getColumn(2).getInt64()],
                          axes_of(row.getColumn(3).getString())});
  } catch (const nlohmann::json::exception& error) {
    return fail(Step::store, "the key of a variant: {}", error.what());
  }
  return variants;
}

Result<CatalogueFacts> select_catalogue(SQLite::Database& sqlite) {
  Statement row(sqlite, "SELECT facts FROM catalogue");
  if (!row.executeStep()) return CatalogueFacts();
  try {
    return launch::facts_of(nlohmann::json::parse(row.getColumn(0).getString()));
  } catch (const nlohmann::json::exception& error) {
    return fail(Step::store, "the catalogue: {}", error.what());
  }
}

namespace {

ordered_json json_of_interval(const MedianInterval& interval) {
  return {interval.interval.low, interval.interval.high, interval.reached};
}

MedianInterval interval_of(const ordered_json& value) {
  return {{value.at(0).get<double>(), value.at(1).get<double>()}, value.at(2).get<bool>()};
}

}  // namespace

ordered_json json_of(const Summary& summary) {
  ordered_json value = {{"rounds", summary.rounds},
                        {"cycles", summary.cycles},
                        {"interval", json_of_interval(summary.interval)},
                        {"slope", summary.fit.slope},
                        {"intercept", summary.fit.intercept},
                        {"r2", summary.fit.r2},
                        {"worst_residual", summary.fit.worst_residual},
                        {"modes", summary.modes},
                        {"readings", ordered_json::array()}};
  for (const ReadingSummary& reading : summary.readings)
    value["readings"].push_back(
        {{"value", reading.value}, {"interval", json_of_interval(reading.interval)}});
  return value;
}

Summary summary_of_json(const ordered_json& value) {
  Summary summary;
  value.at("rounds").get_to(summary.rounds);
  value.at("cycles").get_to(summary.cycles);
  summary.interval = interval_of(value.at("interval"));
  value.at("slope").get_to(summary.fit.slope);
  value.at("intercept").get_to(summary.fit.intercept);
  value.at("r2").get_to(summary.fit.r2);
  value.at("worst_residual").get_to(summary.fit.worst_residual);
  value.at("modes").get_to(summary.modes);
  for (const ordered_json& reading : value.at("readings"))
    summary.readings.push_back(
        {reading.at("value").get<double>(), interval_of(reading.at("interval"))});
  return summary;
}

}  // namespace phasebit::results
