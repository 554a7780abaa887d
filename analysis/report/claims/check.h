// Claims against results: what commands and documents call.
#pragma once

#include "analysis/report/claims/checked_claims.h"

#include <functional>

namespace phasebit::report::claims {

struct ClaimsRequest {
  fs::path claims;                 // a folder of *.toml, or one file
  std::vector<std::string> names;  // none: all
  std::string device;              // part of a name or a UUID; "": all that the results have
  bool every_device = false;       // also those that a claim does not name
  bool measured = false;           // leave out claims of which the results have no row
  store::KeyCheck keys = {};       // of the results
  std::function<void(size_t done, size_t all)> progress = {};  // over the GPUs of the results
};

Result<std::vector<CheckedClaim>> check_claims(sql::ReportDatabase& results,
                                               const ClaimsRequest& request);

// The same of stores and files of results; `cache` as ReportDatabase::open has it.
Result<std::vector<CheckedClaim>> check_claims(const std::vector<fs::path>& results,
                                               const fs::path& cache, const ClaimsRequest& request);

// For each claim in how many permutations of its figures it fails; a row a claim.
table::Table permuted_table(const std::vector<CheckedClaim>& claims, size_t times);

// The sentence of a claim by its name. Step::store for one that does not hold, so that no document
// states it.
using ClaimSentences = std::function<Result<std::string>(const std::string& name)>;
Result<ClaimSentences> claim_sentences(sql::ReportDatabase& results, const fs::path& claims);

}  // namespace phasebit::report::claims
