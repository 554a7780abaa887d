#include "analysis/report/tables/probes/prediction.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/data/without_loop.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace phasebit::report::tables::probes {

using data::Aggregate;
using data::Aggregation;
using data::Figure;
using data::figure_of;
using data::find_variant;
using data::shown;
using data::VariantAxes;

namespace {

using Asked = std::set<std::string>;

// What two probes must have in common: all axes away from their default but those that the probe is
// asked by.
std::string spelling(const VariantAxes& axes, const Asked& asked) {
  std::string words;
  for (const char* axis : image::component_axes)
    if (std::string(axis) != "probe") words += axes.value(axis) + "/";
  for (const auto& [axis, value] : axes.variant().named)
    if (asked.count(axis) == 0) words += fmt::format("/{}={}", axis, value);
  return words;
}

Figure times(double count, Figure figure) {
  figure.value *= count;
  figure.half_width *= count;
  figure.spread *= count;
  return figure;
}

Figure sum(const Figure& a, const Figure& b) {
  Figure negative = times(-1, b);
  negative.half_width = b.half_width;
  negative.spread = b.spread;
  return data::difference(a, negative);
}

Figure larger(const Figure& a, const Figure& b) {
  return a.value < b.value ? b : a;
}

std::string term(const std::string& name, const Figure& figure) {
  return fmt::format("{} {}", name, shown(figure.value, figure.half_width));
}

using Found = std::optional<Figure>;

// The figures that predictions are made of, by spelling.
class Terms {
 public:
  explicit Terms(const Aggregation& all) {
    for (const Aggregate& point : all.points)
      if (!data::is_unrolled_item(point.axes) && find_variant(all.points, point.id) == &point)
        add(point);
    for (const Aggregate& point : all.alone)
      if (point.axes.value("probe") == "fanin") add_meeting(point);
  }

  // One verb without its loop, by the probe of verbs.
  Found verb(const std::string& words, const char* name, const char* path,
             const char* reads) const {
    const auto sizes = verbs_.find(fmt::format("{}|{}|{}|{}", words, name, path, reads));
    if (sizes == verbs_.end() || sizes->second.size() < 2) return {};
    // A loop over fewer than four copies is longer than they are, and its end hides behind them.
    constexpr int least_copies = 4;
    const auto four = sizes->second.lower_bound(least_copies);
    const auto [most, many] = *sizes->second.rbegin();
    const auto [fewest, few] = four->first < most ? *four : *sizes->second.begin();
    return whole(data::difference(figure_of(*many), figure_of(*few), most - fewest));
  }
  Found wake(const std::string& words) const { return found(wakes_, words); }
  // Without its loop.
  Found meeting(const std::string& words, int warps) const {
    return found(meetings_, fmt::format("{}|{}", words, warps));
  }
  Found trip_with_loop(const std::string& words) const { return found(trips_, words); }

 private:
  using Figures = std::map<std::string, Figure>;

  static Found whole(Figure figure) {
    return figure.reason.empty() ? Found(std::move(figure)) : Found();
  }
  static Found found(const Figures& figures, const std::string& key) {
    const auto at = figures.find(key);
    return at == figures.end() ? Found() : whole(at->second);
  }

  void add(const Aggregate& point) {
    const VariantAxes& axes = point.axes;
    const std::string probe = axes.value("probe");
    if (probe == "handoff")
      trips_[spelling(axes, {"num_stages"})] = figure_of(point);
    else if (probe == "verb" && axes.value("load") != "busy")
      add_verb(point);
    else if (probe == "response" && axes.value("clock") == "behind" &&
             axes.value("delay_cycles") == "0")
      wakes_[spelling(axes, {"num_stages", "counting", "delay_cycles", "clock"})] =
          figure_of(point, "wake");
  }

  void add_meeting(const Aggregate& point) {
    const VariantAxes& axes = point.axes;
    const std::string words = spelling(axes, {"num_stages", "roles", "producers", "consumers"});
    meetings_[fmt::format("{}|{}", words, axes.value("producers"))] = figure_of(point);
  }

  void add_verb(const Aggregate& point) {
    const VariantAxes& axes = point.axes;
    const std::string words =
        spelling(axes, {"num_stages", "addressing", "verb", "path", "reads", "load"});
    verbs_[fmt::format("{}|{}|{}|{}", words, axes.value("verb"), axes.value("path"),
                       axes.value("reads"))][axes.number("num_stages")] = &point;
  }

  std::map<std::string, std::map<int, const Aggregate*>> verbs_;  // then by copies
  Figures wakes_, trips_, meetings_;
};

// Collects predictions of one point after the other.
class Predictor {
 public:
  explicit Predictor(const Aggregation& all) : terms_(all) {}

  void hand_off(const Aggregate& trip) {
    const std::string words = spelling(trip.axes, {"num_stages"});
    const Found commit = terms_.verb(words, "commit", "completing", "completion");
    const Found release = terms_.verb(words, "release", "completing", "completion");
    if (commit && release)
      put("hand-off: its verbs", trip, sum(*commit, *release),
          term("commit", *commit) + " + " + term("release", *release));
    if (const Found meeting = terms_.meeting(words, 2))
      put("hand-off: two meetings", trip, times(2, *meeting), "2 x " + term("fan-in", *meeting));
  }

  // A wake-up is measured in a loop, so it stands beside the round trip with its loop; from behind
  // an arrival to behind the wait, so that of the verbs the issue of each arrival is left.
  void looped_hand_off(const Aggregate& trip) {
    const std::string words = spelling(trip.axes, {"num_stages"});
    const Found wake = terms_.wake(words);
    const Found commit = terms_.verb(words, "commit", "completing", "issue");
    const Found release = terms_.verb(words, "release", "completing", "issue");
    if (wake && commit && release)
      put("hand-off with its loop: the wake-up", trip, sum(sum(*commit, *release), times(2, *wake)),
          fmt::format("{} + {} + 2 x {}", term("commit", *commit), term("release", *release),
                      term("wake-up", *wake)));
  }

  void meeting(const Aggregate& phase) {
    if (phase.axes.value("producers") != "1") return;
    const std::string words =
        spelling(phase.axes, {"num_stages", "roles", "producers", "consumers"});
    if (const Found commit = terms_.verb(words, "commit", "completing", "completion"))
      put("meeting: its verb", phase, *commit, term("commit", *commit));
  }

  void ring(const Aggregate& ring) {
    const std::string words = spelling(ring.axes, {"num_stages", "addressing"});
    const int stages = ring.axes.number("num_stages");
    // Slots in registers or not, a token meets each role's loop once on its way.
    const Found trip = terms_.trip_with_loop(words);
    if (!trip) return;
    if (stages == 1) put("ring of 1: its hand-off", ring, *trip, term("round trip", *trip));
    const Found acquire = terms_.verb(words, "acquire", "ready", "issue");
    const Found commit = terms_.verb(words, "commit", "completing", "issue");
    const Found wait = terms_.verb(words, "wait", "ready", "issue");
    const Found release = terms_.verb(words, "release", "completing", "issue");
    if (stages == 1 || !acquire || !commit || !wait || !release) return;
    const Figure fill = sum(*acquire, *commit), drain = sum(*wait, *release);
    put("ring: its verbs", ring, larger(larger(fill, drain), times(1.0 / stages, *trip)),
        fmt::format("max({} + {}, {} + {}, {} / {})", term("acquire", *acquire),
                    term("commit", *commit), term("wait", *wait), term("release", *release),
                    term("round trip", *trip), stages));
  }

  // Rings that differ in their depth alone, by it.
  void sweep(const std::map<int, const Aggregate*>& rings) {
    if (rings.size() < 3 || rings.begin()->first != 1) return;
    const Figure one = figure_of(*rings.begin()->second), deep = figure_of(*rings.rbegin()->second);
    if (!one.reason.empty() || !deep.reason.empty()) return;
    for (const auto& [stages, ring] : rings) {
      if (stages == 1 || stages == rings.rbegin()->first) continue;
      put("ring: its own ends", *ring, larger(deep, times(1.0 / stages, one)),
          fmt::format("max({} stages {}, 1 stage {} / {})", rings.rbegin()->first,
                      shown(deep.value, deep.half_width), shown(one.value, one.half_width),
                      stages));
    }
  }

  std::vector<Prediction> made;

 private:
  void put(const char* kind, const Aggregate& of, const Figure& predicted, std::string formula) {
    Figure measured = figure_of(of);
    if (measured.reason.empty())
      made.push_back({kind, std::move(formula), &of, predicted, std::move(measured)});
  }

  Terms terms_;
};

void add_sweeps(const Aggregation& all, Predictor& predictor) {
  std::map<std::string, std::map<int, const Aggregate*>> sweeps;
  for (const Aggregate& point : all.points)
    if (point.axes.value("probe") == "ring" && find_variant(all.points, point.id) == &point)
      sweeps[spelling(point.axes, {"num_stages"})][point.axes.number("num_stages")] = &point;
  for (const auto& [words, rings] : sweeps) predictor.sweep(rings);
}

// The newest of each variant of a probe; items in a row are no variant that anybody runs.
void add_all(const std::vector<Aggregate>& points, const char* probe, Predictor& predictor,
             void (Predictor::*predict)(const Aggregate&)) {
  for (const Aggregate& point : points)
    if (point.axes.value("probe") == probe && !data::is_unrolled_item(point.axes) &&
        find_variant(points, point.id) == &point)
      (predictor.*predict)(point);
}

}  // namespace

double Prediction::percent() const {
  return measured.value == 0 ? 0 : 100 * residual().value / std::abs(measured.value);
}

bool Prediction::is_open() const {
  constexpr double most = 10;
  return std::abs(percent()) > most;
}

std::vector<Prediction> predictions(const Aggregation& all) {
  Predictor predictor(all);
  add_all(all.alone, "handoff", predictor, &Predictor::hand_off);
  add_all(all.points, "handoff", predictor, &Predictor::looped_hand_off);
  add_all(all.alone, "fanin", predictor, &Predictor::meeting);
  add_all(all.points, "ring", predictor, &Predictor::ring);
  add_sweeps(all, predictor);
  std::vector<Prediction> made = std::move(predictor.made);
  std::stable_sort(made.begin(), made.end(), [](const Prediction& a, const Prediction& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.of->id < b.of->id;
  });
  return made;
}

}  // namespace phasebit::report::tables::probes
