#include "core/results/load.h"

#include "core/base/parallel.h"
#include "core/results/flat_keys.h"
#include "core/results/merge.h"
#include "core/results/same_code.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace phasebit::results {

using nlohmann::ordered_json;

namespace {

Result<Results> read_results(const fs::path& path, const SampleWish& wanted) {
  PHASEBIT_TRY_ASSIGN(content, base::read_file(path));
  if (content.rfind(std::string("SQLite format 3\0", 16), 0) != 0)
    return read_flat(path, content, wanted);
  PHASEBIT_TRY_ASSIGN(store, Store::open(path));
  return store.results();
}

// Without samples of the others: `NAME*` names both.
std::vector<fs::path> with_rows(std::vector<fs::path> paths) {
  std::set<fs::path> samples;
  for (const fs::path& path : paths) samples.insert(samples_path(path).value_or(fs::path()));
  std::erase_if(paths, [&](const fs::path& path) { return samples.contains(path); });
  return paths;
}

// What was found in a file, with its name.
Error named(const fs::path& path, const Error& error) {
  return {Step::store, fmt::format("{}: {}", path.string(), error.message), error.hint};
}

// Each variant with each unit that its rows have.
Status check_keys(const Results& file, const KeyCheck& keys) {
  std::unordered_map<Word, std::set<Word>> units;
  for (const PointRow& point : file.points)
    if (!point.unit.empty()) units[point.variant_id].insert(point.unit);
  for (const VariantRow& variant : file.variants) {
    PHASEBIT_TRY(keys(variant, {}));
    for (const Word& unit : units[variant.id]) PHASEBIT_TRY(keys(variant, unit.text()));
  }
  return {};
}

Result<std::vector<Results>> load_files(const std::vector<fs::path>& paths,
                                        const SampleWish& wanted, const KeyCheck& keys) {
  std::vector<Result<Results>> read(paths.size(), Results());
  base::parallel_for(paths.size(), 0, [&](size_t n) { read[n] = read_results(paths[n], wanted); });
  std::vector<Results> files;
  for (size_t n = 0; n < paths.size(); ++n) {
    if (!read[n]) return tl::unexpected<Error>(read[n].error());
    if (const Status known = keys ? check_keys(*read[n], keys) : Status(); !known)
      return tl::unexpected<Error>(named(paths[n], known.error()));
    files.push_back(std::move(*read[n]));
  }
  return files;
}

Result<MergeCounts> merge_files(Store& store, const std::vector<fs::path>& paths,
                                const std::vector<Results>& files) {
  MergeCounts sum;
  for (size_t i = 0; i < files.size(); ++i) {
    auto counts = store.merge(files[i]);
    if (!counts) return tl::unexpected<Error>(named(paths[i], counts.error()));
    sum.devices += counts->devices;
    sum.runs += counts->runs;
    sum.points += counts->points;
    sum.points_known += counts->points_known;
  }
  return sum;
}

}  // namespace

Result<Results> load_results(const std::vector<fs::path>& named_paths, const SampleWish& wanted,
                             const KeyCheck& keys) {
  const std::vector<fs::path> paths = with_rows(named_paths);
  PHASEBIT_TRY_ASSIGN(files, load_files(paths, wanted, keys));
  MergedResults whole;
  size_t points = 0, variants = 0;
  for (const Results& file : files) {
    points += file.points.size();
    variants += file.variants.size();
  }
  whole.reserve(points, variants);
  for (size_t n = 0; n < files.size(); ++n)
    if (const Status merged = whole.add(std::move(files[n])); !merged)
      return tl::unexpected<Error>(named(paths[n], merged.error()));
  Results results = whole.take();
  results.catalogue = facts_of(results);
  return results;
}

Result<MergeCounts> import_results(const fs::path& path, const std::vector<fs::path>& named_paths,
                                   const KeyCheck& keys) {
  const std::vector<fs::path> paths = with_rows(named_paths);
  PHASEBIT_TRY_ASSIGN(files, load_files(paths, {}, keys));
  PHASEBIT_TRY_ASSIGN(store, Store::open(path));
  return merge_files(store, paths, files);
}

namespace {

// A row and where its figures are: in itself, or in the row whose code it has.
struct Shown {
  const PointRow* row = nullptr;
  const PointRow* figures = nullptr;
  Result<Summary> summary;
  std::string reason;  // why there is no figure; "" when there is one
  bool has_figure() const { return reason.empty(); }
};

Shown shown_of(const PointRow& row, const MeasuredCode& measured) {
  Shown shown{&row, &row, summary_of(row), {}};
  if (row.error) {
    shown.reason = row.error->message;
  } else if (row.verdict == Verdict::same_code) {
    shown.figures = measured.find(row);
    if (shown.figures == nullptr)
      shown.reason = row.same_as.text() + ", which has the same code, was not measured";
    else
      shown.summary = summary_of(*shown.figures);
  }
  if (shown.reason.empty() && !shown.summary) shown.reason = shown.summary.error().message;
  return shown;
}

using Keys = std::unordered_map<std::string_view, const VariantRow*>;

Keys keys_of(const Results& results) {
  Keys keys;
  for (const VariantRow& variant : results.variants) keys.emplace(variant.id, &variant);
  return keys;
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

void add_figures(const Shown& shown, ordered_json& entry) {
  const Summary& summary = *shown.summary;
  entry["iterations"] = summary.rounds;
  entry["real_time"] = summary.cycles;
  entry["cpu_time"] = summary.cycles;
  entry["ci_low"] = summary.interval.interval.low;
  entry["ci_high"] = summary.interval.interval.high;
  entry["intercept_cycles"] = summary.fit.intercept;
  entry["r2"] = summary.fit.r2;
  entry["megahertz"] = shown.figures->megahertz;
  entry["label"] = shown.row->unit.text();
  for (size_t n = 0; n < std::min(shown.figures->readings.size(), summary.readings.size()); ++n) {
    const auto& [name, unit] = shown.figures->readings[n];
    const ReadingSummary& reading = summary.readings[n];
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
    entry["real_time"] = entry["cpu_time"] = 0;
  }
  entry["time_unit"] = json_time_unit;
  if (shown.figures != nullptr && shown.figures != shown.row)
    entry["same_code_as"] = shown.figures->variant_id.text();
  if (key != nullptr)
    for (const auto& [axis, value] : key->axes()) entry["axis." + axis] = value;
  return entry;
}

}  // namespace

std::string to_google_benchmark_json(const Results& results) {
  ordered_json file = {{"context", context_of(results)}, {"benchmarks", ordered_json::array()}};
  const Keys keys = keys_of(results);
  const MeasuredCode measured = measured_code(results);
  for (const PointRow& point : results.points) {
    const auto key = keys.find(point.variant_id);
    file["benchmarks"].push_back(
        benchmark_of(shown_of(point, measured), key == keys.end() ? nullptr : key->second));
  }
  return file.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace phasebit::results
