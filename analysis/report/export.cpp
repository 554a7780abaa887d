#include "analysis/report/export.h"

#include "core/base/text.h"
#include "core/results/flat.h"
#include "core/results/load.h"
#include "core/results/same_code.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace phasebit::report {

using results::DeviceRow;
using results::load_results;
using results::PointRow;
using results::Results;
using results::VariantRow;

namespace {

Status check_format(const std::string& format) {
  const std::vector<std::string> formats = {"csv", "json"};
  if (base::contains(formats, format)) return {};
  if (format == "jsonl")
    return with_hint(fail(Step::usage, "no export format 'jsonl'"),
                     "csv loses nothing: -o NAME.csv.zst");
  return with_hint(fail(Step::usage, "no export format '{}'", format),
                   base::nearest_word_hint(format, formats));
}

Status keep(Results& rows, const std::vector<std::string>& ids) {
  const std::unordered_set<Word> wanted =
      results::with_measured(rows.points, {ids.begin(), ids.end()});
  std::vector<std::string> known;
  for (const VariantRow& variant : rows.variants) known.push_back(variant.id);
  for (const std::string& id : ids)
    if (std::find(known.begin(), known.end(), id) == known.end())
      return with_hint(fail(Step::usage, "the results have no variant '{}'", id),
                       base::nearest_word_hint(id, known));
  const auto is_other = [&](const Word& id) { return !wanted.contains(id); };
  std::erase_if(rows.points, [&](const PointRow& point) { return is_other(point.variant_id); });
  std::erase_if(rows.variants, [&](const VariantRow& variant) { return is_other(variant.id); });
  std::set<std::string> runs, devices;
  for (const PointRow& point : rows.points) {
    runs.insert(point.run_id);
    devices.insert(point.device_uuid);
  }
  std::erase_if(rows.runs, [&](const results::RunRow& run) { return runs.count(run.id) == 0; });
  std::erase_if(rows.devices, [&](const DeviceRow& row) { return devices.count(row.uuid) == 0; });
  return {};
}

Status check_samples(const ExportRequest& request) {
  const std::vector<std::string> words = {"all", "base", "none"};
  if (!base::contains(words, request.samples))
    return with_hint(fail(Step::usage, "--samples {}: all, base or none", request.samples),
                     base::nearest_word_hint(request.samples, words));
  if (request.samples != "all" && request.format != "csv")
    return fail(Step::usage, "--samples {}: {} has no samples; with --format csv alone",
                request.samples, request.format);
  return {};
}

// The figures stay, the samples that they were made of go.
Status drop_samples(Results& rows, const std::string& kept) {
  if (kept == "all") return {};
  for (PointRow& point : rows.points) {
    if (point.samples.empty() || (kept == "base" && point.repetition == 0)) continue;
    PHASEBIT_TRY_ASSIGN(summary, results::summary_of(point));
    point.summary = std::move(summary);
    point.samples.clear();
  }
  return {};
}

Result<Results> load_rows(const ExportRequest& request) {
  if (request.ids.empty()) return load_results(request.results);
  // Samples of the files alone that have such rows.
  PHASEBIT_TRY_ASSIGN(loaded, load_results(request.results, [&](const Results& rows) {
                        return std::any_of(rows.variants.begin(), rows.variants.end(),
                                           [&](const VariantRow& variant) {
                                             return base::contains(request.ids, variant.id);
                                           });
                      }));
  PHASEBIT_TRY(keep(loaded, request.ids));
  return loaded;
}

Result<Results> load(const ExportRequest& request) {
  PHASEBIT_TRY(check_format(request.format));
  PHASEBIT_TRY(check_samples(request));
  PHASEBIT_TRY_ASSIGN(loaded, load_rows(request));
  if (loaded.points.empty()) return fail(Step::usage, "the results have no row to export");
  PHASEBIT_TRY(drop_samples(loaded, request.samples));
  return loaded;
}

}  // namespace

Result<std::string> export_results(const ExportRequest& request) {
  PHASEBIT_TRY_ASSIGN(loaded, load(request));
  if (request.format == "csv") return results::to_csv(loaded);
  return results::to_google_benchmark_json(results::in_file_order(std::move(loaded)));
}

Status export_results(const ExportRequest& request, const fs::path& out) {
  if (request.format == "csv") {
    PHASEBIT_TRY_ASSIGN(loaded, load(request));
    return results::write_flat(out, loaded);
  }
  PHASEBIT_TRY_ASSIGN(text, export_results(request));
  return base::write_file(out, text);
}

}  // namespace phasebit::report
