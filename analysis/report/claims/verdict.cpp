#include "analysis/report/claims/verdict.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace phasebit::report::claims {
namespace {

// The bound for a figure of `b`, by the axes of the row of `a`.
std::optional<double> bound_of(const Claim& claim, const ClaimRow& a, std::optional<double> b) {
  return claim.bound.value([&](const std::string& name) -> std::optional<double> {
    if (name == "b" && b) return b;
    const std::string* word = axis_of(a.axes, name);
    return word == nullptr ? std::nullopt : base::number_in(*word);
  });
}

// Of repetitions that are not paired: the larger of the rows' floors and of both intervals
// together.
double unpaired_floor(const ClaimRow& a, const ClaimRow* b) {
  double floor = a.floor, width = a.figure.half_width;
  if (b != nullptr) {
    floor = std::max(floor, b->floor);
    width += b->figure.half_width;
  }
  return std::max(floor, width);
}

// How far the figure is above the bound: by pairs under equal conditions where there are some.
struct Above {
  double value = 0, floor = 0;
  bool paired = false;
};

Above above_bound(const Claim& claim, const ClaimRow& a, const ClaimRow* b, double bound) {
  const data::Paired pairs =
      data::paired(b == nullptr ? a.figure : b->figure, a.figure, [&](double before, double after) {
        const auto here = b == nullptr ? bound : bound_of(claim, a, before);
        return after - here.value_or(bound);
      });
  if (pairs.any()) return {pairs.median, pairs.floor, true};
  return {a.figure.value - bound, unpaired_floor(a, b), false};
}

// A difference beyond the floor says so; one within it says nothing.
CaseState strict(double margin, double floor) {
  if (std::abs(margin) <= floor) return CaseState::ambiguous;
  return margin > 0 ? CaseState::holds : CaseState::refutes;
}

// By how much the figure is allowed to be beyond the bound, or is within it.
double margin_of(Relation relation, double above, double allowed) {
  switch (relation) {
    case Relation::less: return -above;
    case Relation::greater: return above;
    case Relation::at_most: return allowed - above;
    case Relation::at_least: return allowed + above;
    case Relation::within: return allowed - std::abs(above);
  }
  bug("no such Relation");
}

// The floor of pairs is an allowance; that of unpaired repetitions is only where the claim says
// why.
void judge_loosely(const Claim& claim, double above, JudgedCase& out) {
  constexpr double rounding = 1e-9, half_a_cycle = 0.5;
  const double allowed = std::max(claim.within, claim.within_percent / 100 * std::abs(out.bound));
  const bool by_floor = out.paired || !claim.unpaired.empty();
  const double floor = by_floor ? out.floor : std::min(out.floor, half_a_cycle);
  out.margin = margin_of(claim.relation, above, std::max(allowed, floor));
  out.state = out.margin >= -rounding ? CaseState::holds : CaseState::refutes;
  if (out.state == CaseState::refutes &&
      margin_of(claim.relation, above, std::max(allowed, out.floor)) >= 0)
    out.why = "holds only by the floor of unpaired repetitions";
}

JudgedCase judged(const Claim& claim, const ClaimCases& cases, const ClaimCase& one) {
  JudgedCase out{one};
  const ClaimRow& a = cases.rows[one.a];
  const ClaimRow* b = one.b ? &cases.rows[*one.b] : nullptr;
  const auto bound =
      bound_of(claim, a, b == nullptr ? std::nullopt : std::optional(b->figure.value));
  if (!bound) {
    out.state = CaseState::no_bound;
    return out;
  }
  out.bound = *bound;
  const Above above = above_bound(claim, a, b, *bound);
  out.floor = above.floor;
  out.paired = above.paired;
  if (claim.relation == Relation::less || claim.relation == Relation::greater) {
    out.margin = margin_of(claim.relation, above.value, 0);
    out.state = strict(out.margin, out.floor);
  } else {
    judge_loosely(claim, above.value, out);
  }
  return out;
}

// From the best to the worst.
int rank(CaseState state) {
  switch (state) {
    case CaseState::no_bound: return 0;
    case CaseState::holds: return 1;
    case CaseState::ambiguous: return 2;
    case CaseState::refutes: return 3;
  }
  bug("no such CaseState");
}

bool has_share(const Claim& claim, const Counts& counts) {
  const double share = static_cast<double>(counts.holds) / static_cast<double>(counts.used);
  return share >= claim.least_share.value_or(0) && share <= claim.most_share.value_or(1);
}

}  // namespace

std::string_view to_string(CaseState state) {
  switch (state) {
    case CaseState::holds: return "holds";
    case CaseState::refutes: return "refutes";
    case CaseState::ambiguous: return "ambiguous";
    case CaseState::no_bound: return "left out";
  }
  bug("no such CaseState");
}

void Counts::add(CaseState state) {
  holds += state == CaseState::holds ? 1 : 0;
  refutes += state == CaseState::refutes ? 1 : 0;
  ambiguous += state == CaseState::ambiguous ? 1 : 0;
}

DistinctStates distinct_states(const ClaimCases& cases, const std::vector<JudgedCase>& judged) {
  DistinctStates states;
  for (const JudgedCase& one : judged) {
    if (one.state == CaseState::no_bound) continue;
    const ClaimRow& a = cases.rows[one.of.a];
    const std::string pair = a.code + "\n" + (one.of.b ? cases.rows[*one.of.b].code : "");
    CaseState& worst = states[*axis_of(a.axes, "device")].emplace(pair, one.state).first->second;
    if (rank(one.state) > rank(worst)) worst = one.state;
  }
  return states;
}

Verdict judge(const Claim& claim, const ClaimCases& cases) {
  Verdict out;
  for (const ClaimCase& one : cases.cases) {
    out.cases.push_back(judged(claim, cases, one));
    const bool bounded = out.cases.back().state != CaseState::no_bound;
    out.unpaired += bounded && !out.cases.back().paired ? 1 : 0;
  }
  // Counted, what cannot be told apart does not have the relation.
  const bool counted = claim.least_share || claim.most_share;
  out.is_true = true;
  for (const auto& [model, pairs] : distinct_states(cases, out.cases)) {
    Counts counts;
    for (const auto& [pair, state] : pairs) counts.add(state);
    counts.used = counts.holds + counts.refutes + (counted ? counts.ambiguous : 0);
    out.holds = std::max(out.holds, counts.holds), out.used = std::max(out.used, counts.used);
    out.refutes = std::max(out.refutes, counts.refutes);
    out.ambiguous = std::max(out.ambiguous, counts.ambiguous);
    if (counts.used > 0)
      out.is_true = out.is_true && (counted ? has_share(claim, counts) : counts.refutes == 0);
    out.of_model.emplace(model, counts);
  }
  out.is_true = out.is_true && out.used > 0;
  return out;
}

}  // namespace phasebit::report::claims
