#include "analysis/report/claims/verdict.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace phasebit::report::claims {
namespace {

std::optional<double> bound_of(const Claim& claim, const ClaimCases& cases, const ClaimCase& one) {
  return claim.bound.value([&](const std::string& name) -> std::optional<double> {
    if (name == "b" && one.b) return cases.rows[*one.b].figure.value;
    const std::string* word = axis_of(cases.rows[one.a].axes, name);
    return word == nullptr ? std::nullopt : base::number_in(*word);
  });
}

double floor_of(const ClaimCases& cases, const ClaimCase& one) {
  const ClaimRow& a = cases.rows[one.a];
  double floor = a.floor, width = a.figure.half_width;
  if (one.b) {
    floor = std::max(floor, cases.rows[*one.b].floor);
    width += cases.rows[*one.b].figure.half_width;
  }
  return std::max(floor, width);
}

// A difference beyond the floor says so; one within it says nothing, or is allowed.
CaseState strict(double margin, double floor) {
  if (std::abs(margin) <= floor) return CaseState::ambiguous;
  return margin > 0 ? CaseState::holds : CaseState::refutes;
}

JudgedCase judged(const Claim& claim, const ClaimCases& cases, const ClaimCase& one) {
  JudgedCase out{one};
  const auto bound = bound_of(claim, cases, one);
  if (!bound) {
    out.state = CaseState::no_bound;
    return out;
  }
  out.bound = *bound;
  out.floor = floor_of(cases, one);
  const double value = cases.rows[one.a].figure.value;
  const double allowed = std::max(claim.within, claim.within_percent / 100 * std::abs(*bound));
  constexpr double rounding = 1e-9;
  const auto loose = [](double margin) {
    return margin >= -rounding ? CaseState::holds : CaseState::refutes;
  };
  switch (claim.relation) {
    case Relation::less:
      out.margin = *bound - value;
      out.state = strict(out.margin, out.floor);
      return out;
    case Relation::greater:
      out.margin = value - *bound;
      out.state = strict(out.margin, out.floor);
      return out;
    case Relation::at_most: out.margin = *bound + std::max(allowed, out.floor) - value; break;
    case Relation::at_least: out.margin = value - *bound + std::max(allowed, out.floor); break;
    case Relation::within:
      out.margin = std::max(allowed, out.floor) - std::abs(value - *bound);
      break;
  }
  out.state = loose(out.margin);
  return out;
}

}  // namespace

Verdict judge(const Claim& claim, const ClaimCases& cases) {
  Verdict out;
  for (const ClaimCase& one : cases.cases) {
    out.cases.push_back(judged(claim, cases, one));
    const CaseState state = out.cases.back().state;
    out.holds += state == CaseState::holds ? 1 : 0;
    out.refutes += state == CaseState::refutes ? 1 : 0;
    out.ambiguous += state == CaseState::ambiguous ? 1 : 0;
  }
  // Counted, what cannot be told apart does not have the relation.
  const bool counted = claim.least_share || claim.most_share;
  out.used = out.holds + out.refutes + (counted ? out.ambiguous : 0);
  if (out.used == 0) return out;
  const double share = static_cast<double>(out.holds) / static_cast<double>(out.used);
  out.is_true =
      counted ? share >= claim.least_share.value_or(0) && share <= claim.most_share.value_or(1)
              : out.refutes == 0;
  return out;
}

}  // namespace phasebit::report::claims
