// The tables that every question about results is asked of. They are made of the results' files and
// kept in the cache, never in a store: they may be deleted at any time.
#pragma once

#include <cstdint>

namespace phasebit::report::sql {

// `variant` gets a column for each axis that some variant has (axis_column).
//
// `gpus` is a set of GPUs whose rows are one: a GPU, or all of a model, where a variant has the
// rows of the GPU that measured most. `runs` is not "" where only the runs count that measured a
// variant with one of these axes: what was measured on another day is not a neighbour.
//
// `figure_row` is a figure of a variant, kept by data::aggregate: `quantity` is cycles,
// without_loop (data/without_loop.h), together (both roles on one sub-partition) or the name of a
// reading; what is no figure of one variant
// (kind form: of one operation) has a label. `f` is what queries pass to functions.
// `value_groups` counts the groups of its conditions (data/conditions.h), which `figure_group` has
// where one value says less. `conditions` are its data::AtCondition, after each other: this program
// alone reads them. Numbers of figures begin here: cycles or stages in the place of one are none.
inline constexpr std::int64_t first_figure = std::int64_t{1} << 40;

inline constexpr const char* report_schema = R"(
CREATE TABLE device(
  d INTEGER PRIMARY KEY, uuid TEXT UNIQUE, name TEXT, driver TEXT, target TEXT,
  multiprocessors INTEGER, l2_bytes INTEGER, max_clock_khz INTEGER);
CREATE TABLE run(
  r INTEGER PRIMARY KEY, id TEXT UNIQUE, started TEXT, command TEXT, commit_name TEXT, ptxas TEXT,
  target TEXT, sweep TEXT, order_seed INTEGER, timer_tick_ns REAL, driver TEXT);
CREATE TABLE code(c INTEGER PRIMARY KEY, text_hash TEXT, sass_class TEXT);
CREATE TABLE variant(
  v INTEGER PRIMARY KEY, key_defaults INTEGER, id TEXT UNIQUE, spelled TEXT, named TEXT, blank TEXT,
  waited_on TEXT, waited_axes TEXT, waited_order TEXT, warp_layout TEXT, warp_layout_order TEXT,
  declared INTEGER, unrolled INTEGER, origin TEXT);
CREATE TABLE axis(name TEXT PRIMARY KEY, column_name TEXT, first TEXT);
CREATE TABLE protocol(name TEXT PRIMARY KEY, waits_on TEXT, blank TEXT);
CREATE TABLE gpus(g INTEGER PRIMARY KEY, name TEXT, model TEXT, runs TEXT, is_model INTEGER);
CREATE TABLE run_of_gpus(g INTEGER, r INTEGER);
CREATE TABLE floor_row(g INTEGER, stratum TEXT, cycles REAL, percent REAL);
CREATE TABLE aa_pair(
  g INTEGER, relation TEXT, v INTEGER, other_v INTEGER, stratum TEXT, a REAL, b REAL);
CREATE TABLE figure_row(
  f INTEGER PRIMARY KEY, g INTEGER, v INTEGER, d INTEGER, c INTEGER, kind TEXT, quantity TEXT,
  unit TEXT, newest INTEGER, repetitions INTEGER, errors INTEGER, rounds INTEGER, verdict TEXT,
  reason TEXT, missing INTEGER, step INTEGER, same_as TEXT, cycles REAL, low REAL, high REAL,
  half REAL, interval_ok INTEGER, intercept REAL, r2 REAL, worst_residual REAL, mhz REAL,
  repetition_difference REAL, spread REAL, value_groups INTEGER,
  factor TEXT, words TEXT, flag_list TEXT, gpu_sm_mhz INTEGER, gpu_memory_mhz INTEGER,
  gpu_watts INTEGER,
  run_ptxas TEXT, ran_on TEXT, label TEXT, conditions BLOB,
  conditions_of_runs BLOB);
CREATE TABLE figure_group(
  f INTEGER, place INTEGER, cycles REAL, low REAL, high REAL, conditions INTEGER, changed TEXT);
CREATE TABLE measurement(
  p INTEGER PRIMARY KEY, v INTEGER, d INTEGER, r INTEGER, c INTEGER, kind TEXT,
  repetition INTEGER, aa_control INTEGER, verdict TEXT, same_as TEXT, error_step TEXT, error TEXT,
  unit TEXT, cycles REAL, low REAL, high REAL, rounds INTEGER, mhz REAL, at_sm INTEGER,
  at_first_warp INTEGER, at_start_offset INTEGER, at_padding INTEGER, at_gap_after INTEGER,
  at_gap_warps INTEGER, ran_on TEXT, words TEXT, gpu_sm_mhz INTEGER, gpu_memory_mhz INTEGER,
  gpu_watts INTEGER, no_counters TEXT);
CREATE TABLE counter(p INTEGER, name TEXT, value REAL);
CREATE TABLE barrier_word(
  g INTEGER, layout TEXT, quantity TEXT, bits TEXT, width INTEGER, stored_as TEXT,
  different_values INTEGER, words_read INTEGER);
CREATE TABLE mode_row(
  g INTEGER, id TEXT, places INTEGER, processes INTEGER, modes INTEGER, cycles TEXT, lowest REAL,
  highest REAL, separators TEXT, failed INTEGER, reason TEXT, sms TEXT);
CREATE TABLE form_cost(
  g INTEGER, form TEXT, path TEXT, measure TEXT, lanes TEXT, sass_class TEXT, text_hashes TEXT,
  isolated INTEGER, loaded INTEGER, link INTEGER, without_link INTEGER);
CREATE TABLE form(
  form TEXT PRIMARY KEY, place INTEGER, family TEXT, text TEXT, lowest_target TEXT);
CREATE TABLE form_target(form TEXT, target TEXT);
CREATE TABLE key_defaults(k INTEGER PRIMARY KEY, axes TEXT);
)";

// After all rows: what tables look for.
inline constexpr const char* report_indices = R"(
CREATE INDEX figure_of_gpus ON figure_row(g, kind, quantity, v);
)";

}  // namespace phasebit::report::sql
