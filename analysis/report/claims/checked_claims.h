// Claims with their verdicts over the results of one GPU or of several.
#pragma once

#include "analysis/report/claims/rules.h"
#include "analysis/report/claims/verdict.h"
#include "analysis/report/sql/database.h"
#include "core/base/table.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace phasebit::report::claims {

struct CheckedClaim {
  Claim claim;
  ClaimCases cases;
  Verdict verdict;
  // Why it was not looked at: the results have no GPU that it speaks of, or what it needs is not
  // measured. "" when it was.
  std::string not_checked;
  // What `question` includes and `where` excludes, and what the sentence adds that no row carries.
  Outside outside{};
  std::vector<std::string> faults{};
  // "holds", "refuted", "unsound" (it has faults), "no row", "not checked"
  std::string word() const;
};

// The rows of all GPUs of some results, by kind of figure; made when they are first asked for.
class RowsByFigure {
 public:
  // `models`: of all GPUs of a name together, for figures whose parts were measured on several.
  RowsByFigure(std::vector<data::ReportData> devices, std::vector<data::ReportData> models)
      : devices_(std::move(devices)), models_(std::move(models)) {}
  const std::vector<ClaimRow>& of(const std::string& figure);
  const std::vector<data::ReportData>& devices() const { return devices_; }

 private:
  std::vector<data::ReportData> devices_, models_;
  std::map<std::string, std::vector<ClaimRow>> rows_;
};

// Which rows are made, and how far that is.
struct RowsWish {
  std::string device;  // as in report_data, "" for all
  bool models = true;  // also those of all GPUs of a name together (joins_gpus)
  std::function<void(size_t done, size_t all)> progress = {};
};

// One ReportData a device.
Result<RowsByFigure> rows_of_devices(sql::ReportDatabase& results, const RowsWish& wish);

// Its control is check_control's.
CheckedClaim check_claim(const Claim& claim, RowsByFigure& rows, bool every_device = false);

// Of a cause: whether its control, one of `all`, is the experiment that removes it. A fault, or
// not_checked as the control is.
void check_control(CheckedClaim& checked, const std::vector<Claim>& all, RowsByFigure& rows,
                   bool every_device = false);

// Those named, in the order of the file; all when none is. Step::usage with the nearest name.
Result<std::vector<Claim>> claims_named(std::vector<Claim> claims,
                                        const std::vector<std::string>& names);

// A row a claim; its sentences are the notes.
base::Table claims_table(const std::vector<CheckedClaim>& claims);

// A row for each row of the results that a claim speaks of, those that refute it first. With the
// commands that lead from each to samples, PTX and SASS; else with those of the first, as notes.
base::Table claim_rows_table(const std::vector<CheckedClaim>& claims, bool commands);

// In how many of `times` permutations of the figures among its rows (seeded) it is refuted or has
// no row left: a claim that holds for figures at random says nothing.
size_t fails_permuted(const CheckedClaim& checked, size_t times, unsigned seed);

// Step::store: a claim that matches no row; else one whose sentence says more than its rows.
Status all_can_be_stated(const std::vector<CheckedClaim>& claims);

// Claims against results: what commands and documents call.

struct ClaimsRequest {
  fs::path claims;                 // a folder of *.toml, or one file
  std::vector<std::string> names;  // none: all
  std::string device;              // part of a name or a UUID; "": all that the results have
  bool every_device = false;       // also those that a claim does not name
  bool measured = false;           // leave out claims of which the results have no row
  results::KeyCheck keys = {};     // of the results
  std::function<void(size_t done, size_t all)> progress = {};  // over the GPUs of the results
};

Result<std::vector<CheckedClaim>> check_claims(sql::ReportDatabase& results,
                                               const ClaimsRequest& request);

// The same of stores and files of results; `cache` as ReportDatabase::open has it.
Result<std::vector<CheckedClaim>> check_claims(const std::vector<fs::path>& results,
                                               const fs::path& cache, const ClaimsRequest& request);

// For each claim in how many permutations of its figures it fails; a row a claim.
base::Table permuted_table(const std::vector<CheckedClaim>& claims, size_t times);

// The sentence of a claim by its name. Step::store for one that does not hold, so that no document
// states it.
using ClaimSentences = std::function<Result<std::string>(const std::string& name)>;
Result<ClaimSentences> claim_sentences(sql::ReportDatabase& results, const fs::path& claims);

}  // namespace phasebit::report::claims
