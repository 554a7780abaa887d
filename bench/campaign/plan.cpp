#include "bench/campaign/plan.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace phasebit::bench::campaign {

using image::BundleVariant;
using image::GateVerdict;

namespace {

// Our own shuffle: what std::shuffle does with a seed is up to the library.
void shuffle(std::vector<PlannedPoint>& points, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t n = points.size(); n > 1; --n) std::swap(points[n - 1], points[random() % n]);
}

// What is measured once. A padded image has the class of the one that is not, and is measured to
// see whether that matters.
std::string class_of(const BundleVariant& variant) {
  const image::Image* timed = variant.image(image::Build::timed);
  if (timed == nullptr || timed->padding_bytes == 0 || timed->sass_class.empty())
    return timed == nullptr ? "" : timed->sass_class;
  return fmt::format("{} padded {}", timed->sass_class, timed->padding_bytes);
}

}  // namespace

bool is_anchor(const BundleVariant& variant) {
  return image::is_anchor(variant.key);
}

std::optional<Refusal> refusal(const BundleVariant& variant) {
  using record::Verdict;
  const image::Image* timed = variant.image(image::Build::timed);
  if (timed == nullptr) return Refusal{Verdict::refused, "the bundle holds no timed build"};
  switch (timed->gate.verdict) {
    case GateVerdict::passed: return {};
    case GateVerdict::failed:
      return Refusal{Verdict::refused, "the SASS is not the intended one: " + timed->gate.reason};
    case GateVerdict::ungated:
      if (variant.whole) return {};  // nobody says what it must be: its quality says so
      return Refusal{Verdict::ungated,
                     "not gated: " + (timed->gate.reason.empty() ? "no rule covers this family"
                                                                 : timed->gate.reason)};
  }
  bug("unknown verdict");
}

std::vector<std::size_t> representatives(const image::Manifest& manifest,
                                         const std::vector<std::size_t>& selected) {
  std::vector<std::size_t> measured(manifest.variants.size());
  std::iota(measured.begin(), measured.end(), std::size_t{0});
  std::map<std::string, std::size_t> first;
  for (const std::size_t index : selected) {
    const BundleVariant& variant = manifest.variants[index];
    const std::string sass_class = class_of(variant);
    if (refusal(variant) || sass_class.empty()) continue;
    measured[index] = first.try_emplace(sass_class, index).first->second;
  }
  return measured;
}

Plan make_bench_plan(const image::Manifest& manifest, const PlanRequest& request) {
  Plan plan;
  const auto measured = representatives(manifest, request.selected);
  for (const std::size_t index : request.selected) {
    if (refusal(manifest.variants[index])) {
      ++plan.refused;
      continue;
    }
    auto& other = plan.control.try_emplace(measured[index], measured[index]).first->second;
    if (other == measured[index]) other = index;
  }
  plan.classes = plan.control.size();
  for (int repetition = 0; repetition < request.repetitions; ++repetition) {
    for (const std::size_t index : request.selected)
      plan.order.push_back({index, repetition, false});
    if (repetition > 0) continue;  // those behind it differ on purpose
    for (const auto& [representative, other] : plan.control)
      if (request.aa_control) plan.order.push_back({other, repetition, true});
  }
  plan.launched =
      plan.classes * static_cast<std::size_t>(request.repetitions + (request.aa_control ? 1 : 0));
  if (!request.random_order) return plan;
  shuffle(plan.order, request.seed);
  std::stable_partition(plan.order.begin(), plan.order.end(), [&](const PlannedPoint& point) {
    const auto pair = plan.control.find(measured[point.variant]);
    return request.aa_control && point.repetition == 0 && pair != plan.control.end() &&
           pair->first != pair->second &&
           point.variant == (point.aa_control ? pair->second : pair->first);
  });
  return plan;
}

}  // namespace phasebit::bench::campaign
