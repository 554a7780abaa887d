// Whether a claim holds, from its rows alone.
#pragma once

#include "analysis/report/claims/claim_rows.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::report::claims {

// `equal_code`: both sides are one SASS class on one GPU, which says nothing of their difference.
enum class CaseState { holds, refutes, ambiguous, equal_code, no_bound };
std::string_view to_string(CaseState state);

struct JudgedCase {
  ClaimCase of;
  CaseState state = CaseState::holds;
  double bound = 0;
  double above = 0;   // by how much the figure is above the bound: what is judged
  double margin = 0;  // by how much it holds; below 0 it does not
  double floor = 0;   // what the difference must exceed to be one
  // The conditions that both sides have (data/comparison.h), over which `above` is the median; 0:
  // not paired, by the figures and the rows' own floors.
  size_t pairs = 0;
  size_t across_runs = 0;  // of these, whose sides no run measured both
  std::string why{};       // of a state that the figures alone do not explain
  bool is_told() const { return state != CaseState::equal_code && state != CaseState::no_bound; }
};

// What a reader is shown of a case: medians over the pairs that it is judged by, unpaired the
// figures. Without a row of `b` the other side is the bound.
struct Sides {
  double a = 0, b = 0, difference = 0, ratio = 0;
};
Sides sides_of(const ClaimCases& cases, const JudgedCase& one);

// Of what is distinct: pairs of SASS classes.
struct Counts {
  size_t holds = 0, refutes = 0, ambiguous = 0, equal_code = 0;
  size_t used = 0;            // with the ambiguous where the claim counts
  size_t without_figure = 0;  // that a side has no figure of
  // Of the comparisons, not of what is distinct: `across_runs` have pairs whose sides no run
  // measured both.
  size_t unpaired = 0, across_runs = 0;
  void add(CaseState state);
  bool operator==(const Counts&) const = default;
};

struct Verdict : Counts {  // the most of any model; a sentence names those of each
  std::vector<JudgedCase> cases;
  std::map<std::string, Counts> of_model;  // by name of GPU: several of one are replications
  // On each model all hold, or the share of them that the claim asks for. False when none was used.
  bool is_true = false;
  bool all_of_equal_code() const { return equal_code > 0 && used + ambiguous == 0; }
};

// The state of each pair of SASS classes that are compared on GPUs of one name: the worst of its
// rows, as what one repetition refutes others do not mend.
using DistinctStates = std::map<std::string, std::map<std::string, CaseState>>;
DistinctStates distinct_states(const ClaimCases& cases, const std::vector<JudgedCase>& judged);

Verdict judge(const Claim& claim, const ClaimCases& cases);

}  // namespace phasebit::report::claims
