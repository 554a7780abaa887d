#include "analysis/report/report.h"

#include "analysis/report/blocks.h"
#include "analysis/report/html_page.h"
#include "analysis/report/tables/counts.h"
#include "analysis/report/tables/devices.h"
#include "analysis/report/tables/probes/barrier_word.h"
#include "core/store/flat.h"
#include "core/store/load.h"

#include <algorithm>
#include <tuple>

namespace phasebit::report {

using base::read_file;
using data::ReportData;
using data::TableArguments;
using record::DeviceRow;
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
  results = store::sorted_by_run(std::move(results));
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
  return data::report_data(store::sorted_by_run(std::move(results)), device);
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
    PHASEBIT_TRY_ASSIGN(
        made, update_blocks(text, document.string(), from.data, from.claims, source.more));
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
    PHASEBIT_TRY_ASSIGN(differences, differing_blocks(text, document.string(), from.data,
                                                      from.claims, source.more));
    for (const BlockDifference& one : differences)
      said += fmt::format("\n{}:{}: block '{}' has '{}', the results give '{}'", document.string(),
                          one.line, one.block, one.found, one.expected);
  }
  if (said.empty()) return {};
  return with_hint(fail(Step::store, "documents differ from the results:{}", said),
                   "`phasebit report --update` makes them anew");
}

}  // namespace phasebit::report
