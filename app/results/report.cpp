#include "analysis/report/report.h"

#include "analysis/report/claims/checked_claims.h"
#include "analysis/report/export.h"
#include "analysis/report/sql/query.h"
#include "app/commands.h"
#include "core/results/load.h"
#include "join/explain/explain.h"
#include "join/lower/missing_forms.h"

#include <algorithm>
#include <cstdio>

namespace phasebit::app {

using report::ReportSource;

namespace {

Result<ReportSource> source_of(const ReportOptions& options) {
  ReportSource source{{options.results.begin(), options.results.end()}, options.device};
  source.claims = options.claims.empty() ? options.home.data / "claims" : fs::path(options.claims);
  source.more.by_block = join::lower::document_tables(options.home);
  source.more.note = [](const std::string& what) { fmt::print(stderr, "not made: {}\n", what); };
  source.tables = join::explain::tables_folder(options.home);
  source.cache = options.home.cache;
  PHASEBIT_TRY_ASSIGN(axes, join::explain::declared_axes(options.home));
  source.axes = std::move(axes.names);
  source.keys = std::move(axes.check);
  source.published = source.results.empty();
  if (source.published) source.results = join::explain::published_results(options.home);
  if (source.results.empty()) return join::explain::nothing_published(options.home, "results are");
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
  PHASEBIT_TRY_ASSIGN(format, base::table_format(options.format));
  PHASEBIT_TRY_ASSIGN(arguments, report::table_arguments(options.arguments));
  PHASEBIT_TRY_ASSIGN(text, report::report(source, options.table, arguments, format));
  fmt::print("{}", text);
  return {};
}

namespace {

Result<std::string> query_of(const SqlOptions& options) {
  if (options.query != "-") return options.query;
  return base::read_file("/dev/stdin");
}

// A row a claim, with the columns of the view.
Result<base::Table> claim_rows(report::sql::ReportDatabase& database, const base::Home& home) {
  report::claims::ClaimsRequest request;
  request.claims = home.data / "claims";
  PHASEBIT_TRY_ASSIGN(claims, report::claims::check_claims(database, request));
  base::Table table;
  for (const report::claims::CheckedClaim& one : claims)
    table.rows.push_back(
        {one.claim.name, one.word(), one.claim.says, one.verdict.used, one.verdict.refutes});
  return table;
}

}  // namespace

Status run_sql(const SqlOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, base::table_format(options.format));
  PHASEBIT_TRY_ASSIGN(query, query_of(options));
  std::vector<fs::path> results(options.results.begin(), options.results.end());
  if (results.empty()) results = join::explain::published_results(options.home);
  if (results.empty()) return join::explain::nothing_published(options.home, "results are");
  PHASEBIT_TRY_ASSIGN(axes, join::explain::declared_axes(options.home));
  PHASEBIT_TRY_ASSIGN(database,
                      report::sql::ReportDatabase::open(results, options.home.cache, axes.check));
  const auto claims = [&] { return claim_rows(database, options.home); };
  PHASEBIT_TRY_ASSIGN(
      made, report::sql::run_query(database, {query, options.device, claims, axes.names}));
  fmt::print("{}", base::render(made, format));
  return {};
}

Status run_export(const ExportOptions& options) {
  report::ExportRequest request{{options.results.begin(), options.results.end()},
                                options.ids,
                                options.format,
                                options.samples};
  if (request.results.empty()) request.results = join::explain::published_results(options.home);
  if (request.results.empty()) return join::explain::nothing_published(options.home, "results are");
  if (!options.out.empty()) return report::export_results(request, options.out);
  PHASEBIT_TRY_ASSIGN(text, report::export_results(request));
  fmt::print("{}", text);
  return {};
}

Status run_import(const ImportOptions& options) {
  const std::vector<fs::path> results(options.results.begin(), options.results.end());
  PHASEBIT_TRY_ASSIGN(axes, join::explain::declared_axes(options.home));
  PHASEBIT_TRY_ASSIGN(counts, results::import_results(options.store, results, axes.check));
  fmt::print("{}: {} points added, {} were there\n", options.store, counts.points,
             counts.points_known);
  return {};
}

}  // namespace phasebit::app
