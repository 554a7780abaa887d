#include "bench/campaign/anchor_pass.h"

#include "bench/campaign/plan.h"
#include "core/base/interrupt.h"

#include <algorithm>

namespace phasebit::bench::campaign {

AnchorPass measure_anchors(const image::Manifest& manifest, worker::WorkerHandle& worker,
                           PointMaker maker, const record::Conditions& conditions) {
  AnchorPass pass;
  for (const image::BundleVariant& variant : manifest.variants) {
    if (!is_anchor(variant) || base::interrupted()) continue;
    record::PointRow row = maker.row(variant, record::PointKind::anchor, conditions);
    const auto measured = worker.measure(maker.request(row, conditions));
    fill_row(row, measured);
    if (measured) {
      if (measured->timer_step_ns > 0) maker.timer_tick_ns = measured->timer_step_ns;
      if (measured->timer_step_ns > 0) pass.timer_tick_ns = measured->timer_step_ns;
      const std::string name = variant.key.value("anchor");
      if (const auto summary = record::summarise(row.samples))
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
  for (const record::PointRow& row : pass.rows)
    if (row.error)
      return with_hint(fail(row.error->step, "{}: {}", row.variant_id, row.error->message),
                       "the set-up is broken; --ignore-anchors goes on");
  const auto off = std::find_if(figures.begin(), figures.end(),
                                [](const AnchorFigure& figure) { return !figure.ok(); });
  if (off == figures.end()) return {};
  return with_hint(fail(Step::device, "an anchor is off: {}", off->text()),
                   "the set-up is broken, so its numbers would be too; --ignore-anchors goes on");
}

}  // namespace phasebit::bench::campaign
