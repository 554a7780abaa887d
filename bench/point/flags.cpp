#include "bench/point/flags.h"

#include "core/record/statistics.h"

#include <algorithm>

namespace phasebit::bench::point {

void add_flag(Measurement& measurement, const std::string& flag) {
  if (std::find(measurement.flags.begin(), measurement.flags.end(), flag) ==
      measurement.flags.end())
    measurement.flags.push_back(flag);
}

void flag_too_wide(Measurement& measurement, const record::Summary& summary) {
  const std::string flag(record::too_wide_flag);
  if (summary.rounds < min_rounds || !record::precise_enough(summary.cycles, summary.interval))
    add_flag(measurement, flag);
  for (std::size_t n = 0; n < summary.readings.size(); ++n)
    if (!record::precise_enough(summary.readings[n].value, summary.readings[n].interval))
      add_flag(measurement, fmt::format("{}:{}", flag, measurement.readings[n].name));
}

void flag_not_linear(Measurement& measurement) {
  const auto flag = [&](const std::string& name, const Result<record::Segments>& segments) {
    if (segments && !record::is_linear(*segments))
      add_flag(measurement, fmt::format("{}{}{:.2f}", record::not_linear_prefix, name,
                                        fmt::join(segments->slopes, ",")));
  };
  flag("", record::segments_of(measurement.samples));
  for (std::size_t n = 0; n < measurement.readings.size(); ++n)
    flag(measurement.readings[n].name + ":", record::segments_of(measurement.samples, n));
}

}  // namespace phasebit::bench::point
