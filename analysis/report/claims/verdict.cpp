#include "analysis/report/claims/verdict.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

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

const ClaimRow* row_of_b(const ClaimCases& cases, const ClaimCase& one) {
  return one.b ? &cases.rows[*one.b] : nullptr;
}

// `of` the figure of `b` (of `a` where there is none) and that of `a`: the median under equal
// conditions where there are some, else of the figures. What is judged and what is shown.
data::Paired over_pairs(const ClaimRow& a, const ClaimRow* b, const data::DifferenceOf& of) {
  const data::Figure& before = b == nullptr ? a.figure : b->figure;
  data::Paired made = data::paired(before, a.figure, of);
  if (made.any()) return made;
  made.median = of(before.value, a.figure.value);
  made.floor = unpaired_floor(a, b);
  return made;
}

// Nothing is no part of nothing, and anything else is all of it.
double share_of(double part, double whole) {
  if (whole != 0) return part / whole;
  return part == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), part);
}

// On two GPUs one code may well differ.
bool has_equal_code(const ClaimRow& a, const ClaimRow* b) {
  static const Word device("device");
  if (a.control_has_equal_code || (b != nullptr && b->control_has_equal_code)) return true;
  return b != nullptr && a.code == b->code && *axis_of(a.axes, device) == *axis_of(b->axes, device);
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
// `percent_above`: the median of what each pair is above its bound, as a share of that.
void judge_loosely(const Claim& claim, double percent_above, JudgedCase& out) {
  constexpr double rounding = 1e-9, half_a_cycle = 0.5;
  const bool by_floor = out.pairs > 0 || !claim.unpaired.empty();
  const double floor = by_floor ? out.floor : std::min(out.floor, half_a_cycle);
  out.margin = margin_of(claim.relation, out.above, std::max(claim.within, floor));
  if (claim.within_percent > 0)
    out.margin =
        std::max(out.margin, std::abs(out.bound) / 100 *
                                 margin_of(claim.relation, percent_above, claim.within_percent));
  out.state = out.margin >= -rounding ? CaseState::holds : CaseState::refutes;
  if (out.state == CaseState::refutes && margin_of(claim.relation, out.above, out.floor) >= 0)
    out.why = "holds only by the floor of unpaired repetitions";
}

JudgedCase judged(const Claim& claim, const ClaimCases& cases, const ClaimCase& one) {
  JudgedCase out{one};
  const ClaimRow& a = cases.rows[one.a];
  const ClaimRow* b = row_of_b(cases, one);
  const auto bound =
      bound_of(claim, a, b == nullptr ? std::nullopt : std::optional(b->figure.value));
  if (!bound) {
    out.state = CaseState::no_bound;
    return out;
  }
  out.bound = *bound;
  const auto bound_at = [&](double before) {
    return b == nullptr ? *bound : bound_of(claim, a, before).value_or(*bound);
  };
  const data::Paired pairs =
      over_pairs(a, b, [&](double before, double after) { return after - bound_at(before); });
  out.above = pairs.median;
  out.floor = pairs.floor;
  out.pairs = pairs.pairs.size();
  out.across_runs = b == nullptr ? 0 : pairs.across_runs();
  if (has_equal_code(a, b)) {
    out.state = CaseState::equal_code;
  } else if (claim.relation == Relation::less || claim.relation == Relation::greater) {
    out.margin = margin_of(claim.relation, out.above, 0);
    out.state = strict(out.margin, out.floor);
  } else {
    const auto percent = [&](double before, double after) {
      const double here = bound_at(before);
      return 100 * share_of(after - here, std::abs(here));
    };
    judge_loosely(claim, claim.within_percent > 0 ? over_pairs(a, b, percent).median : 0, out);
  }
  return out;
}

// From the best to the worst.
int rank(CaseState state) {
  switch (state) {
    case CaseState::no_bound:
    case CaseState::equal_code: return 0;
    case CaseState::holds: return 1;
    case CaseState::ambiguous: return 2;
    case CaseState::refutes: return 3;
  }
  bug("no such CaseState");
}

std::string pair_of(const ClaimCases& cases, const ClaimCase& one) {
  return cases.rows[one.a].code + "\n" + (one.b ? cases.rows[*one.b].code : "");
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
    case CaseState::equal_code: return "equal code";
    case CaseState::no_bound: return "left out";
  }
  bug("no such CaseState");
}

Sides sides_of(const ClaimCases& cases, const JudgedCase& one) {
  const ClaimRow& a = cases.rows[one.of.a];
  const ClaimRow* b = row_of_b(cases, one.of);
  const auto other = [&](double before) { return b == nullptr ? one.bound : before; };
  const auto median = [&](const data::DifferenceOf& of) { return over_pairs(a, b, of).median; };
  return {median([](double, double after) { return after; }),
          median([&](double before, double) { return other(before); }),
          median([&](double before, double after) { return after - other(before); }),
          median([&](double before, double after) {
            return 1 + share_of(after - other(before), other(before));
          })};
}

void Counts::add(CaseState state) {
  holds += state == CaseState::holds ? 1 : 0;
  refutes += state == CaseState::refutes ? 1 : 0;
  ambiguous += state == CaseState::ambiguous ? 1 : 0;
  equal_code += state == CaseState::equal_code ? 1 : 0;
}

DistinctStates distinct_states(const ClaimCases& cases, const std::vector<JudgedCase>& judged) {
  DistinctStates states;
  for (const JudgedCase& one : judged) {
    if (one.state == CaseState::no_bound) continue;
    const ClaimRow& a = cases.rows[one.of.a];
    const std::string pair = pair_of(cases, one.of);
    CaseState& worst = states[*axis_of(a.axes, "device")].emplace(pair, one.state).first->second;
    if (rank(one.state) > rank(worst)) worst = one.state;
  }
  return states;
}

namespace {

// Of GPUs of one name, those that no other row of the same code is judged by.
void count_without_figure(const ClaimCases& cases, const DistinctStates& states, Verdict& out) {
  std::map<std::string, std::set<std::string>> found;
  for (const ClaimCase& one : cases.without_figure) {
    const std::string& device = *axis_of(cases.rows[one.a].axes, "device");
    const auto known = states.find(device);
    const std::string pair = pair_of(cases, one);
    if (known == states.end() || !known->second.contains(pair)) found[device].insert(pair);
  }
  for (const auto& [device, pairs] : found) {
    out.of_model[device].without_figure = pairs.size();
    out.without_figure = std::max(out.without_figure, pairs.size());
  }
}

}  // namespace

Verdict judge(const Claim& claim, const ClaimCases& cases) {
  Verdict out;
  for (const ClaimCase& one : cases.cases) {
    out.cases.push_back(judged(claim, cases, one));
    const JudgedCase& last = out.cases.back();
    out.unpaired += last.is_told() && last.pairs == 0 ? 1 : 0;
    out.across_runs += last.is_told() && last.across_runs > 0 ? 1 : 0;
  }
  // Counted, what cannot be told apart does not have the relation.
  const bool counted = claim.least_share || claim.most_share;
  out.is_true = true;
  const DistinctStates states = distinct_states(cases, out.cases);
  for (const auto& [model, pairs] : states) {
    Counts counts;
    for (const auto& [pair, state] : pairs) counts.add(state);
    counts.used = counts.holds + counts.refutes + (counted ? counts.ambiguous : 0);
    out.holds = std::max(out.holds, counts.holds), out.used = std::max(out.used, counts.used);
    out.refutes = std::max(out.refutes, counts.refutes);
    out.ambiguous = std::max(out.ambiguous, counts.ambiguous);
    out.equal_code = std::max(out.equal_code, counts.equal_code);
    if (counts.used > 0)
      out.is_true = out.is_true && (counted ? has_share(claim, counts) : counts.refutes == 0);
    out.of_model.emplace(model, counts);
  }
  out.is_true = out.is_true && out.used > 0;
  count_without_figure(cases, states, out);
  return out;
}

}  // namespace phasebit::report::claims
