#include "analysis/report/claims/rules.h"

#include "core/base/text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/ranges.h>

namespace phasebit::report::claims {
namespace {

// The claim as a reader takes it, over flagged rows too.
Claim widened(const Claim& claim) {
  Claim wide = claim;
  wide.where = claim.question;
  wide.when = {};
  wide.unrolled = true;
  wide.accepts = {"modes", "interval_too_wide", "not_linear", "several_values"};
  return wide;
}

using Places = std::pair<size_t, std::optional<size_t>>;

Places places_of(const ClaimCases& cases, const ClaimCase& one) {
  return {cases.from[one.a], one.b ? std::optional(cases.from[*one.b]) : std::nullopt};
}

// Those cases with their rows alone.
ClaimCases kept(const ClaimCases& all, std::vector<JudgedCase>& cases) {
  ClaimCases out;
  std::map<size_t, size_t> moved;
  const auto move = [&](size_t row) {
    const auto [at, is_new] = moved.emplace(row, out.rows.size());
    if (!is_new) return at->second;
    out.rows.push_back(all.rows[row]);
    out.from.push_back(all.from[row]);
    return at->second;
  };
  for (JudgedCase& one : cases) {
    one.of.a = move(one.of.a);
    if (one.of.b) one.of.b = move(*one.of.b);
    out.cases.push_back(one.of);
  }
  return out;
}

// What keeps a comparison out of a claim, as ClaimLimit::of has it.
class Reasons {
 public:
  explicit Reasons(const Claim& claim) : claim_(claim) {
    for (const AxisTest& test : claim.where.tests())
      tests_.emplace_back(test.axis.text(), Selection({test}));
  }
  std::set<std::string> of(const ClaimCases& cases, const ClaimCase& one) const {
    std::set<std::string> reasons;
    for (const auto& [axis, test] : tests_)
      if (!test.matches(cases.rows[one.a].axes) ||
          (one.b && !test.matches(cases.rows[*one.b].axes)))
        reasons.insert(axis);
    if (!holds_when(claim_, cases.rows[one.a])) reasons.insert("when");
    if (cases.rows[one.a].unrolled && !claim_.where.names("unroll")) reasons.insert("unroll");
    if (reasons.empty()) reasons.insert("flags");
    return reasons;
  }

 private:
  const Claim& claim_;
  std::vector<std::pair<std::string, Selection>> tests_;
};

// What keeps out the most of those that refute; "" where none does.
std::string most_of(const std::map<std::string, size_t>& counts) {
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
}

std::map<std::string, size_t> counted(const Reasons& reasons, const ClaimCases& cases,
                                      const std::vector<JudgedCase>& judged) {
  std::map<std::string, size_t> counts;
  for (const JudgedCase& one : judged)
    if (one.state == CaseState::refutes)
      for (const std::string& reason : reasons.of(cases, one.of)) ++counts[reason];
  return counts;
}

// The comparisons that no limit names.
ClaimCases unsaid_of(const Claim& claim, const Reasons& reasons, const ClaimCases& all,
                     const std::vector<JudgedCase>& judged) {
  std::set<std::string> named;
  for (const ClaimLimit& limit : claim.limits)
    named.insert(limit.of.empty() ? most_of(counted(reasons, all, judged)) : limit.of);
  ClaimCases unsaid = all;
  std::erase_if(unsaid.cases, [&](const ClaimCase& one) {
    const std::set<std::string> by = reasons.of(all, one);
    return std::any_of(by.begin(), by.end(),
                       [&](const std::string& reason) { return named.count(reason) != 0; });
  });
  return unsaid;
}

// The axes in which the selections of both sides differ.
std::set<std::string> sides_differ_in(const Claim& claim) {
  std::set<std::string> axes;
  for (const Selection* side : {&claim.a, &claim.b})
    for (const AxisTest& test : side->tests())
      if (claim.a.tests_of(test.axis) != claim.b.tests_of(test.axis)) axes.insert(test.axis);
  return axes;
}

// The axes in which two rows differ: values of those that both have, and those that no component
// declares.
void add_differences(const ClaimRow& a, const ClaimRow& b, std::set<std::string>& axes) {
  for (const auto& [axis, value] : a.axes) {
    const std::string* other = axis_of(b.axes, axis);
    if (axis == ran_on_axis) continue;
    if (other == nullptr ? base::contains(a.own, axis.text()) : *other != value.text())
      axes.insert(axis);
  }
  for (const std::string& axis : b.own)
    if (axis_of(a.axes, axis) == nullptr) axes.insert(axis);
}

// Values that a selection lists and that none of the rows has: the sentence names what was not
// seen.
void add_unmet(const char* key, const Selection& selection, const ClaimCases& cases,
               const std::set<size_t>& rows, std::vector<std::string>& faults) {
  for (const AxisTest& test : selection.tests()) {
    if (test.any_of.size() < 2) continue;
    for (const std::string& value : test.any_of) {
      if (value == "-" || value.find('*') != std::string::npos) continue;
      const Selection alone({{test.axis, {value}}});
      const bool met = std::any_of(rows.begin(), rows.end(),
                                   [&](size_t row) { return alone.matches(cases.rows[row].axes); });
      if (!met)
        faults.push_back(fmt::format("'{}' lists {} = {}, of which no row is compared", key,
                                     test.axis.text(), value));
    }
  }
}

// Of both sides, and of a claim with one side of that alone.
void add_unmet(const Claim& claim, const ClaimCases& cases, std::vector<std::string>& faults) {
  std::set<size_t> a, b;
  for (const ClaimCase& one : cases.cases) {
    a.insert(one.a);
    if (one.b) b.insert(*one.b);
  }
  std::set<size_t> both = a;
  both.insert(b.begin(), b.end());
  add_unmet("where", claim.where, cases, both, faults);
  add_unmet("a", claim.a, cases, a, faults);
  if (claim.pairs) add_unmet("b", claim.b, cases, b, faults);
}

}  // namespace

Outside outside_of(const Claim& claim, const std::vector<ClaimRow>& rows, const ClaimCases& inside,
                   bool every_device) {
  Outside out;
  const Claim wide = widened(claim);
  ClaimCases all = cases_of(wide, rows, every_device);
  std::set<Places> known;
  for (const ClaimCase& one : inside.cases) known.insert(places_of(inside, one));
  std::erase_if(all.cases,
                [&](const ClaimCase& one) { return known.count(places_of(all, one)) != 0; });
  out.without_figure = static_cast<size_t>(
      std::count_if(all.left_out.begin(), all.left_out.end(),
                    [&](const LeftOut& one) { return !all.rows[one.row].figure.reason.empty(); }));
  out.verdict = judge(wide, all);
  out.evaluated = out.verdict.holds + out.verdict.refutes + out.verdict.ambiguous;
  const Reasons reasons(claim);
  out.unsaid = claim.limits.empty()
                   ? out.verdict
                   : judge(wide, unsaid_of(claim, reasons, all, out.verdict.cases));
  out.kept_out_by = counted(reasons, all, out.unsaid.cases);
  std::erase_if(out.verdict.cases,
                [](const JudgedCase& one) { return one.state != CaseState::refutes; });
  out.cases = kept(all, out.verdict.cases);
  return out;
}

std::vector<std::string> scope_faults(const Claim& claim, const ClaimCases& inside,
                                      const Outside& outside) {
  std::vector<std::string> faults;
  const auto missed = static_cast<size_t>(
      std::count_if(inside.rows.begin(), inside.rows.end(),
                    [&](const ClaimRow& row) { return !claim.question.matches(row.axes); }));
  if (missed > 0)
    faults.push_back(fmt::format("'question' leaves out {} of the {} rows of 'where'", missed,
                                 inside.rows.size()));
  add_unmet(claim, inside, faults);
  const size_t in_loops = static_cast<size_t>(
      std::count_if(inside.left_out.begin(), inside.left_out.end(), [&](const LeftOut& one) {
        const data::Missing what = inside.rows[one.row].figure.reason.what;
        return what == data::Missing::not_separable || what == data::Missing::hidden;
      }));
  const bool loop_named =
      std::any_of(claim.limits.begin(), claim.limits.end(), [&](const ClaimLimit& limit) {
        return limit.of == "loop" || (limit.of.empty() && outside.verdict.refutes == 0);
      });
  if (in_loops > 0 && !loop_named)
    faults.push_back(
        fmt::format("{} of its {} rows cannot be separated from their loop: the "
                    "sentence must name the limit (limit = {{ loop = \"WORDS OF IT\" }})",
                    in_loops, inside.rows.size()));
  const Verdict& unsaid = outside.unsaid;
  if (unsaid.used == 0) return faults;
  const bool has_share = claim.least_share || claim.most_share;
  const size_t evaluated = unsaid.holds + unsaid.refutes + unsaid.ambiguous;
  if (has_share ? unsaid.is_true : 10 * unsaid.refutes <= evaluated) return faults;
  std::vector<std::string> by;
  for (const auto& [axis, count] : outside.kept_out_by)
    by.push_back(fmt::format("{} ({})", axis, count));
  faults.push_back(fmt::format(
      "{} of {} comparisons that 'question' includes and 'where' excludes do not have the "
      "relation{}: the sentence must name each limit (limit = {{ AXIS = \"WORDS OF IT\" }}); kept "
      "out by {}",
      has_share ? evaluated - unsaid.holds : unsaid.refutes, evaluated,
      claim.limits.empty() ? "" : ", and no limit names them", fmt::join(by, ", ")));
  return faults;
}

std::string control_fault(const Claim& claim, const Claim& control, const ClaimCases& compared) {
  if (!control.pairs) return fmt::format("its control '{}' has one side", control.name);
  const std::set<std::string> sides = sides_differ_in(control);
  if (claim.cause.empty() && sides.size() != 1)
    return fmt::format(
        "the sides of its control '{}' differ in {}: say which is the cause (cause = \"AXIS\")",
        control.name, fmt::join(sides, ", "));
  const std::string cause = claim.cause.empty() ? *sides.begin() : claim.cause;
  if (sides.count(cause) == 0)
    return fmt::format("the sides of its control '{}' do not differ in '{}' ({})", control.name,
                       cause, base::nearest_word_hint(cause, {sides.begin(), sides.end()}));
  std::set<std::string> more;
  for (const ClaimCase& one : compared.cases)
    add_differences(compared.rows[one.a], compared.rows[*one.b], more);
  more.erase(cause);
  if (more.empty()) return {};
  return fmt::format("rows that its control '{}' compares differ in {} too, not in '{}' alone",
                     control.name, fmt::join(more, ", "), cause);
}

}  // namespace phasebit::report::claims
