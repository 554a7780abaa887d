// What the bench writes and everything shown is made from.
#pragma once

#include "core/base/error.h"
#include "core/image/facts.h"
#include "core/record/summary.h"
#include "core/record/variant_row.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::record {

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

// A sum over a launch's items beside its cycles: "polls", "polls per item".
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

// Where a point ran.
struct Placement {
  int sm = 0;          // the target SM
  int first_warp = 0;  // shift of the roles over the sub-partitions
  bool operator==(const Placement&) const = default;
};

enum class PointKind { point, anchor, modes };
std::string to_string(PointKind kind);
std::optional<PointKind> point_kind(std::string_view word);
std::optional<Step> step_named(std::string_view word);

struct PointError {
  Step step = Step::launch;
  std::string message;
  bool operator==(const PointError&) const = default;
};

// One point: a variant, measured once (one repetition). Either a figure or an error.
struct PointRow {
  PointKind kind = PointKind::point;
  std::string variant_id, variant_hash;                 // its key: Results::variants
  std::string unit;                                     // "cycles per item"
  std::string ptx_hash, text_hash, sass_class, module;  // of the timed image
  std::string device_uuid, run_id;
  int repetition = 0;
  // A second measurement of a SASS class already measured in this repetition.
  bool aa_control = false;
  Placement placement;
  // Raw, in the order of measurement: rounds of ascending chain length. None where only figures
  // were read.
  std::vector<Sample> samples;
  // What summarise() makes of them; none when it is still to be made or the samples have none.
  std::optional<Summary> summary = std::nullopt;
  // What every sample has beside its cycles; none without samples.
  std::vector<ReadingName> readings;
  double megahertz = 0;  // achieved: clock64 against globaltimer over the point; 0 unresolved
  // "throttled", "clock_unresolved", "interval_too_wide", "first_use", see docs/measuring.md
  std::vector<std::string> flags;
  std::optional<PointError> error;
  // Whether it was measured itself.
  bool measured() const { return summary.has_value() || !samples.empty(); }
  bool operator==(const PointRow&) const = default;
};

// SMs on which a cluster ran, whose choice is the GPU's: the flag "sms:4,5,12".
inline constexpr std::string_view sms_prefix = "sms:";

// Names of the flags whose interval missed the precision; of a reading with its name behind it.
inline constexpr std::string_view too_wide_flag = "interval_too_wide";

// The line through the chain lengths is none: the slopes of its segments stand behind it, as
// "not_linear:10.00,10.02,517.50"; of a reading with its name, "not_linear:polls:...".
inline constexpr std::string_view not_linear_prefix = "not_linear:";
// Whether the flag says so of that reading, or with "" of the cycles.
bool is_bend_of(std::string_view flag, std::string_view reading);

// Nothing but the items that each role handled was verified: no payload, no phases.
inline constexpr std::string_view items_only_flag = "items_only";

// A variant whose SASS class was measured under another variant's name has a row without samples
// and the flag "same_class:<that variant's id>". Its figures are that variant's.
inline constexpr std::string_view same_class_prefix = "same_class:";
std::string same_class_as(const PointRow& point);  // the id, or ""

// The content of a store, or of several.
struct Results {
  std::vector<DeviceRow> devices;
  std::vector<RunRow> runs;
  std::vector<PointRow> points;
  // The keys of the points' variants, each once. An id that is not there, or has no key, is one of
  // a file of an older version (core/store/old_keys.h).
  std::vector<VariantRow> variants{};
  image::CatalogueFacts catalogue{};
  bool operator==(const Results&) const = default;
};

// What identifies a finished point when a sweep is resumed.
struct PointKey {
  PointKind kind = PointKind::point;
  std::string variant_hash, text_hash, device_uuid;
  int repetition = 0;
  bool aa_control = false;
  Placement placement;
  // Of the code measured. A row of before classes covered all of the code (core/image/sass_class.h)
  // answers for its text alone.
  std::string sass_class = {};
};

struct MergeCounts {
  int devices = 0, runs = 0, points = 0;  // new in the store
  int points_known = 0;                   // were there already
};

}  // namespace phasebit::record
