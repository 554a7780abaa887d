#include "analysis/report/claims/check.h"

#include "analysis/report/claims/sentence.h"
#include "core/base/nearest.h"

#include <algorithm>
#include <memory>

namespace phasebit::report::claims {

namespace {

// Claims with what checks them: documents ask for a few of them, one after the other.
struct Checker {
  std::vector<Claim> claims;
  RowsByFigure rows;

  Result<std::string> sentence_of(const std::string& name) {
    const std::vector<std::string> names = {name};
    PHASEBIT_TRY_ASSIGN(found, claims_named(claims, names));
    const CheckedClaim checked = check_claim(found.front(), rows);
    if (checked.word() != "holds")
      return with_hint(fail(Step::store, "claim '{}': {}: {} of {} rows refute it", name,
                            checked.word(), checked.verdict.refutes, checked.verdict.used),
                       fmt::format("`phasebit claims {}` lists them", name));
    return sentence(checked.claim, checked.cases, checked.verdict);
  }
};

Result<std::vector<Claim>> claims_asked_for(const ClaimsRequest& request) {
  PHASEBIT_TRY_ASSIGN(all, read_claims(request.claims));
  return claims_named(std::move(all), request.names);
}

Result<std::vector<CheckedClaim>> check_all(const std::vector<Claim>& claims,
                                            sql::ReportDatabase& results,
                                            const ClaimsRequest& request) {
  const bool models = std::any_of(claims.begin(), claims.end(),
                                  [](const Claim& one) { return joins_gpus(one.figure); });
  PHASEBIT_TRY_ASSIGN(rows, rows_of_devices(results, {request.device, models, request.progress}));
  std::vector<CheckedClaim> checked;
  for (const Claim& claim : claims) {
    CheckedClaim one = check_claim(claim, rows, request.every_device);
    if (!request.measured || one.verdict.used > 0) checked.push_back(std::move(one));
  }
  return checked;
}

}  // namespace

Result<std::vector<CheckedClaim>> check_claims(sql::ReportDatabase& results,
                                               const ClaimsRequest& request) {
  PHASEBIT_TRY_ASSIGN(claims, claims_asked_for(request));
  return check_all(claims, results, request);
}

Result<std::vector<CheckedClaim>> check_claims(const std::vector<fs::path>& results,
                                               const fs::path& cache,
                                               const ClaimsRequest& request) {
  // First: reading results takes seconds.
  PHASEBIT_TRY_ASSIGN(claims, claims_asked_for(request));
  PHASEBIT_TRY_ASSIGN(database,
                      sql::ReportDatabase::open(results, cache, request.keys, request.progress));
  return check_all(claims, database, request);
}

table::Table permuted_table(const std::vector<CheckedClaim>& claims, size_t times) {
  table::Table table;
  table.columns = {{"claim", false}, {"verdict", false}, {"permutations", true}, {"fails", true}};
  size_t always = 0, looked_at = 0;
  for (const CheckedClaim& one : claims) {
    if (one.verdict.used == 0) continue;
    const size_t fails = fails_permuted(one, times, 1);
    table.rows.push_back({one.claim.name, one.word(), times, fails});
    ++looked_at;
    always += fails == times ? 1 : 0;
  }
  table.notes.push_back(fmt::format(
      "The figures of each claim's rows were permuted {} times among them: {} of {} claims failed "
      "each time. One that holds for figures at random says nothing.",
      times, always, looked_at));
  return table;
}

Result<ClaimSentences> claim_sentences(sql::ReportDatabase& results, const fs::path& claims) {
  PHASEBIT_TRY_ASSIGN(all, read_claims(claims));
  PHASEBIT_TRY_ASSIGN(rows, rows_of_devices(results, {}));
  const auto checker = std::make_shared<Checker>(Checker{std::move(all), std::move(rows)});
  return [checker](const std::string& name) { return checker->sentence_of(name); };
}

}  // namespace phasebit::report::claims
