#include "analysis/report/claims/answer.h"
#include "analysis/report/claims/checked_claims.h"
#include "app/arguments.h"
#include "app/commands.h"
#include "join/explain/explain.h"
#include "join/images/progress.h"

#include <algorithm>
#include <cstdio>

namespace phasebit::app {

using base::TableFormat;
using report::claims::ClaimsRequest;

namespace {

ClaimsRequest request_of(const ClaimsOptions& options, std::vector<fs::path>& results) {
  ClaimsRequest request;
  request.claims = options.claims.empty() ? options.home.data / "claims" : fs::path(options.claims);
  request.device = options.device;
  request.every_device = options.every_device;
  request.measured = options.measured;
  request.progress = join::images::progress_on_terminal("reading results, GPUs");
  std::error_code none;
  for (const std::string& word : options.words)
    // No claim's name has a dot or a slash: a file that is not there is said to be missing.
    if (fs::exists(word, none) || word.find_first_of("./") != std::string::npos)
      results.emplace_back(word);
    else
      request.names.push_back(word);
  return request;
}

base::Table table_of(const ClaimsOptions& options, const ClaimsRequest& request, TableFormat format,
                     const std::vector<report::claims::CheckedClaim>& claims) {
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
  PHASEBIT_TRY_ASSIGN(axes, join::explain::declared_axes(options.home));
  request.keys = std::move(axes.check);
  if (results.empty()) results = join::explain::published_results(options.home);
  if (results.empty()) return join::explain::nothing_published(options.home, "results are");
  PHASEBIT_TRY_ASSIGN(claims, report::claims::check_claims(results, options.home.cache, request));
  if (!request.names.empty() && format == TableFormat::text && !options.rows &&
      options.permute == 0)
    for (const report::claims::CheckedClaim& one : claims)
      fmt::print("{}{}", &one == &claims.front() ? "" : "\n", report::claims::answer(one));
  else
    fmt::print("{}", base::render(table_of(options, request, format, claims), format));
  PHASEBIT_TRY(report::claims::all_can_be_stated(claims));
  return std::any_of(claims.begin(), claims.end(), [](const report::claims::CheckedClaim& one) {
    return one.word() == "refuted";
  });
}

}  // namespace phasebit::app
