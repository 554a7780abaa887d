#include "analysis/report/report.h"

#include "analysis/report/blocks.h"
#include "analysis/report/data/without_loop.h"
#include "analysis/report/tables/devices.h"
#include "analysis/report/tables/probes/barrier_word.h"
#include "core/base/nearest.h"
#include "core/store/export.h"
#include "core/store/json/lines.h"
#include "core/store/load.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace phasebit {

namespace {

// Tables are made of figures; the one of barrier words shows what was read itself.
bool needs_samples(const Results& rows) {
  return std::any_of(rows.variants.begin(), rows.variants.end(), [](const VariantRow& variant) {
    return variant.value("probe") == word_probe;
  });
}

// By name, then by UUID: whatever the order of the files, the same.
std::string last_named(const std::vector<DeviceRow>& devices) {
  const auto last =
      std::max_element(devices.begin(), devices.end(), [](const DeviceRow& a, const DeviceRow& b) {
        return std::tie(a.name, a.uuid) < std::tie(b.name, b.uuid);
      });
  return last->uuid;
}

// For a table of all GPUs any of them will do as the one that the others stand beside.
Result<ReportData> load(const ReportSource& source, bool all_devices = false) {
  PHASEBIT_TRY_ASSIGN(results, load_results(source.results, needs_samples));
  const std::string device = source.device.empty() && all_devices && !results.devices.empty()
                                 ? last_named(results.devices)
                                 : source.device;
  // Runs in one order, whatever the files they came in: the documents must not depend on it.
  return report_data(sorted_by_run(std::move(results)), device);
}

// Takes the rows of other GPUs out of the results.
Results split_off_others(Results& results, const std::string& uuid) {
  Results others;
  const auto first_other =
      std::stable_partition(results.points.begin(), results.points.end(),
                            [&](const PointRow& point) { return point.device_uuid == uuid; });
  others.points.assign(std::make_move_iterator(first_other),
                       std::make_move_iterator(results.points.end()));
  results.points.erase(first_other, results.points.end());
  for (const DeviceRow& row : results.devices)
    if (row.uuid != uuid) others.devices.push_back(row);
  others.runs = results.runs;
  others.variants = results.variants;
  others.catalogue = results.catalogue;
  return others;
}

Result<std::string> device_uuid(const Results& results, const std::string& device) {
  std::vector<std::string> found, all;
  for (const DeviceRow& row : results.devices) {
    all.push_back(fmt::format("{} ({})", row.name, row.uuid));
    if (row.uuid == device || row.name.find(device) != std::string::npos) found.push_back(row.uuid);
  }
  if (found.size() == 1) return found.front();
  if (all.empty()) return fail(Step::store, "the results hold no device");
  return with_hint(found.empty() ? fail(Step::usage, "the results hold no device '{}'", device)
                                 : fail(Step::usage, "the results are of {} devices", found.size()),
                   fmt::format("device= one of: {}", fmt::join(all, ", ")));
}

}  // namespace

Result<ReportData> report_data(Results results, const std::string& device) {
  PHASEBIT_TRY_ASSIGN(uuid, device_uuid(results, device));
  ReportData data;
  std::set<std::string> runs;
  std::string last;
  if (results.devices.size() > 1) data.others = split_off_others(results, uuid);
  data.results.points = std::move(results.points);
  for (const PointRow& point : data.results.points)
    if (runs.empty() || point.run_id != last) runs.insert(last = point.run_id);

  for (const DeviceRow& row : results.devices)
    if (row.uuid == uuid) data.results.devices.push_back(row);
  for (const RunRow& run : results.runs)
    if (runs.count(run.id) != 0) data.results.runs.push_back(run);
  data.results.variants = std::move(results.variants);
  data.results.catalogue = std::move(results.catalogue);
  data.keys = VariantKeys(data.results);
  data.aggregation = aggregate(data.results.points, data.keys);
  data.aggregation.alone = without_loop(data.aggregation.points);
  return data;
}

Result<std::string> report(const ReportSource& source, const std::string& table,
                           const TableArguments& arguments, TableFormat format) {
  PHASEBIT_TRY_ASSIGN(data, load(source, is_of_all_devices(table)));
  PHASEBIT_TRY_ASSIGN(made, make_table(data, table, arguments));
  return render(made, format);
}

Result<TableArguments> table_arguments(const std::vector<std::string>& words) {
  TableArguments arguments;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos)
      return with_hint(fail(Step::usage, "'{}' is no argument of a table", word), "NAME=VALUE");
    arguments.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return arguments;
}

Result<std::string> update_documents(const std::vector<fs::path>& documents,
                                     const ReportSource& source) {
  PHASEBIT_TRY_ASSIGN(data, load(source));
  std::vector<std::pair<fs::path, std::string>> changed;
  for (const fs::path& document : documents) {
    PHASEBIT_TRY_ASSIGN(text, read_file(document));
    PHASEBIT_TRY_ASSIGN(made, update_blocks(text, document.string(), data));
    if (made != text) changed.emplace_back(document, made);
  }
  std::string said;
  for (const auto& [document, text] : changed) {
    PHASEBIT_TRY(write_file(document, text));
    said += fmt::format("{}: updated\n", document.string());
  }
  return said.empty() ? "nothing changed\n" : said;
}

Status check_documents(const std::vector<fs::path>& documents, const ReportSource& source) {
  PHASEBIT_TRY_ASSIGN(data, load(source));
  std::string said;
  for (const fs::path& document : documents) {
    PHASEBIT_TRY_ASSIGN(text, read_file(document));
    PHASEBIT_TRY_ASSIGN(differences, differing_blocks(text, document.string(), data));
    for (const BlockDifference& one : differences)
      said += fmt::format("\n{}:{}: block '{}' has '{}', the results give '{}'", document.string(),
                          one.line, one.block, one.found, one.expected);
  }
  if (said.empty()) return {};
  return with_hint(fail(Step::store, "documents differ from the results:{}", said),
                   "`phasebit report --update` makes them anew");
}

namespace {

Status check_format(const std::string& format) {
  const std::vector<std::string> formats = {"jsonl", "csv", "json"};
  if (std::find(formats.begin(), formats.end(), format) != formats.end()) return {};
  return with_hint(fail(Step::usage, "no export format '{}'", format),
                   nearest_word_hint(format, formats));
}

}  // namespace

Result<std::string> export_results(const std::vector<fs::path>& results,
                                   const std::string& format) {
  PHASEBIT_TRY(check_format(format));
  PHASEBIT_TRY_ASSIGN(loaded, load_results(results));
  if (format == "jsonl") return to_json_lines(loaded);
  const Results ordered = in_file_order(std::move(loaded));
  return format == "csv" ? to_csv(ordered) : to_google_benchmark_json(ordered);
}

Status export_results(const std::vector<fs::path>& results, const std::string& format,
                      const fs::path& out) {
  if (format == "jsonl") {
    PHASEBIT_TRY_ASSIGN(loaded, load_results(results));
    return write_json_lines(out, loaded);
  }
  PHASEBIT_TRY_ASSIGN(text, export_results(results, format));
  return write_file(out, text);
}

}  // namespace phasebit
