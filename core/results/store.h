// The result store: SQLite through SQLiteCpp, one transaction per row, schema version in the file.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results/record.h"

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::results {

// The tables of a store, and how its file is opened.

// A store of another version is not opened: the program that made it exports its rows.
inline constexpr int store_schema_version = 4;
// "pbit": PRAGMA application_id of a store.
inline constexpr int store_application_id = 0x70626974;

struct StoreOptions {
  // How long to wait for another process that writes to the same store.
  std::chrono::milliseconds lock_wait = std::chrono::seconds(5);
};

// Hashes and ids of variants and images are there once, points refer to them. Columns are named and
// mean as the fields of results::PointRow, Conditions and Quality. `figures` is what summarise()
// makes of the samples; `segments` are the slopes of figures that are not a line, NULL where they
// are one; `reading` has a row for each reading of a point. A variant's key is every axis of its
// components with its default, and those at another value. `point_fit`, `summary` and
// `variant_axis` are for people who open a store with sqlite3: the slope there is the one of the
// line through all samples of a point; medians and their intervals are made in
// core/results/statistics.
inline constexpr const char* store_schema = R"sql(
CREATE TABLE device(
  id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, driver TEXT NOT NULL,
  target TEXT NOT NULL, multiprocessors INTEGER NOT NULL, l2_bytes INTEGER NOT NULL,
  max_clock_khz INTEGER NOT NULL);
CREATE TABLE run(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, started TEXT NOT NULL, command TEXT NOT NULL,
  commit_name TEXT NOT NULL, ptxas TEXT NOT NULL, target TEXT NOT NULL, sweep TEXT NOT NULL,
  order_seed INTEGER NOT NULL, timer_tick_ns REAL NOT NULL, driver TEXT NOT NULL);
CREATE TABLE catalogue(id INTEGER PRIMARY KEY CHECK(id = 1), facts TEXT NOT NULL);
CREATE TABLE key_defaults(id INTEGER PRIMARY KEY, axes TEXT NOT NULL UNIQUE);
CREATE TABLE variant(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL,
  defaults INTEGER REFERENCES key_defaults(id), axes TEXT, UNIQUE(hash, name));
CREATE TABLE image(
  id INTEGER PRIMARY KEY, text_hash TEXT NOT NULL, ptx_hash TEXT NOT NULL, sass_class TEXT NOT NULL,
  module TEXT NOT NULL, UNIQUE(text_hash, ptx_hash, sass_class, module));
CREATE TABLE point(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK(kind IN ('point', 'anchor', 'modes')),
  variant INTEGER NOT NULL REFERENCES variant(id),
  image INTEGER NOT NULL REFERENCES image(id),
  device INTEGER NOT NULL REFERENCES device(id),
  run INTEGER NOT NULL REFERENCES run(id),
  unit TEXT NOT NULL, repetition INTEGER NOT NULL, aa_control INTEGER NOT NULL,
  sm INTEGER NOT NULL, first_warp INTEGER NOT NULL, start_offset INTEGER NOT NULL,
  padding INTEGER NOT NULL, gap_after INTEGER NOT NULL, gap_warps INTEGER NOT NULL,
  sms TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK(verdict IN ('measured', 'same_code', 'refused', 'ungated', 'wrong',
                                          'timed_out', 'hung', 'interrupted', 'failed')),
  same_as TEXT NOT NULL,
  error_step TEXT, error_message TEXT,
  samples TEXT NOT NULL, figures TEXT, megahertz REAL NOT NULL,
  gpu_sm_mhz INTEGER NOT NULL, gpu_memory_mhz INTEGER NOT NULL, gpu_watts INTEGER NOT NULL,
  items_only INTEGER NOT NULL, gate TEXT NOT NULL, outputs_verified INTEGER NOT NULL,
  interval_ok INTEGER NOT NULL, modes INTEGER NOT NULL, segments TEXT, padded INTEGER NOT NULL,
  clock_ok INTEGER NOT NULL, throttled INTEGER NOT NULL, first_use INTEGER NOT NULL,
  extra TEXT NOT NULL, lacks TEXT NOT NULL);
CREATE INDEX point_key ON point(variant, device, repetition);
CREATE INDEX point_run ON point(run);
CREATE TABLE reading(
  point INTEGER NOT NULL REFERENCES point(id), number INTEGER NOT NULL, name TEXT NOT NULL,
  unit TEXT NOT NULL, interval_ok INTEGER NOT NULL, segments TEXT, PRIMARY KEY(point, number));
CREATE VIEW point_fit AS
  WITH sums AS (
    SELECT point.id AS point, count(*) AS n, total(items.value) AS x, total(cycles.value) AS y,
           total(1.0 * items.value * items.value) AS xx,
           total(1.0 * items.value * cycles.value) AS xy
    FROM point, json_each(point.samples, '$.cycles') AS round, json_each(round.value) AS cycles
    JOIN json_each(point.samples, '$.items') AS items ON items.key = cycles.key
    WHERE point.error_step IS NULL GROUP BY point.id)
  SELECT point, n AS samples, (n * xy - x * y) / (n * xx - x * x) AS slope FROM sums;
CREATE VIEW summary AS
  SELECT variant.name AS variant, point.kind AS kind, point.unit AS unit, device.name AS device,
         device.uuid AS device_uuid, image.sass_class AS sass_class, image.text_hash AS text_hash,
         count(*) AS points, count(point.error_step) AS errors, min(point_fit.slope) AS min_slope,
         max(point_fit.slope) AS max_slope
  FROM point JOIN variant ON variant.id = point.variant JOIN device ON device.id = point.device
  JOIN image ON image.id = point.image LEFT JOIN point_fit ON point_fit.point = point.id
  GROUP BY point.variant, point.image, point.device, point.kind, point.unit;
CREATE VIEW variant_axis AS
  SELECT variant.id AS variant, variant.name AS name, axis.key AS axis, axis.value AS value
  FROM variant JOIN key_defaults ON key_defaults.id = variant.defaults,
       json_each(json_patch(key_defaults.axes, variant.axes)) AS axis;
)sql";

class Store {
 public:
  // Creates the file when it is missing. Step::store for a file that is none of ours, a truncated
  // file, a schema of another version, a full disk, a file locked by another process.
  static Result<Store> open(const fs::path& path, const StoreOptions& options = {});
  static Result<Store> open_in_memory();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  Status add_device(
      const DeviceRow& device);       // once; later calls with the same UUID change nothing
  Status add_run(const RunRow& run);  // likewise, by its id
  // Likewise, by its id; Step::store when it is there with another key.
  Status add_variant(const VariantRow& variant);
  // What is there already stays.
  Status add_catalogue(const launch::CatalogueFacts& facts);
  // One transaction: when it returns, the row survives a kill. Its device and run were added
  // before.
  Status add_point(const PointRow& point);
  // Adds what is not there yet, in one transaction. A point is the same when it is the nth of its
  // run with its key and image; Step::store, and nothing is added, when the same point or run
  // has another content here, or the same device another name.
  Result<MergeCounts> merge(const Results& results);

  Result<std::vector<DeviceRow>> devices() const;
  Result<std::vector<RunRow>> runs() const;
  // In the order they were added.
  Result<std::vector<PointRow>> points() const;
  // Those that have a key, in the order they were added.
  Result<std::vector<VariantRow>> variants() const;
  // All of them, and the catalogue.
  Result<Results> results() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One SQLite file with the schema of a store, and SQLite's exceptions as errors.

class StoreDatabase {
 public:
  // Opens or creates it, see Store::open. The path ":memory:" is a store that is not a file.
  static Result<StoreDatabase> open(const fs::path& path, const StoreOptions& options);

  SQLite::Database& sqlite() { return sqlite_; }

  // The value or Status of the body, or the error that SQLite threw in it.
  template <typename Body>
  auto guarded(Body&& body) -> decltype(body()) {
    errno = 0;
    try {
      return std::forward<Body>(body)();
    } catch (const SQLite::Exception& exception) {
      return tl::unexpected<Error>(error_now(exception, errno));
    }
  }

  // An Error with the file's name in front, if it is a file.
  tl::unexpected<Error> complain(const std::string& what) const {
    if (path_ == ":memory:") return fail(Step::store, "{}", what);
    return fail(Step::store, "{}: {}", path_, what);
  }

 private:
  StoreDatabase(SQLite::Database&& sqlite, std::string path, const StoreOptions& options)
      : sqlite_(std::move(sqlite)), path_(std::move(path)), options_(options) {}
  Error error_now(const SQLite::Exception& exception, int last_errno) const;
  // `system` is the errno of the call that failed, 0 where none did.
  static Error error_of(const SQLite::Exception& exception, const std::string& path,
                        const StoreOptions& options, int system);
  static Result<StoreDatabase> open_checked(const std::string& path, const StoreOptions& options);
  Status check_schema();
  Status create_schema();

  SQLite::Database sqlite_;
  std::string path_;
  StoreOptions options_;
};

}  // namespace phasebit::results
