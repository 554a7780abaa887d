// What is measured in which order.
#pragma once

#include "bench/device/device.h"
#include "bench/worker/message.h"
#include "core/launch/manifest.h"
#include "core/results/record.h"
#include "core/results/statistics.h"
#include "core/results/store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace phasebit::bench::campaign {

struct PlanRequest {
  std::vector<std::size_t> selected;  // indices into the manifest
  int repetitions = 1;
  bool random_order = true;
  std::uint64_t seed = 0;
  bool aa_control = true;
};

struct PlannedPoint {
  std::size_t variant = 0;  // index into the manifest
  int repetition = 0;
  bool aa_control = false;
};

struct CampaignPlan {
  // Refused variants and those that stand for no class are points too: they cost a row, not a
  // launch.
  std::vector<PlannedPoint> order;
  std::map<std::size_t, std::size_t> control;  // the one measured for a class -> its A/A control
  std::size_t classes = 0;                     // measured SASS classes
  std::size_t launched = 0;                    // points that are measured, A/A controls among them
  std::size_t refused = 0;                     // variants whose gate did not pass
};

// The anchors of a bundle are not points.
bool is_anchor(const launch::BundleVariant& variant);

// Why a variant is not measured.
struct Refusal {
  results::Verdict verdict = results::Verdict::refused;  // or ungated
  std::string why;
};
// Nothing when its gate passed.
std::optional<Refusal> refusal(const launch::BundleVariant& variant);

// For each variant of the manifest the index of the one that is measured for its SASS class: the
// first selected member whose gate passed; itself when it is alone, refused, or not selected.
std::vector<std::size_t> representatives(const launch::Manifest& manifest,
                                         const std::vector<std::size_t>& selected);

// One point a variant and repetition, and one A/A control a class in the first repetition: its
// second member where there is one, else the same image again. All repetitions are shuffled
// together; the pairs of two members come first, as all figures of a class rest on them.
CampaignPlan make_bench_plan(const launch::Manifest& manifest, const PlanRequest& request);

// From a variant and a place to the row that will hold its samples, and to the worker's request.

struct PointMaker {
  std::string device_uuid, run_id;
  point::PointRequest limits = {};  // of each request: its rounds, seconds and tick

  // The row of a point, still without samples.
  results::PointRow row(const launch::BundleVariant& variant, results::PointKind kind,
                        const results::Conditions& conditions) const;
  // The payload differs from repetition to repetition, and is the same when a point is repeated.
  point::PointRequest request(const results::PointRow& row,
                              const results::Conditions& conditions) const;
};

// Whether --counters asks for the counters of this point: a launch counts the same in every
// repetition.
bool counts(const results::PointRow& row);

// Puts what was measured, or why nothing was, into the row.
void fill_row(results::PointRow& row, const Result<point::Measurement>& measured);

// What a store already holds of a sweep: a finished point is not measured again.

class FinishedPoints {
 public:
  // Reads every row once: a sweep asks for each of its points.
  static Result<FinishedPoints> read(const results::Store& store);

  // The newest row without an error, or null.
  const results::PointRow* find(const results::PointKey& key) const;
  // Whether the newest row of this key is this error: it need not be written again.
  bool has_error(const results::PointKey& key, const results::PointError& error) const;

 private:
  using Key = std::tuple<results::PointKind, Word, Word, Word, int, bool, int, int, Word>;
  static Key key_of(const results::PointKey& key);
  std::map<Key, results::PointRow> rows_;
};

results::PointKey key_of(const results::PointRow& row);

// What a repetition changes that must not matter.

// Repetition 0 is `base`. 1 and 2 change the start offset, 3 the SM, 4 the sub-partitions, 5 to 7
// where the code lies; in 8 the roles begin on one sub-partition, in 9 too, with the code where 5
// had it; of a launch that says where its roles sit both change the code's place. Then all comes
// again. What to depends on the repetition alone: a resumed run finds its
// rows, and two variants are compared under the same condition. A thing that the launch has no room
// for stays as it is.
results::Conditions vary(const results::Conditions& base, const launch::BundleVariant& variant,
                         int repetition, const device::DeviceInfo& device);

}  // namespace phasebit::bench::campaign
