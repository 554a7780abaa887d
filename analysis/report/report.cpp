#include "analysis/report/report.h"

#include "analysis/report/blocks.h"
#include "analysis/report/html_page.h"
#include "analysis/report/tables/counts.h"
#include "analysis/report/tables/devices.h"
#include "analysis/report/tables/probes/barrier_word.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/store/export.h"
#include "core/store/json/lines.h"
#include "core/store/load.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace phasebit::report {

using base::read_file;
using data::ReportData;
using data::TableArguments;
using record::DeviceRow;
using record::PointRow;
using record::Results;
using record::VariantRow;
using store::load_results;

namespace {

// Tables are made of figures; the one of barrier words shows what was read itself.
bool needs_samples(const Results& rows) {
  return std::any_of(rows.variants.begin(), rows.variants.end(), [](const VariantRow& variant) {
    return variant.value("probe") == tables::probes::word_probe;
  });
}

// By name, then by UUID: whatever the order of the files, the same.
DeviceRow last_named(const std::vector<DeviceRow>& devices) {
  const auto last =
      std::max_element(devices.begin(), devices.end(), [](const DeviceRow& a, const DeviceRow& b) {
        return std::tie(a.name, a.uuid) < std::tie(b.name, b.uuid);
      });
  return *last;
}

// The device that is asked for. For a table of all GPUs any of them will do as the one that the
// others stand beside.
std::string device_of(const ReportSource& source, const Results& results,
                      bool all_devices = false) {
  if (!source.device.empty() || results.devices.empty()) return source.device;
  if (all_devices) return last_named(results.devices).uuid;
  return source.published ? last_named(results.devices).name : std::string();
}

// What documents are made from.
struct DocumentData {
  ReportData data;
  claims::ClaimSentences claims;
};

Result<DocumentData> load(const ReportSource& source, const std::vector<fs::path>& documents) {
  PHASEBIT_TRY_ASSIGN(results, load_results(source.results, needs_samples));
  results = store::json::sorted_by_run(std::move(results));
  DocumentData out;
  for (const fs::path& document : documents) {
    PHASEBIT_TRY_ASSIGN(text, read_file(document));
    if (out.claims || !names_claims(text)) continue;
    PHASEBIT_TRY_ASSIGN(sentences, claims::claim_sentences(results, source.claims));
    out.claims = std::move(sentences);
  }
  const std::string device = device_of(source, results);
  PHASEBIT_TRY_ASSIGN(data, data::report_data(std::move(results), device));
  out.data = std::move(data);
  return out;
}

Result<ReportData> load(const ReportSource& source, bool all_devices = false) {
  PHASEBIT_TRY_ASSIGN(results, load_results(source.results, needs_samples));
  const std::string device = device_of(source, results, all_devices);
  // Runs in one order, whatever the files they came in: the documents must not depend on it.
  return data::report_data(store::json::sorted_by_run(std::move(results)), device);
}

std::string page_of(const table::Table& made, const ReportData& data, const std::string& table,
                    const TableArguments& arguments) {
  std::string title = table;
  for (const auto& [name, value] : arguments) title += fmt::format(" {}={}", name, value);
  const table::Table counts = tables::counts_table(data);
  return html_page(made, title, counts.notes.front());
}

}  // namespace

Result<std::string> report(const ReportSource& source, const std::string& table,
                           const TableArguments& arguments, table::TableFormat format) {
  PHASEBIT_TRY_ASSIGN(data, load(source, tables::is_of_all_devices(table)));
  PHASEBIT_TRY_ASSIGN(made, make_table(data, table, arguments));
  if (format == table::TableFormat::html) return page_of(made, data, table, arguments);
  return table::render(made, format);
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
  PHASEBIT_TRY_ASSIGN(from, load(source, documents));
  std::vector<std::pair<fs::path, std::string>> changed;
  for (const fs::path& document : documents) {
    PHASEBIT_TRY_ASSIGN(text, read_file(document));
    PHASEBIT_TRY_ASSIGN(made, update_blocks(text, document.string(), from.data, from.claims));
    if (made != text) changed.emplace_back(document, made);
  }
  std::string said;
  for (const auto& [document, text] : changed) {
    PHASEBIT_TRY(base::write_file(document, text));
    said += fmt::format("{}: updated\n", document.string());
  }
  return said.empty() ? "nothing changed\n" : said;
}

Status check_documents(const std::vector<fs::path>& documents, const ReportSource& source) {
  PHASEBIT_TRY_ASSIGN(from, load(source, documents));
  std::string said;
  for (const fs::path& document : documents) {
    PHASEBIT_TRY_ASSIGN(text, read_file(document));
    PHASEBIT_TRY_ASSIGN(differences,
                        differing_blocks(text, document.string(), from.data, from.claims));
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
                   base::nearest_word_hint(format, formats));
}

}  // namespace

namespace {

// The ids, and those whose measurement stands for them.
std::set<std::string> with_measured(const Results& rows, const std::vector<std::string>& ids) {
  std::set<std::string> wanted(ids.begin(), ids.end());
  for (const PointRow& point : rows.points) {
    const std::string other = record::same_class_as(point);
    if (!other.empty() && wanted.count(point.variant_id) != 0) wanted.insert(other);
  }
  return wanted;
}

Status keep(Results& rows, const std::vector<std::string>& ids) {
  const std::set<std::string> wanted = with_measured(rows, ids);
  std::vector<std::string> known;
  for (const VariantRow& variant : rows.variants) known.push_back(variant.id);
  for (const std::string& id : ids)
    if (std::find(known.begin(), known.end(), id) == known.end())
      return with_hint(fail(Step::usage, "the results have no variant '{}'", id),
                       base::nearest_word_hint(id, known));
  const auto is_other = [&](const std::string& id) { return wanted.count(id) == 0; };
  std::erase_if(rows.points, [&](const PointRow& point) { return is_other(point.variant_id); });
  std::erase_if(rows.variants, [&](const VariantRow& variant) { return is_other(variant.id); });
  std::set<std::string> runs, devices;
  for (const PointRow& point : rows.points) {
    runs.insert(point.run_id);
    devices.insert(point.device_uuid);
  }
  std::erase_if(rows.runs, [&](const record::RunRow& run) { return runs.count(run.id) == 0; });
  std::erase_if(rows.devices, [&](const DeviceRow& row) { return devices.count(row.uuid) == 0; });
  return {};
}

Result<Results> load(const ExportRequest& request) {
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

}  // namespace

Result<std::string> export_results(const ExportRequest& request) {
  PHASEBIT_TRY(check_format(request.format));
  PHASEBIT_TRY_ASSIGN(loaded, load(request));
  if (request.format == "jsonl") return store::json::to_json_lines(loaded);
  const Results ordered = store::json::in_file_order(std::move(loaded));
  return request.format == "csv" ? store::to_csv(ordered)
                                 : store::to_google_benchmark_json(ordered);
}

Status export_results(const ExportRequest& request, const fs::path& out) {
  if (request.format == "jsonl") {
    PHASEBIT_TRY_ASSIGN(loaded, load(request));
    return store::json::write_json_lines(out, loaded);
  }
  PHASEBIT_TRY_ASSIGN(text, export_results(request));
  return base::write_file(out, text);
}

}  // namespace phasebit::report
