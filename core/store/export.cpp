#include "core/store/export.h"

#include "core/base/text.h"
#include "core/record/same_code.h"
#include "core/record/statistics.h"
#include "core/table/table.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace phasebit::store {

using record::PointRow;
using record::Results;
using record::RunRow;
using record::Summary;
using record::VariantRow;
using table::csv_field;

using nlohmann::ordered_json;

namespace {

// A row and where its figures are: in itself, or in the row whose code it has.
struct Shown {
  const PointRow* row = nullptr;
  const PointRow* figures = nullptr;
  Result<Summary> summary;
  std::string reason;  // why there is no figure; "" when there is one
  bool has_figure() const { return reason.empty(); }
};

record::MeasuredCode measured_code(const Results& results) {
  record::MeasuredCode measured(record::MeasuredCode::Repetition::same);
  for (const PointRow& row : results.points)
    if (row.measured() && !row.error && !row.aa_control && row.kind == record::PointKind::point)
      measured.add(row);
  return measured;
}

Shown shown_of(const PointRow& row, const record::MeasuredCode& measured) {
  Shown shown{&row, &row, record::summary_of(row), {}};
  if (row.error) {
    shown.reason = row.error->message;
  } else if (row.verdict == record::Verdict::same_code) {
    shown.figures = measured.find(row);
    if (shown.figures == nullptr)
      shown.reason = row.same_as.text() + ", which has the same code, was not measured";
    else
      shown.summary = record::summary_of(*shown.figures);
  }
  if (shown.reason.empty() && !shown.summary) shown.reason = shown.summary.error().message;
  return shown;
}

// Every axis that some variant has, in the order in which they come.
std::vector<std::string> axes_of(const Results& results) {
  std::vector<std::string> axes;
  std::set<std::string> seen;
  std::set<const image::KeyAxes*> lists;
  const auto add = [&](const image::KeyAxes& some) {
    for (const auto& [axis, value] : some)
      if (seen.insert(axis).second) axes.push_back(axis);
  };
  for (const VariantRow& variant : results.variants)
    if (variant.has_key() && lists.insert(variant.defaults.get()).second) add(*variant.defaults);
  for (const VariantRow& variant : results.variants) add(variant.named);
  return axes;
}

using Keys = std::unordered_map<std::string_view, const VariantRow*>;

Keys keys_of(const Results& results) {
  Keys keys;
  for (const VariantRow& variant : results.variants) keys.emplace(variant.id, &variant);
  return keys;
}

// "axis.unit": a column of its own beside `unit`, that of the figures.
std::string axis_column(const std::string& axis) {
  return "axis." + axis;
}

std::string axis_fields(const std::vector<std::string>& axes, const VariantRow* key) {
  std::string text;
  for (const std::string& axis : axes)
    text += "," + csv_field(key == nullptr ? std::string() : key->value(axis));
  return text;
}

std::string figures(const Summary& summary) {
  const record::Line& fit = summary.fit;
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
        ",reading_{0},reading_{0}_unit,reading_{0}_value,reading_{0}_ci_low,reading_{0}_ci_high,"
        "reading_{0}_interval_ok,reading_{0}_segments",
        n);
  return text;
}

std::string segments_of(const record::Quality& quality, const std::string& reading) {
  for (const record::Bend& bend : quality.bends)
    if (bend.reading == reading) return fmt::format("{:.2f}", fmt::join(bend.slopes, " "));
  return {};
}

// ",polls,polls per item,1.5,1.25,1.75,1," for each.
std::string reading_fields(const PointRow& point, const Summary* summary) {
  std::string text;
  for (size_t n = 0; n < most_readings; ++n) {
    if (summary == nullptr || n >= summary->readings.size() || n >= point.readings.size()) {
      text += std::string(7, ',');
      continue;
    }
    const record::ReadingSummary& reading = summary->readings[n];
    const std::string& name = point.readings[n].name;
    text += fmt::format(
        ",{},{},{},{},{},{:d},{}", csv_field(name), csv_field(point.readings[n].unit),
        reading.value, reading.interval.interval.low, reading.interval.interval.high,
        !base::contains(point.quality.too_wide, name), segments_of(point.quality, name));
  }
  return text;
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
  for (const record::DeviceRow& device : results.devices)
    context["devices"].push_back(fmt::format("{} ({})", device.name, device.uuid));
  return context;
}

void add_figures(const Shown& shown, ordered_json& entry) {
  const Summary& summary = *shown.summary;
  entry["iterations"] = summary.rounds;
  entry["real_time"] = summary.cycles;
  entry["cpu_time"] = summary.cycles;
  entry["time_unit"] = "cycles";
  entry["ci_low"] = summary.interval.interval.low;
  entry["ci_high"] = summary.interval.interval.high;
  entry["intercept_cycles"] = summary.fit.intercept;
  entry["r2"] = summary.fit.r2;
  entry["megahertz"] = shown.figures->megahertz;
  entry["label"] = shown.row->unit.text();
  for (size_t n = 0; n < std::min(shown.figures->readings.size(), summary.readings.size()); ++n) {
    const auto& [name, unit] = shown.figures->readings[n];
    const record::ReadingSummary& reading = summary.readings[n];
    entry[name] = reading.value;
    entry[name + "_ci_low"] = reading.interval.interval.low;
    entry[name + "_ci_high"] = reading.interval.interval.high;
    entry[name + "_unit"] = unit;
  }
}

ordered_json benchmark_of(const Shown& shown, const VariantRow* key) {
  const PointRow& point = *shown.row;
  ordered_json entry = {{"name", point.variant_id.text()},
                        {"run_name", point.variant_id.text()},
                        {"run_type", "iteration"},
                        {"repetition_index", point.repetition},
                        {"threads", 1}};
  if (shown.has_figure()) {
    add_figures(shown, entry);
  } else {
    entry["error_occurred"] = true;
    entry["error_message"] = shown.reason;
  }
  if (shown.figures != nullptr && shown.figures != shown.row)
    entry["same_code_as"] = shown.figures->variant_id.text();
  if (key != nullptr)
    for (const auto& [axis, value] : key->axes()) entry[axis_column(axis)] = value;
  return entry;
}

constexpr const char* state_titles =
    ",verdict,same_as,start_offset,padding,gap_after,gap_warps,sms,gpu_sm_mhz,gpu_memory_mhz,"
    "gpu_watts,items_only,gate,outputs_verified,interval_ok,modes,segments,padded,clock_ok,"
    "throttled,first_use";

// What it ran under, and how its own figures came about: nothing of a row that has none.
std::string state_fields(const PointRow& point) {
  const record::Conditions& at = point.conditions;
  const record::Quality& quality = point.quality;
  std::string text = fmt::format(",{},{},{},{},{},{},{}", record::to_string(point.verdict),
                                 csv_field(point.same_as), at.start_offset, at.padding,
                                 at.gap_after, at.gap_warps, fmt::join(point.sms, " "));
  if (!point.measured()) return text + std::string(13, ',');
  text += point.state.known() ? fmt::format(",{},{},{}", point.state.sm_megahertz,
                                            point.state.memory_megahertz, point.state.watts)
                              : ",,,";
  return text + fmt::format(",{:d},{},{:d},{:d},{:d},{},{:d},{:d},{:d},{:d}", quality.items_only,
                            csv_field(quality.gate), quality.outputs_verified,
                            !base::contains(quality.too_wide, ""), quality.modes,
                            segments_of(quality, ""), quality.padded, quality.clock_ok,
                            quality.throttled, quality.first_use);
}

std::string csv_row(const Shown& shown, const RunRow* run) {
  const PointRow& point = *shown.row;
  const bool good = shown.has_figure();
  const std::string step = point.error ? std::string(base::to_string(point.error->step)) : "";
  return fmt::format(
      "{},{},{},{},{},{},{}{},{},{},{},{},{},{},{},{}{}", record::to_string(point.kind),
      csv_field(point.variant_id), point.repetition, point.aa_control ? 1 : 0,
      csv_field(point.unit), good ? figures(*shown.summary) : ",,,,,,,",
      good ? shown.figures->megahertz : point.megahertz, state_fields(point), step,
      csv_field(shown.reason), csv_field(point.sass_class), point.conditions.sm,
      point.conditions.first_warp, csv_field(point.device_uuid), csv_field(point.run_id),
      run == nullptr ? "" : csv_field(run->ptxas),
      reading_fields(good ? *shown.figures : point, good ? &*shown.summary : nullptr));
}

}  // namespace

std::string to_csv(const Results& results) {
  std::string text =
      std::string() +
      "kind,id,repetition,aa_control,unit,cycles,ci_low,ci_high,slope,intercept_cycles,r2,"
      "worst_residual_cycles,rounds,megahertz" +
      state_titles + ",error_step,error,sass_class,sm,first_warp,device,run,ptxas" +
      reading_titles();
  const std::vector<std::string> axes = axes_of(results);
  for (const std::string& axis : axes) text += "," + csv_field(axis_column(axis));
  text += "\n";
  const Keys keys = keys_of(results);
  const record::MeasuredCode measured = measured_code(results);
  std::unordered_map<std::string_view, const RunRow*> runs;
  for (const RunRow& run : results.runs) runs.emplace(run.id, &run);
  for (const PointRow& point : results.points) {
    const auto run = runs.find(point.run_id);
    const auto key = keys.find(point.variant_id);
    text += csv_row(shown_of(point, measured), run == runs.end() ? nullptr : run->second) +
            axis_fields(axes, key == keys.end() ? nullptr : key->second) + "\n";
  }
  return text;
}

std::string to_google_benchmark_json(const Results& results) {
  ordered_json file = {{"context", context_of(results)}, {"benchmarks", ordered_json::array()}};
  const Keys keys = keys_of(results);
  const record::MeasuredCode measured = measured_code(results);
  for (const PointRow& point : results.points) {
    const auto key = keys.find(point.variant_id);
    file["benchmarks"].push_back(
        benchmark_of(shown_of(point, measured), key == keys.end() ? nullptr : key->second));
  }
  return file.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace phasebit::store
