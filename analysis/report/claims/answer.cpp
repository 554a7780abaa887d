#include "analysis/report/claims/answer.h"

#include "analysis/report/claims/sentence.h"
#include "analysis/report/data/figures.h"
#include "core/base/table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

namespace phasebit::report::claims {

using base::Cell;
using base::Table;

namespace {

const std::string& device_of(const CheckedClaim& checked, const JudgedCase& one) {
  return *axis_of(checked.cases.rows[one.of.a].axes, "device");
}

// What the spread is of: the ratio of both sides, where every one of `b` is above 0.
bool shows_ratio(const CheckedClaim& checked) {
  return checked.claim.pairs &&
         std::all_of(
             checked.verdict.cases.begin(), checked.verdict.cases.end(),
             [&](const JudgedCase& one) { return checked.cases.rows[*one.of.b].figure.value > 0; });
}

std::map<std::string, std::vector<double>> values_by_device(const CheckedClaim& checked,
                                                            bool ratio) {
  std::map<std::string, std::vector<double>> values;
  for (const JudgedCase& one : checked.verdict.cases) {
    if (!one.is_told()) continue;
    const Sides sides = sides_of(checked.cases, one);
    const double value = ratio ? sides.ratio : sides.a;
    if (std::isfinite(value)) values[device_of(checked, one)].push_back(value);
  }
  for (auto& [device, some] : values) std::sort(some.begin(), some.end());
  return values;
}

std::string spread_of(const CheckedClaim& checked) {
  const bool ratio = shows_ratio(checked);
  Table table;
  table.columns = {{"GPU", false},      {"n", true},      {"hold", true}, {"refute", true},
                   {"ambiguous", true}, {"lowest", true}, {"25 %", true}, {"median", true},
                   {"75 %", true},      {"highest", true}};
  for (const auto& [device, some] : values_by_device(checked, ratio)) {
    const Counts& counts = checked.verdict.of_model.at(device);
    std::vector<Cell>& row = table.rows.emplace_back();
    row = {device, counts.used, counts.holds, counts.refutes, counts.ambiguous};
    for (const size_t quarter : {0, 1, 2, 3, 4})
      row.emplace_back(plain(some[quarter * (some.size() - 1) / 4]));
  }
  table.notes.push_back(
      fmt::format("n: distinct pieces of code{}. Lowest to highest: {} of all rows.",
                  checked.verdict.equal_code == 0
                      ? ""
                      : fmt::format(", without {} pairs of equal code", checked.verdict.equal_code),
                  ratio ? checked.claim.figure + " of a / of b, the median of each row's pairs,"
                        : checked.claim.figure));
  return base::render(table, base::TableFormat::text);
}

std::string text_of(const Selection& selection) {
  std::vector<std::string> texts;
  for (const AxisTest& test : selection.tests())
    texts.push_back(fmt::format("{}={}", test.axis.text(), fmt::join(test.any_of, "|")));
  return fmt::format("{}", fmt::join(texts, " "));
}

// A row's word of two spaces, then what it says.
std::string line(std::string_view name, const std::string& text) {
  return fmt::format("{:<9} {}\n", name, text);
}

std::string rows_text(const Claim& claim) {
  std::string text = line("rows", text_of(claim.where));
  if (!claim.when.empty()) text += line("when", claim.when.text() + " > 0");
  if (!claim.a.tests().empty()) text += line("a", text_of(claim.a));
  if (claim.pairs) text += line("b", text_of(claim.b));
  std::string relation(to_string(claim.relation));
  std::replace(relation.begin(), relation.end(), '_', ' ');
  text += line("relation", fmt::format("{}{} {} {}", claim.figure, claim.pairs ? " of a" : "",
                                       relation, claim.bound.text()));
  return text;
}

std::string question_text(const CheckedClaim& checked) {
  const Outside& outside = checked.outside;
  std::string text =
      fmt::format("{}: {} more comparisons, {} refute it", text_of(checked.claim.question),
                  outside.evaluated, outside.verdict.refutes);
  std::vector<std::string> limits;
  for (const ClaimLimit& limit : checked.claim.limits)
    limits.push_back(limit.of.empty() ? fmt::format("\"{}\"", limit.words)
                                      : fmt::format("{} \"{}\"", limit.of, limit.words));
  return limits.empty() ? text : fmt::format("{}; said by {}", text, fmt::join(limits, ", "));
}

std::string left_out_text(const ClaimCases& cases) {
  std::map<std::string, size_t> reasons;
  for (const LeftOut& one : cases.left_out) {
    const bool several = cases.rows[one.row].figure.reason.what == data::Missing::several_values;
    // Without the figures of a flag.
    ++reasons[several ? "of several values" : one.why.substr(0, one.why.find(':'))];
  }
  std::vector<std::string> texts;
  for (const auto& [why, count] : reasons) texts.push_back(fmt::format("{} {}", count, why));
  return fmt::format("{} of {} rows{}{}", cases.left_out.size(), cases.rows.size(),
                     texts.empty() ? "" : ": ", fmt::join(texts, ", "));
}

// Those nearest to refuting it, or farthest beyond, one a variant; of equal code where all are.
std::vector<JudgedCase> nearest(const CheckedClaim& checked) {
  constexpr size_t most = 3;
  std::vector<JudgedCase> cases = checked.verdict.cases;
  const CaseState shown_alone =
      checked.verdict.all_of_equal_code() ? CaseState::equal_code : CaseState::holds;
  std::erase_if(cases,
                [&](const JudgedCase& one) { return !one.is_told() && one.state != shown_alone; });
  const auto margin = [](const JudgedCase& one) {
    return one.margin / std::max(1.0, std::abs(one.bound));
  };
  std::stable_sort(cases.begin(), cases.end(),
                   [&](const JudgedCase& a, const JudgedCase& b) { return margin(a) < margin(b); });
  std::set<std::string> variants;
  std::erase_if(cases, [&](const JudgedCase& one) {
    return variants.size() == most ||
           !variants.insert(checked.cases.rows[one.of.a].figure.id).second;
  });
  return cases;
}

std::string nearest_text(const CheckedClaim& checked) {
  const std::vector<JudgedCase> cases = nearest(checked);
  if (cases.empty()) return {};
  const auto figure = [](const ClaimRow& row) {
    return data::shown_with_interval(row.figure.value, row.figure.half_width);
  };
  std::string text =
      checked.verdict.all_of_equal_code() ? "\nof equal code\n" : "\nnearest to refuting it\n";
  for (const JudgedCase& one : cases) {
    const ClaimRow& a = checked.cases.rows[one.of.a];
    text += fmt::format("  {}: {}{}, bound {}; {} above it{}, floor {} ({})\n    {}\n",
                        to_string(one.state), figure(a),
                        one.of.b ? " against " + figure(checked.cases.rows[*one.of.b]) : "",
                        plain(one.bound), plain(one.above),
                        one.pairs > 0 ? fmt::format(" in {} pairs", one.pairs) : ", not paired",
                        plain(one.floor), device_of(checked, one), a.figure.id);
    if (one.of.b) text += fmt::format("    {}\n", checked.cases.rows[*one.of.b].figure.id);
  }
  const std::string& id = checked.cases.rows[cases.front().of.a].ids.front();
  return text + fmt::format(
                    "\nphasebit export --id {0}   # samples of the first\n"
                    "phasebit sass show {0}\n",
                    id);
}

}  // namespace

std::string answer(const CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  std::string text =
      fmt::format("{}: {} ({}:{})\n", claim.name, checked.word(), claim.file, claim.line);
  if (!checked.not_checked.empty()) return text + line("why", checked.not_checked);
  if (checked.verdict.used > 0)
    text += fmt::format("{}\n\n{}\n", sentence(claim, checked.cases, checked.verdict),
                        spread_of(checked));
  text += rows_text(claim);
  text += line("question", question_text(checked));
  text +=
      line("control", claim.control.empty() ? "none: an observation"
                                            : fmt::format("`phasebit claims {}`", claim.control));
  if (checked.verdict.across_runs > 0)
    text +=
        line("runs", fmt::format("{} comparisons have pairs of which no run measured both sides",
                                 checked.verdict.across_runs));
  text += line("left out", left_out_text(checked.cases));
  for (const std::string& fault : checked.faults) text += line("unsound", fault);
  text += nearest_text(checked);
  return text + fmt::format("phasebit claims {} --rows   # all rows\n", claim.name);
}

}  // namespace phasebit::report::claims
