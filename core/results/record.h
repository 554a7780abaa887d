// What the bench writes and everything shown is made from.
#pragma once

#include "core/base/error.h"
#include "core/base/word.h"
#include "core/launch/facts.h"
#include "core/results/summary.h"
#include "core/results/variant_row.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::results {

// Under which conditions a point was measured that must not matter to its figure.

// Where a point ran.
struct Placement {
  int sm = 0;          // the target SM
  int first_warp = 0;  // shift of the roles over the sub-partitions
  bool operator==(const Placement&) const = default;
};

// A repetition changes one of them on purpose; how far the figure moves then is its floor
// (docs/measuring.md, Floors).
struct Conditions : Placement {
  std::uint32_t start_offset = 0;    // KernelParams::start_offset
  int padding = 0;                   // bytes of NOPs before the kernel's first instruction
  int gap_after = 0, gap_warps = 0;  // idle warps between the others: KernelParams
  int idle_warps() const { return first_warp + gap_warps; }
  // Of a warp as it was launched the number that roles and records know.
  int numbered(int launched) const;
  bool operator==(const Conditions&) const = default;
};

// What differs from none apart from the placement: "start_offset:7", "padding:208", "gap:3@1".
std::vector<std::string> words_of(const Conditions& conditions);

// What the driver says of a GPU while a grid runs on it.

// 0: not known.
struct DeviceState {
  int sm_megahertz = 0, memory_megahertz = 0;
  int watts = 0;
  bool known() const { return sm_megahertz > 0 || memory_megahertz > 0 || watts > 0; }
  bool operator==(const DeviceState&) const = default;
};

// One GPU, by UUID. Constants are read from the device.
struct DeviceRow {
  std::string uuid, name;
  std::string driver;  // "580.159.04", or the CUDA driver API version when that is all there is
  std::string target;  // "sm_90": compute capability
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  int max_clock_khz = 0;  // as reported; never used for a time
  bool operator==(const DeviceRow&) const = default;
};

// One invocation of phasebit-bench.
struct RunRow {
  std::string id;       // unique: time, host-independent random part
  std::string started;  // UTC, ISO 8601
  std::string command;  // the command line
  std::string commit;   // of the manifest
  std::string ptxas, target, sweep;
  std::uint64_t order_seed = 0;  // of the random order of points
  double timer_tick_ns = 0;      // measured tick of %globaltimer
  std::string driver;            // at this run; a device's row keeps the one it was first seen with
  bool operator==(const RunRow&) const = default;
};

// A sum over a launch's items in addition to its cycles: "polls", "polls per item".
struct ReadingName {
  std::string name, unit;  // the unit of its slope
  bool operator==(const ReadingName&) const = default;
};

// One launch.
struct Sample {
  std::uint32_t items = 0;
  std::uint64_t cycles = 0;               // clock_end - clock_start of the timed role
  std::vector<std::uint64_t> readings{};  // in the order of PointRow::readings
  bool operator==(const Sample&) const = default;
};

// What hardware counted over one launch of the timed kernel. The name ends in its unit:
// "dram_read_bytes", "stall_barrier_cycles".
struct Counter {
  std::string name;
  double value = 0;
  bool operator==(const Counter&) const = default;
};
// Of small letters, digits and underscores.
bool is_counter_name(std::string_view name);

enum class PointKind { point, anchor, modes };
const std::vector<std::string>& words_of(PointKind kind);
std::string to_string(PointKind kind);
std::optional<PointKind> point_kind(std::string_view word);
std::optional<Step> step_named(std::string_view word);

// What became of a point.
enum class Verdict {
  measured,
  same_code,    // its code was measured under another variant's name: PointRow::same_as
  refused,      // the gate: the code is not the intended one
  ungated,      // no rule covers the code
  wrong,        // its payload, or what else was verified
  timed_out,    // a bounded wait of the guarded build
  hung,         // killed by the watchdog
  interrupted,  // by the user; never kept
  failed,       // anything else: PointRow::error says at which step
};
const std::vector<std::string>& words_of(Verdict verdict);
std::string to_string(Verdict verdict);
std::optional<Verdict> verdict_named(std::string_view word);
// Of an error of that step, where nothing more is known.
Verdict verdict_of(Step step);

struct PointError {
  Step step = Step::launch;
  std::string message;
  bool operator==(const PointError&) const = default;
};

// The cycles, or a reading, are not a line: the slopes between its chain lengths.
struct Bend {
  std::string reading;  // "" for the cycles
  std::vector<double> slopes;
  bool operator==(const Bend&) const = default;
};

// How the figures of a point came about.
struct Quality {
  // Nothing but the items that each role handled was verified: no payload, no phases.
  bool items_only = false;
  // Of an external kernel: which gate it passed, "by_rules_file" or "none"; "" for a variant's own.
  Word gate;
  bool outputs_verified = true;
  // Readings whose interval missed the precision; "" is the cycles.
  std::vector<std::string> too_wide;
  bool modes = false;  // the rounds fall into groups: Summary::modes
  std::vector<Bend> bends;
  bool padded = true;    // false: the padding that was asked for cannot be made
  bool clock_ok = true;  // false: the achieved clock was not resolved
  bool throttled = false;
  bool first_use = false;  // the first point of its worker process
  Word no_counters;        // why counters that were asked for are not there; else ""
  bool operator==(const Quality&) const = default;
};

// One point: a variant, measured once (one repetition). Either a figure, the name of the variant
// whose figure it is, or an error.
struct PointRow {
  PointKind kind = PointKind::point;
  Word variant_id, variant_hash;                 // its key: Results::variants
  Word unit;                                     // "cycles per item"
  Word ptx_hash, text_hash, sass_class, module;  // of the timed image
  Word device_uuid, run_id;
  int repetition = 0;
  // A second measurement of a SASS class already measured in this repetition.
  bool aa_control = false;
  Conditions conditions;
  std::vector<int> sms;  // on which a cluster ran, whose choice is the GPU's
  Verdict verdict = Verdict::measured;
  Word same_as;  // Verdict::same_code: the id of the variant that was measured; else ""
  std::optional<PointError> error;
  // Raw, in the order of measurement: rounds of ascending chain length. None where only figures
  // were read.
  std::vector<Sample> samples;
  // What summarise() makes of them; none when it is still to be made or the samples have no line.
  std::optional<Summary> summary = std::nullopt;
  // What every sample has next to its cycles; none without samples.
  std::vector<ReadingName> readings;
  std::vector<Counter> counters;  // where they were asked for
  double megahertz = 0;  // achieved: clock64 against globaltimer over the point; 0 unresolved
  DeviceState state;     // where the driver was asked
  Quality quality;
  // Of a row that another program wrote (core/results/flat.h): its columns that this one does not
  // know, as a JSON object, and the names of those that it knows and the row lacks, with commas
  // between: what the fields here hold for these is not known.
  Word extra, lacks;
  // Whether it was measured itself.
  bool measured() const { return summary.has_value() || !samples.empty(); }
  void set_error(Verdict what, PointError why) {
    verdict = what;
    error = std::move(why);
  }
  bool operator==(const PointRow&) const = default;
};

// "not_linear:10.00,10.02,517.50", of a reading "not_linear:polls:..."
std::string word_of(const Bend& bend);

// What tables and exports show of a row's quality, always in this order: "items_only",
// "interval_too_wide", "interval_too_wide:polls", "modes", "not_linear:...", "not_padded",
// "clock_unresolved", "throttled", "first_use", "no_counters" (docs/measuring.md).
std::vector<std::string> words_of(const Quality& quality);

// The content of a store, or of several.
struct Results {
  std::vector<DeviceRow> devices;
  std::vector<RunRow> runs;
  std::vector<PointRow> points;
  // The keys of the points' variants, each once.
  std::vector<VariantRow> variants{};
  launch::CatalogueFacts catalogue{};
  bool operator==(const Results&) const = default;
};

// Whether a later row of the same point takes the place of the earlier one: the newest that has
// samples, else the newest error. A wrong payload is never forgiven: the same code was wrong once.
bool replaces(const PointRow& later, const PointRow& earlier);

// Some rows of results that outlive them.
using Rows = std::vector<const PointRow*>;
inline Rows rows_of(const std::vector<PointRow>& points) {
  Rows rows;
  rows.reserve(points.size());
  for (const PointRow& point : points) rows.push_back(&point);
  return rows;
}

// What identifies a finished point when a sweep is resumed.
struct PointKey {
  PointKind kind = PointKind::point;
  Word variant_hash, text_hash, device_uuid;
  int repetition = 0;
  bool aa_control = false;
  Placement placement;
  Word sass_class = {};  // of the code measured
};

struct MergeCounts {
  int devices = 0, runs = 0, points = 0;  // new in the store
  int points_known = 0;                   // were there already
};

// The words of Quality::gate.

inline constexpr const char *gate_by_rules_file = "by_rules_file", *no_gate = "none";

}  // namespace phasebit::results
