// A sweep on one GPU: anchors, then every planned point, each a row in the store when it is done.
#pragma once

#include "bench/campaign/anchors.h"
#include "bench/campaign/plan.h"
#include "bench/worker/handle.h"
#include "core/launch/manifest.h"
#include "core/results/record.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace phasebit::bench::campaign {

// How far a sweep is: one line that is rewritten on a terminal, now and then a plain line
// elsewhere.

class Progress {
 public:
  Progress(std::FILE* out, bool terminal) : out_(out), terminal_(terminal) {}

  void begin(std::size_t total);
  void step(const std::string& what, bool failed);
  // Takes the line away, so that others can write.
  void clear();
  void note(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* out_;
  bool terminal_;
  bool shown_ = false;
  std::size_t total_ = 0, done_ = 0, failed_ = 0;
  Clock::time_point start_{}, last_shown_{};
};

// "3 min 20 s", "12 s", "0.4 s"
std::string duration_text(double seconds);

struct CampaignOptions {
  results::Conditions conditions;  // of the first repetition
  bool varies = true;  // what must not matter, from repetition to repetition: see vary()
  std::uint64_t seed = 0;
  bool fresh = false;           // measure again what the store has
  bool counters = false;        // hardware counters too; measures again what lacks them
  bool ignore_anchors = false;  // go on when one is off
  int max_rounds = 64;
  double point_seconds = 0.25;
  std::string command;  // the command line, for the run's row
};

// What is told of one variant in one repetition.
struct Outcome {
  std::optional<results::Summary> summary;
  std::string unit;                            // "cycles per item"
  std::vector<results::ReadingName> readings;  // of Summary::readings
  double megahertz = 0;
  std::uint32_t items_per_launch = 0;  // of the longest launch
  results::Quality quality;
  results::Conditions conditions;
  std::vector<int> sms;  // on which a cluster ran
  std::string note;      // "from the store", "same code as VARIANT"
  std::optional<Error> error;
};

struct Tally {
  std::size_t measured = 0, from_store = 0, same_class = 0, failed = 0;
  double seconds = 0;                // spent on points
  std::optional<Error> first_error;  // of a point
};

class Campaign {
 public:
  Campaign(const launch::Manifest& manifest, results::Store& store, worker::WorkerHandle& worker,
           Progress& progress, CampaignOptions options);

  // Opens the device, reads what the store has, measures the anchors, prints them on standard
  // error, and opens the run. Step::device when an anchor is off.
  Status open();

  void plan(const PlanRequest& request);

  // Measures on in the planned order until this point is there.
  Outcome result(std::size_t variant, int repetition);
  // Measures what was not asked for: A/A controls at the end of the order.
  void finish();

  // One point outside the plan, as a row of its kind.
  Outcome measure_at(std::size_t variant, results::PointKind kind, int repetition,
                     const results::Conditions& conditions);

  // Why nothing more is measured: Ctrl-C, a full disk, a GPU that no longer answers.
  const std::optional<Error>& stopped() const { return stopped_; }
  const Tally& tally() const { return tally_; }
  const device::DeviceInfo& device() const { return device_; }
  const results::Store& store() const { return store_; }
  const std::string& run_id() const { return maker_.run_id; }
  // |difference| of each A/A pair of this run, cycles, and the same divided by the median.
  const std::vector<std::pair<double, double>>& aa_differences() const { return aa_differences_; }

 private:
  using Key = std::pair<std::size_t, int>;
  Status run_anchors();
  void interrupt();
  void do_point(const PlannedPoint& point);
  // What is known of a point before it is taken.
  struct Prepared {
    results::PointRow row;
    results::Conditions own;
    std::optional<Refusal> refusal;            // why it is not measured
    std::size_t representative = 0;            // whose code it has: itself, where it is measured
    const results::PointRow* known = nullptr;  // what the store has of it
  };
  Prepared prepare(const PlannedPoint& point, results::PointKind kind,
                   const results::Conditions& conditions) const;
  // What the worker will be asked for after the point that is taken now.
  std::optional<point::PointRequest> request_ahead() const;
  Outcome take(const PlannedPoint& point, results::PointKind kind,
               const results::Conditions& conditions);
  Outcome refuse(results::PointRow row, const Refusal& refusal);
  Outcome point_to(results::PointRow row, std::size_t representative);
  Outcome measure_now(results::PointRow row, const results::Conditions& conditions,
                      const launch::BundleVariant& variant,
                      const std::optional<point::PointRequest>& next);
  void keep_aa(const PlannedPoint& point, const Outcome& outcome);
  // Measures both members of a class again where their figures are apart.
  void hold_class(std::size_t other, const results::Summary& first, const results::Summary& second);
  void refute_class(std::size_t representative, const std::string& figures);
  std::optional<results::Summary> measure_aside(std::size_t variant);
  // After a lost worker: whether the GPU still works.
  void check_liveness();
  // Each note once.
  void tell(const std::vector<std::string>& notes);
  void write(const results::PointRow& row);
  Status add_key(const results::PointRow& row);

  const launch::Manifest& manifest_;
  results::Store& store_;
  worker::WorkerHandle& worker_;
  Progress& progress_;
  CampaignOptions options_;
  device::DeviceInfo device_;
  PointMaker maker_;
  FinishedPoints finished_;
  results::KeyPool pool_;
  std::unordered_map<std::string, const launch::VariantKey*>
      keys_;  // by hash: those not in the store yet
  std::vector<std::size_t> representatives_;
  CampaignPlan plan_;
  std::size_t next_ = 0;
  std::map<Key, Outcome> outcomes_, controls_;
  std::vector<std::pair<double, double>> aa_differences_;
  std::unordered_map<std::string, results::PointError> hung_;  // by the variant's hash
  std::set<std::string> told_;
  std::map<std::size_t, Error> refuted_;  // classes, by the variant that is measured for them
  Tally tally_;
  std::optional<Error> stopped_;
  bool interrupted_ = false;  // by Ctrl-C: why it is stopped
};

// Figures of a row: its error, or the summary of its samples.
Outcome outcome_of(const results::PointRow& row);

// The row of one invocation.

// "20261120T195220Z-3f2a9c11d0e4": the time, and a random part so that shards of a sweep can be
// merged.
std::string new_run_id();

// Everything but the id, the tick and the driver.
results::RunRow new_run_row(const launch::Manifest& manifest, const std::string& command,
                            std::uint64_t seed);

}  // namespace phasebit::bench::campaign
