#include "analysis/decide/report.h"

#include "analysis/decide/blocks.h"
#include "core/base/nearest.h"
#include "core/store/export.h"
#include "core/store/json_lines.h"
#include "core/store/load.h"

#include <algorithm>
#include <set>

namespace phasebit {

namespace {

Result<ReportData> load(const ReportSource& source) {
  PHASEBIT_TRY_ASSIGN(results, load_results(source.results));
  // Rows in one order, whatever the form they came in: the documents must not depend on it.
  return report_data(in_file_order(std::move(results)), source.device);
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

Result<ReportData> report_data(const Results& results, const std::string& device) {
  PHASEBIT_TRY_ASSIGN(uuid, device_uuid(results, device));
  ReportData data;
  std::set<std::string> runs;
  for (const PointRow& point : results.points) {
    if (point.device_uuid != uuid) continue;
    data.results.points.push_back(point);
    runs.insert(point.run_id);
  }
  for (const DeviceRow& row : results.devices)
    if (row.uuid == uuid) data.results.devices.push_back(row);
  for (const RunRow& run : results.runs)
    if (runs.count(run.id) != 0) data.results.runs.push_back(run);
  data.aggregation = aggregate(data.results.points);
  return data;
}

Result<std::string> report(const ReportSource& source, const std::string& table,
                           const TableArguments& arguments, TableFormat format) {
  PHASEBIT_TRY_ASSIGN(data, load(source));
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

Result<std::string> export_results(const std::vector<fs::path>& results,
                                   const std::string& format) {
  const std::vector<std::string> formats = {"jsonl", "csv", "json"};
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    return with_hint(fail(Step::usage, "no export format '{}'", format),
                     nearest_word_hint(format, formats));
  PHASEBIT_TRY_ASSIGN(loaded, load_results(results));
  const Results ordered = in_file_order(std::move(loaded));
  if (format == "jsonl") return to_json_lines(ordered);
  return format == "csv" ? to_csv(ordered) : to_google_benchmark_json(ordered);
}

}  // namespace phasebit
