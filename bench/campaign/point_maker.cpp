#include "bench/campaign/point_maker.h"

namespace phasebit::bench::campaign {

using record::PointRow;

namespace {

std::uint32_t payload_seed(const PointRow& row) {
  const auto base = std::stoul("0" + row.variant_hash.text().substr(0, 7), nullptr, 16);
  constexpr std::uint32_t odd = 2654435761U;  // spreads the few bits of the hash over the word
  return static_cast<std::uint32_t>(base) * odd + static_cast<std::uint32_t>(row.repetition);
}

}  // namespace

PointRow PointMaker::row(const image::BundleVariant& variant, record::PointKind kind,
                         const record::Conditions& conditions) const {
  PointRow row;
  row.kind = kind;
  row.variant_id = variant.key.id;
  row.variant_hash = variant.key.hash;
  row.unit = variant.launch.unit;
  if (const image::Image* timed = variant.image(image::Build::timed)) {
    row.ptx_hash = timed->ptx_hash;
    row.text_hash = timed->text_hash;
    row.sass_class = timed->sass_class;
    row.module = timed->module;
  }
  row.device_uuid = device_uuid;
  row.run_id = run_id;
  row.conditions = conditions;
  return row;
}

worker::PointRequest PointMaker::request(const PointRow& row,
                                         const record::Conditions& conditions) const {
  return {row.variant_hash, conditions, payload_seed(row), max_rounds, max_seconds, timer_tick_ns};
}

void fill_row(PointRow& row, const Result<point::Measurement>& measured) {
  if (!measured) {
    row.set_error(record::verdict_of(measured.error().step),
                  {measured.error().step, measured.error().message});
    return;
  }
  row.samples = measured->samples;
  row.readings = measured->readings;
  row.megahertz = measured->megahertz;
  row.quality = measured->quality;
  row.sms = measured->sms;
  row.state = measured->state;
}

}  // namespace phasebit::bench::campaign
