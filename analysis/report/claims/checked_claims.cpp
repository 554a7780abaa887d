#include "analysis/report/claims/checked_claims.h"

#include "analysis/report/claims/against.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

#include <algorithm>
#include <random>
#include <set>

namespace phasebit::report::claims {

using data::ReportData;

namespace {

// Why no row of these results can be meant; "" when some can.
std::string out_of_reach(const Claim& claim, const RowsByFigure& rows, bool every_device) {
  if (claim.devices.empty() || every_device) return {};
  const bool across = claim.a.names("device");
  std::vector<std::string> missing;
  for (const std::string& part : claim.devices) {
    const bool there =
        std::any_of(rows.devices().begin(), rows.devices().end(), [&](const ReportData& data) {
          return data.devices.front().name.find(part) != std::string::npos;
        });
    if (!there) missing.push_back(part);
  }
  // A claim across devices needs them all, another has some rows wherever one is.
  if (missing.empty() || (!across && missing.size() < claim.devices.size())) return {};
  return fmt::format("no results of {}", fmt::join(missing, ", "));
}

// Rows that some comparison uses.
std::vector<size_t> rows_in_use(const ClaimCases& cases) {
  std::set<size_t> rows;
  for (const ClaimCase& one : cases.cases) {
    rows.insert(one.a);
    if (one.b) rows.insert(*one.b);
  }
  return {rows.begin(), rows.end()};
}

}  // namespace

std::string CheckedClaim::word() const {
  if (!not_checked.empty()) return "not checked";
  if (verdict.used == 0) return "no row";
  return verdict.is_true ? "holds" : "refuted";
}

const std::vector<ClaimRow>& RowsByFigure::of(const std::string& figure) {
  const auto known = rows_.find(figure);
  if (known != rows_.end()) return known->second;
  std::vector<ClaimRow>& all = rows_[figure];
  for (const ReportData& data : joins_gpus(figure) ? models_ : devices_)
    for (ClaimRow& row : claim_rows(data, figure)) all.push_back(std::move(row));
  return all;
}

Result<RowsByFigure> rows_of_devices(sql::ReportDatabase& results, const RowsWish& wish) {
  const std::string& device = wish.device;
  std::vector<ReportData> all, models;
  std::set<std::string> names;
  size_t done = 0;
  const auto data_of = [&](const std::string& gpus) {
    return results.gpus(gpus).and_then([&](std::int64_t g) { return results.report_data(g); });
  };
  for (const record::DeviceRow& row : results.devices()) {
    if (wish.progress) wish.progress(done++, results.devices().size());
    if (row.uuid != device && row.name.find(device) == std::string::npos) continue;
    PHASEBIT_TRY_ASSIGN(data, data_of(row.uuid));
    all.push_back(std::move(data));
    if (!wish.models || !names.insert(row.name).second) continue;
    PHASEBIT_TRY_ASSIGN(model, data_of(row.uuid == device ? device : row.name));
    models.push_back(std::move(model));
  }
  // The error that names the devices there are.
  if (all.empty()) PHASEBIT_TRY(results.gpus(device));
  return RowsByFigure(std::move(all), std::move(models));
}

CheckedClaim check_claim(const Claim& claim, RowsByFigure& rows, bool every_device) {
  CheckedClaim out{claim, {}, {}, out_of_reach(claim, rows, every_device)};
  if (!out.not_checked.empty()) return out;
  const std::vector<ClaimRow>& all = rows.of(claim.figure);
  out.cases = claim.against.tests().empty()
                  ? cases_of(claim, all, every_device)
                  : cases_of(claim, against_control(claim, all), every_device);
  out.verdict = judge(claim, out.cases);
  if (out.verdict.used == 0 && !claim.needs.empty())
    out.not_checked = "not measured yet: " + claim.needs;
  return out;
}

Result<std::vector<Claim>> claims_named(std::vector<Claim> claims,
                                        const std::vector<std::string>& names) {
  if (names.empty()) return claims;
  std::vector<std::string> known;
  for (const Claim& claim : claims) known.push_back(claim.name);
  for (const std::string& name : names)
    if (!base::contains(known, name))
      return with_hint(fail(Step::usage, "no claim '{}'", name),
                       base::nearest_word_hint(name, known));
  std::erase_if(claims, [&](const Claim& claim) { return !base::contains(names, claim.name); });
  return claims;
}

size_t fails_permuted(const CheckedClaim& checked, size_t times, unsigned seed) {
  const std::vector<size_t> rows = rows_in_use(checked.cases);
  std::mt19937 random(seed);
  size_t fails = 0;
  ClaimCases permuted = checked.cases;
  for (size_t n = 0; n < times; ++n) {
    std::vector<size_t> from = rows;
    // std::shuffle gives other orders with other libraries.
    for (size_t i = from.size(); i > 1; --i) std::swap(from[i - 1], from[random() % i]);
    for (size_t i = 0; i < rows.size(); ++i) {
      permuted.rows[rows[i]].figure = checked.cases.rows[from[i]].figure;
      permuted.rows[rows[i]].floor = checked.cases.rows[from[i]].floor;
    }
    fails += judge(checked.claim, permuted).is_true ? 0 : 1;
  }
  return fails;
}

Status all_have_rows(const std::vector<CheckedClaim>& claims) {
  std::vector<std::string> without;
  for (const CheckedClaim& one : claims)
    if (one.word() == "no row") without.push_back(one.claim.name);
  if (without.empty()) return {};
  return with_hint(fail(Step::store, "no row to judge by: {}", fmt::join(without, ", ")),
                   "its selection matches none, or all that it matches are left out: "
                   "`phasebit claims NAME` says why");
}

}  // namespace phasebit::report::claims
