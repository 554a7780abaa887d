#include "analysis/report/claims/checked_claims.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "pipeline/explain/explain.h"
#include "pipeline/images/progress.h"

#include <algorithm>
#include <cstdio>

namespace phasebit::cli {

using report::claims::ClaimsRequest;
using table::TableFormat;

namespace {

ClaimsRequest request_of(const ClaimsOptions& options, std::vector<fs::path>& results) {
  ClaimsRequest request;
  request.claims = options.claims.empty() ? options.home.data / "claims" : fs::path(options.claims);
  request.device = options.device;
  request.every_device = options.every_device;
  request.measured = options.measured;
  request.progress = pipeline::images::progress_on_terminal("reading results, GPUs");
  std::error_code none;
  for (const std::string& word : options.words)
    // No claim's name has a dot or a slash: a file that is not there is said to be missing.
    if (fs::exists(word, none) || word.find_first_of("./") != std::string::npos)
      results.emplace_back(word);
    else
      request.names.push_back(word);
  return request;
}

table::Table table_of(const ClaimsOptions& options, const ClaimsRequest& request,
                      TableFormat format, const std::vector<report::claims::CheckedClaim>& claims) {
  if (options.permute > 0)
    return report::claims::permuted_table(claims, static_cast<size_t>(options.permute));
  if (request.names.empty() && !options.rows) return report::claims::claims_table(claims);
  return report::claims::claim_rows_table(
      claims, format == TableFormat::csv || format == TableFormat::json);
}

}  // namespace

Result<bool> run_claims(const ClaimsOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  std::vector<fs::path> results;
  ClaimsRequest request = request_of(options, results);
  PHASEBIT_TRY_ASSIGN(axes, pipeline::explain::declared_axes(options.home));
  request.keys = std::move(axes.check);
  if (results.empty()) results = pipeline::explain::published_results(options.home);
  if (results.empty()) return pipeline::explain::nothing_published(options.home, "results are");
  PHASEBIT_TRY_ASSIGN(claims, report::claims::check_claims(results, options.home.cache, request));
  fmt::print("{}", table::render(table_of(options, request, format, claims), format));
  PHASEBIT_TRY(report::claims::all_have_rows(claims));
  return std::any_of(claims.begin(), claims.end(), [](const report::claims::CheckedClaim& one) {
    return one.word() == "refuted";
  });
}

}  // namespace phasebit::cli
