#include "core/store/export.h"

#include "core/store/statistics.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit {

using nlohmann::ordered_json;

namespace {

// Why a point has no figure; empty when it has one.
std::string reason_of(const PointRow& point, const Result<Summary>& summary) {
  if (point.error) return point.error->message;
  if (const std::string other = same_class_as(point); point.samples.empty() && !other.empty())
    return "same code as " + other;
  return summary ? "" : summary.error().message;
}

std::string figures(const Summary& summary) {
  const Line& fit = summary.fit;
  return fmt::format("{},{},{},{},{},{},{},{}", summary.cycles, summary.interval.interval.low,
                     summary.interval.interval.high, fit.slope, fit.intercept, fit.r2,
                     fit.worst_residual, summary.rounds);
}

// As many as a SampleRecord has room for, so that every file has the same columns.
constexpr size_t most_readings = 2;

std::string reading_titles() {
  std::string text;
  for (size_t n = 1; n <= most_readings; ++n)
    text += fmt::format(
        ",reading_{0},reading_{0}_unit,reading_{0}_value,reading_{0}_ci_low,reading_{0}_ci_high",
        n);
  return text;
}

// ",polls,polls per item,1.5,1.25,1.75" for each.
std::string reading_fields(const PointRow& point, const Summary* summary) {
  std::string text;
  for (size_t n = 0; n < most_readings; ++n) {
    if (summary == nullptr || n >= summary->readings.size() || n >= point.readings.size()) {
      text += ",,,,,";
      continue;
    }
    const ReadingSummary& reading = summary->readings[n];
    text += fmt::format(",{},{},{},{},{}", csv_field(point.readings[n].name),
                        csv_field(point.readings[n].unit), reading.value,
                        reading.interval.interval.low, reading.interval.interval.high);
  }
  return text;
}

const RunRow* run_of(const Results& results, const PointRow& point) {
  for (const RunRow& run : results.runs)
    if (run.id == point.run_id) return &run;
  return nullptr;
}

ordered_json context_of(const Results& results) {
  ordered_json context = {{"library_build_type", "release"}};
  if (!results.runs.empty()) {
    const RunRow& run = results.runs.front();
    context["date"] = run.started;
    context["executable"] = run.command;
    context["ptxas"] = run.ptxas;
    context["target"] = run.target;
    context["driver"] = run.driver;
  }
  context["devices"] = ordered_json::array();
  for (const DeviceRow& device : results.devices)
    context["devices"].push_back(fmt::format("{} ({})", device.name, device.uuid));
  return context;
}

ordered_json benchmark_of(const PointRow& point) {
  ordered_json entry = {{"name", point.variant_id},
                        {"run_name", point.variant_id},
                        {"run_type", "iteration"},
                        {"repetition_index", point.repetition},
                        {"threads", 1}};
  const auto summary = summarise(point.samples);
  if (const std::string reason = reason_of(point, summary); !reason.empty()) {
    entry["error_occurred"] = true;
    entry["error_message"] = reason;
    return entry;
  }
  entry["iterations"] = summary->rounds;
  entry["real_time"] = summary->cycles;
  entry["cpu_time"] = summary->cycles;
  entry["time_unit"] = "cycles";
  entry["ci_low"] = summary->interval.interval.low;
  entry["ci_high"] = summary->interval.interval.high;
  entry["intercept_cycles"] = summary->fit.intercept;
  entry["r2"] = summary->fit.r2;
  entry["megahertz"] = point.megahertz;
  entry["label"] = point.unit;
  for (size_t n = 0; n < std::min(point.readings.size(), summary->readings.size()); ++n) {
    const auto& [name, unit] = point.readings[n];
    const ReadingSummary& reading = summary->readings[n];
    entry[name] = reading.value;
    entry[name + "_ci_low"] = reading.interval.interval.low;
    entry[name + "_ci_high"] = reading.interval.interval.high;
    entry[name + "_unit"] = unit;
  }
  return entry;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string to_csv(const Results& results) {
  std::string text =
      std::string() +
      "kind,id,repetition,aa_control,unit,cycles,ci_low,ci_high,slope,intercept_cycles,r2,"
      "worst_residual_cycles,rounds,megahertz,flags,error_step,error,sass_class,sm,first_warp,"
      "device,run,ptxas" +
      reading_titles() + "\n";
  for (const PointRow& point : results.points) {
    const auto summary = summarise(point.samples);
    const bool shown = !point.error && summary;
    const std::string step = point.error ? std::string(to_string(point.error->step)) : "";
    const RunRow* run = run_of(results, point);
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{}\n", to_string(point.kind),
                    csv_field(point.variant_id), point.repetition, point.aa_control ? 1 : 0,
                    csv_field(point.unit), shown ? figures(*summary) : ",,,,,,,", point.megahertz,
                    csv_field(fmt::format("{}", fmt::join(point.flags, " "))), step,
                    csv_field(reason_of(point, summary)), csv_field(point.sass_class),
                    point.placement.sm, point.placement.first_warp, csv_field(point.device_uuid),
                    csv_field(point.run_id), run == nullptr ? "" : csv_field(run->ptxas),
                    reading_fields(point, shown ? &*summary : nullptr));
  }
  return text;
}

std::string to_google_benchmark_json(const Results& results) {
  ordered_json file = {{"context", context_of(results)}, {"benchmarks", ordered_json::array()}};
  for (const PointRow& point : results.points) file["benchmarks"].push_back(benchmark_of(point));
  return file.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace phasebit
