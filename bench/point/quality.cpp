#include "bench/point/quality.h"

#include "core/record/rounding.h"
#include "core/record/statistics.h"

namespace phasebit::bench::point {

void note_too_wide(Measurement& measurement, const record::Summary& summary) {
  std::vector<std::string>& too_wide = measurement.quality.too_wide;
  if (summary.rounds < min_rounds || !record::precise_enough(summary.cycles, summary.interval))
    too_wide.emplace_back();
  for (std::size_t n = 0; n < summary.readings.size(); ++n)
    if (!record::precise_enough(summary.readings[n].value, summary.readings[n].interval))
      too_wide.push_back(measurement.readings[n].name);
}

void note_bends(Measurement& measurement) {
  const auto note = [&](const std::string& reading, const Result<record::Segments>& segments) {
    if (segments && !record::is_linear(*segments))
      measurement.quality.bends.push_back({reading, record::rounded_slopes(segments->slopes)});
  };
  note("", record::segments_of(measurement.samples));
  for (std::size_t n = 0; n < measurement.readings.size(); ++n)
    note(measurement.readings[n].name, record::segments_of(measurement.samples, n));
}

}  // namespace phasebit::bench::point
