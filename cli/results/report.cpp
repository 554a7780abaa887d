#include "analysis/report/report.h"

#include "analysis/report/export.h"
#include "cli/commands.h"
#include "core/store/load.h"
#include "pipeline/explain/measured.h"
#include "pipeline/lower/document_tables.h"

#include <algorithm>
#include <cstdio>

namespace phasebit::cli {

using report::ReportSource;

namespace {

Result<ReportSource> source_of(const ReportOptions& options) {
  ReportSource source{{options.results.begin(), options.results.end()}, options.device};
  source.claims = options.claims.empty() ? options.home.data / "claims" : fs::path(options.claims);
  source.more.by_block = pipeline::lower::document_tables(options.home);
  source.more.note = [](const std::string& what) { fmt::print(stderr, "not made: {}\n", what); };
  source.published = source.results.empty();
  if (source.published) source.results = pipeline::explain::published_results(options.home);
  if (source.results.empty())
    return pipeline::explain::nothing_published(options.home, "results are");
  return source;
}

Status run_documents(const ReportOptions& options, const ReportSource& source) {
  const std::vector<fs::path> documents(options.documents.begin(), options.documents.end());
  if (options.check) {
    PHASEBIT_TRY(report::check_documents(documents, source));
    fmt::print("{} documents agree with the results\n", documents.size());
    return {};
  }
  PHASEBIT_TRY_ASSIGN(text, report::update_documents(documents, source));
  fmt::print("{}", text);
  return {};
}

}  // namespace

Status run_report(const ReportOptions& options) {
  PHASEBIT_TRY_ASSIGN(source, source_of(options));
  if (!options.documents.empty()) return run_documents(options, source);
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.format));
  PHASEBIT_TRY_ASSIGN(arguments, report::table_arguments(options.arguments));
  PHASEBIT_TRY_ASSIGN(text, report::report(source, options.table, arguments, format));
  fmt::print("{}", text);
  return {};
}

Status run_export(const ExportOptions& options) {
  report::ExportRequest request{{options.results.begin(), options.results.end()},
                                options.ids,
                                options.format,
                                options.samples};
  if (request.results.empty()) request.results = pipeline::explain::published_results(options.home);
  if (request.results.empty())
    return pipeline::explain::nothing_published(options.home, "results are");
  if (!options.out.empty()) return report::export_results(request, options.out);
  PHASEBIT_TRY_ASSIGN(text, report::export_results(request));
  fmt::print("{}", text);
  return {};
}

Status run_import(const ImportOptions& options) {
  const std::vector<fs::path> results(options.results.begin(), options.results.end());
  PHASEBIT_TRY_ASSIGN(counts, store::import_results(options.store, results));
  fmt::print("{}: {} points added, {} were there\n", options.store, counts.points,
             counts.points_known);
  return {};
}

}  // namespace phasebit::cli
