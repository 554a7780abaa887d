// The tables of a store, and how its file is opened.
#pragma once

#include <chrono>

namespace phasebit::store {

// 2: samples may have readings. 3: keys and figures. An older store becomes one of version 3 when
// it is opened.
inline constexpr int store_schema_version = 3;
inline constexpr int oldest_schema_version = 1;
// "pbit": PRAGMA application_id of a store.
inline constexpr int store_application_id = 0x70626974;

struct StoreOptions {
  // How long to wait for another process that writes to the same store.
  std::chrono::milliseconds lock_wait = std::chrono::seconds(5);
};

// The tables of version 1, and those that version 3 adds to it. Hashes and ids of variants and
// images stand once, points refer to them. `point_fit` and `summary` are for people who open a
// store with sqlite3: the slope there is the one of the line through all samples of a point;
// medians and their intervals are made in core/record/statistics.
inline constexpr const char* store_schema = R"sql(
CREATE TABLE device(
  id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, driver TEXT NOT NULL,
  target TEXT NOT NULL, multiprocessors INTEGER NOT NULL, l2_bytes INTEGER NOT NULL,
  max_clock_khz INTEGER NOT NULL);
CREATE TABLE run(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, started TEXT NOT NULL, command TEXT NOT NULL,
  commit_name TEXT NOT NULL, ptxas TEXT NOT NULL, target TEXT NOT NULL, sweep TEXT NOT NULL,
  order_seed INTEGER NOT NULL, timer_tick_ns REAL NOT NULL, driver TEXT NOT NULL);
CREATE TABLE variant(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE(hash, name));
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
  sm INTEGER NOT NULL, first_warp INTEGER NOT NULL,
  samples TEXT NOT NULL,
  megahertz REAL NOT NULL, flags TEXT NOT NULL,
  error_step TEXT, error_message TEXT);
CREATE INDEX point_key ON point(variant, device, repetition);
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
)sql";

// A variant's key: every axis of its components with its default, and those at another value; both
// NULL for a row of an older program, whose id says it (core/store/old_keys.h). `figures` is what
// summarise() makes of the samples. `variant_axis` is for people.
inline constexpr const char* store_schema_additions = R"sql(
CREATE TABLE key_defaults(id INTEGER PRIMARY KEY, axes TEXT NOT NULL UNIQUE);
CREATE TABLE catalogue(id INTEGER PRIMARY KEY CHECK(id = 1), facts TEXT NOT NULL);
ALTER TABLE variant ADD COLUMN defaults INTEGER REFERENCES key_defaults(id);
ALTER TABLE variant ADD COLUMN axes TEXT;
ALTER TABLE point ADD COLUMN figures TEXT;
CREATE INDEX point_run ON point(run);
CREATE VIEW variant_axis AS
  SELECT variant.id AS variant, variant.name AS name, axis.key AS axis, axis.value AS value
  FROM variant JOIN key_defaults ON key_defaults.id = variant.defaults,
       json_each(json_patch(key_defaults.axes, variant.axes)) AS axis;
)sql";

}  // namespace phasebit::store
