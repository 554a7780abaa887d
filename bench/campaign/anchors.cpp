#include "bench/campaign/anchors.h"

#include "bench/campaign/plan.h"
#include "core/base/interrupt.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phasebit::bench::campaign {

using results::Summary;

namespace {

enum class Quantity { slope, intercept, timer_step, slope_ns, clock };

// A figure made of one anchor, or of the difference of two (which has no loop in it), per
// operation.
struct Rule {
  const char* name;
  Quantity quantity;
  const char* anchor;
  const char* minus;  // "" for none
  double operations;
  const char* unit;
  double low, high;
  int min_sm, max_sm;  // the ranges hold for these
  const char* reason;
};

constexpr int any_sm = 9999;

// Wide enough for every chip of the rows' range, narrow enough to catch what breaks a set-up: a
// clock read that moved, a loop that was unrolled or folded away, another process on the SM, the
// wrong clock.
constexpr Rule rules[] = {
    {"clock_pair slope", Quantity::slope, "clock_pair", "", 1, "cycles per item", -0.01, 0.01, 0,
     any_sm, "nothing depends on the number of items"},
    {"clock_pair", Quantity::intercept, "clock_pair", "", 1, "cycles", 1, 120, 0, any_sm,
     "two reads, a comparison and a branch not taken"},
    {"globaltimer tick", Quantity::timer_step, "globaltimer", "", 1, "ns", 1, 1100, 0, any_sm,
     "32 ns on recent chips, 1 us or so on older ones"},
    {"fma", Quantity::slope, "fma_64", "fma_32", 32, "cycles", 3.95, 4.05, 70, any_sm,
     "a dependent FFMA issues 4 cycles after the one before since sm_70"},
    {"payload checksum", Quantity::slope, "checksum_64", "checksum_32", 32, "cycles", 3.9, 6.1, 70,
     any_sm, "a dependent IMAD takes as long as an FFMA, or two cycles more"},
    {"shared memory chase", Quantity::slope, "chase_32", "chase_16", 16, "cycles", 17, 40, 70,
     any_sm, "a load from shared memory costs 20 to 35 cycles"},
    {"nanosleep(1000)", Quantity::slope_ns, "nanosleep", "", 1, "ns", 1, 2200, 70, any_sm,
     "PTX: between 0 and twice the duration"},
    {"bar.sync, 1 warp", Quantity::slope, "bar_sync/warps=1", "", 16, "cycles", 2, 60, 70, any_sm,
     "no other warp to wait for"},
    {"bar.sync, 2 warps", Quantity::slope, "bar_sync/warps=2", "", 16, "cycles", 4, 80, 70, any_sm,
     "grows slowly with the warps"},
    {"bar.sync, 4 warps", Quantity::slope, "bar_sync/warps=4", "", 16, "cycles", 4, 90, 70, any_sm,
     "grows slowly with the warps"},
    {"bar.sync, 8 warps", Quantity::slope, "bar_sync/warps=8", "", 16, "cycles", 6, 110, 70, any_sm,
     "grows slowly with the warps"},
    {"bar.sync, 16 warps", Quantity::slope, "bar_sync/warps=16", "", 16, "cycles", 10, 150, 70,
     any_sm, "four warps a sub-partition arrive one after the other"},
    {"bar.sync, 32 warps", Quantity::slope, "bar_sync/warps=32", "", 16, "cycles", 16, 250, 70,
     any_sm, "eight warps a sub-partition arrive one after the other"},
    {"achieved clock", Quantity::clock, "fma_64", "", 1, "MHz", 150, 1.02, 0, any_sm,
     "no slower than an idle GPU, no faster than the device's maximum"},
};

double measure_of(Quantity quantity, const AnchorResult& result) {
  switch (quantity) {
    case Quantity::slope: return result.summary.cycles;
    case Quantity::intercept: return result.summary.fit.intercept;
    case Quantity::timer_step: return result.timer_step_ns;
    case Quantity::slope_ns:
      return result.megahertz > 0 ? 1000 * result.summary.cycles / result.megahertz : 0;
    case Quantity::clock: return result.megahertz;
  }
  bug("unknown quantity");
}

}  // namespace

std::string AnchorFigure::text() const {
  if (missing) return fmt::format("{}: not measured ({})", name, reason);
  return fmt::format("{}: {:.4g} {}, expected {:.4g} to {:.4g} ({})", name, value, unit, low, high,
                     reason);
}

std::vector<AnchorFigure> judge_anchors(const std::map<std::string, AnchorResult>& results,
                                        const device::DeviceInfo& device) {
  std::vector<AnchorFigure> figures;
  for (const Rule& rule : rules) {
    if (device.sm < rule.min_sm || device.sm > rule.max_sm) continue;
    AnchorFigure figure{rule.name, rule.unit, 0, rule.low, rule.high, rule.reason};
    // The last range is relative: the device says what its maximum is.
    if (rule.quantity == Quantity::clock) figure.high *= device.row.max_clock_khz / 1000.0;
    const auto anchor = results.find(rule.anchor);
    const auto minus = results.find(rule.minus);
    figure.missing = anchor == results.end() || (*rule.minus != '\0' && minus == results.end());
    if (!figure.missing) {
      figure.value = measure_of(rule.quantity, anchor->second);
      if (minus != results.end()) figure.value -= measure_of(rule.quantity, minus->second);
      figure.value /= rule.operations;
    }
    figures.push_back(figure);
  }
  return figures;
}

AnchorPass measure_anchors(const launch::Manifest& manifest, worker::WorkerHandle& worker,
                           PointMaker maker, const results::Conditions& conditions) {
  AnchorPass pass;
  for (const launch::BundleVariant& variant : manifest.variants) {
    if (!is_anchor(variant) || base::interrupted()) continue;
    results::PointRow row = maker.row(variant, results::PointKind::anchor, conditions);
    const auto measured = worker.measure(maker.request(row, conditions));
    fill_row(row, measured);
    if (measured) {
      if (measured->timer_step_ns > 0) maker.limits.timer_tick_ns = measured->timer_step_ns;
      if (measured->timer_step_ns > 0) pass.timer_tick_ns = measured->timer_step_ns;
      const std::string name = variant.key.value("anchor");
      if (const auto summary = results::summarise(row.samples))
        pass.results[name] = AnchorResult{*summary, row.megahertz, measured->timer_step_ns};
    }
    pass.rows.push_back(std::move(row));
  }
  return pass;
}

Status check_anchors(const AnchorPass& pass, const std::vector<AnchorFigure>& figures) {
  if (pass.rows.empty())
    return with_hint(fail(Step::device, "the bundle holds no anchors"),
                     "pack it again, or measure without them: --ignore-anchors");
  for (const results::PointRow& row : pass.rows)
    if (row.error)
      return with_hint(fail(row.error->step, "{}: {}", row.variant_id, row.error->message),
                       "the set-up is broken; --ignore-anchors goes on");
  const auto off = std::find_if(figures.begin(), figures.end(),
                                [](const AnchorFigure& figure) { return !figure.ok(); });
  if (off == figures.end()) return {};
  return with_hint(fail(Step::device, "an anchor is off: {}", off->text()),
                   "the set-up is broken, so its numbers would be too; --ignore-anchors goes on");
}

namespace {

struct Side {
  double low = 0, high = 0, widest = 0;  // of the figures; the widest interval
};

Side side_of(const std::vector<Summary>& all) {
  const auto [low, high] =
      std::minmax_element(all.begin(), all.end(),
                          [](const Summary& a, const Summary& b) { return a.cycles < b.cycles; });
  Side side{low->cycles, high->cycles};
  for (const Summary& one : all)
    side.widest = std::max(side.widest, one.interval.interval.high - one.interval.interval.low);
  return side;
}

std::string figures_of(const std::vector<Summary>& all) {
  std::vector<std::string> figures;
  for (const Summary& one : all) figures.push_back(fmt::format("{:.2f}", one.cycles));
  return fmt::format("{}", fmt::join(figures, ", "));
}

}  // namespace

bool are_apart(const std::vector<Summary>& first, const std::vector<Summary>& second) {
  if (first.empty() || second.empty()) return false;
  constexpr double least_cycles = 0.5, least_share = 0.005;
  const Side a = side_of(first), b = side_of(second);
  const double floor =
      std::max({least_cycles, least_share * std::max(std::abs(a.low), std::abs(b.low)),
                a.high - a.low, b.high - b.low, a.widest, b.widest});
  return std::max(a.low - b.high, b.low - a.high) > floor;
}

std::string in_words(const std::string& first_id, const std::vector<Summary>& first,
                     const std::string& second_id, const std::vector<Summary>& second) {
  return fmt::format("{} {}; {} {}", first_id, figures_of(first), second_id, figures_of(second));
}

}  // namespace phasebit::bench::campaign
