// What is measured in which order.
#pragma once

#include "core/image/manifest.h"
#include "core/record/record.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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

struct Plan {
  // Refused variants and those that stand for no class are points too: they cost a row, not a
  // launch.
  std::vector<PlannedPoint> order;
  std::map<std::size_t, std::size_t> control;  // who is measured for a class -> its A/A control
  std::size_t classes = 0;                     // measured SASS classes
  std::size_t launched = 0;                    // points that are measured, A/A controls among them
  std::size_t refused = 0;                     // variants whose gate did not pass
};

// The anchors of a bundle are no points.
bool is_anchor(const image::BundleVariant& variant);

// Why a variant is not measured.
struct Refusal {
  record::Verdict verdict = record::Verdict::refused;  // or ungated
  std::string why;
};
// Nothing when its gate passed.
std::optional<Refusal> refusal(const image::BundleVariant& variant);

// For each variant of the manifest the index of the one that is measured for its SASS class: the
// first selected member whose gate passed; itself when it is alone, refused, or not selected.
std::vector<std::size_t> representatives(const image::Manifest& manifest,
                                         const std::vector<std::size_t>& selected);

// One point a variant and repetition, and one A/A control a class in the first repetition: its
// second member where there is one, else the same image again. All repetitions are shuffled
// together; the pairs of two members come first, as all figures of a class rest on them.
Plan make_bench_plan(const image::Manifest& manifest, const PlanRequest& request);

}  // namespace phasebit::bench::campaign
