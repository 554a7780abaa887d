#include "core/store/summary_json.h"

namespace phasebit::store {

using record::Summary;

using nlohmann::ordered_json;

namespace {

ordered_json json_of_interval(const record::MedianInterval& interval) {
  return {interval.interval.low, interval.interval.high, interval.reached};
}

record::MedianInterval interval_of(const ordered_json& value) {
  return {{value.at(0).get<double>(), value.at(1).get<double>()}, value.at(2).get<bool>()};
}

}  // namespace

ordered_json json_of(const Summary& summary) {
  ordered_json value = {{"rounds", summary.rounds},
                        {"cycles", summary.cycles},
                        {"interval", json_of_interval(summary.interval)},
                        {"slope", summary.fit.slope},
                        {"intercept", summary.fit.intercept},
                        {"r2", summary.fit.r2},
                        {"worst_residual", summary.fit.worst_residual},
                        {"modes", summary.modes},
                        {"readings", ordered_json::array()}};
  for (const record::ReadingSummary& reading : summary.readings)
    value["readings"].push_back(
        {{"value", reading.value}, {"interval", json_of_interval(reading.interval)}});
  return value;
}

Summary summary_of_json(const ordered_json& value) {
  Summary summary;
  value.at("rounds").get_to(summary.rounds);
  value.at("cycles").get_to(summary.cycles);
  summary.interval = interval_of(value.at("interval"));
  value.at("slope").get_to(summary.fit.slope);
  value.at("intercept").get_to(summary.fit.intercept);
  value.at("r2").get_to(summary.fit.r2);
  value.at("worst_residual").get_to(summary.fit.worst_residual);
  value.at("modes").get_to(summary.modes);
  for (const ordered_json& reading : value.at("readings"))
    summary.readings.push_back(
        {reading.at("value").get<double>(), interval_of(reading.at("interval"))});
  return summary;
}

}  // namespace phasebit::store
