#include "analysis/report/claims/checked_claims.h"
#include "analysis/report/claims/sentence.h"
#include "analysis/report/data/figures.h"

#include <algorithm>
#include <optional>
#include <set>

namespace phasebit::report::claims {

using table::Cell;
using table::Table;

namespace {

// The GPUs with rows of this state, each once; of any state where none is asked for.
std::string gpus_of(const CheckedClaim& one, std::optional<CaseState> state = {}) {
  std::set<std::string> names;
  for (const JudgedCase& judged : one.verdict.cases)
    if (!state || judged.state == *state)
      names.insert(*axis_of(one.cases.rows[judged.of.a].axes, "device"));
  return fmt::format("{}", fmt::join(names, ", "));
}

Cell figure_text(const data::Figure& figure) {
  if (!figure.reason.empty()) return "";
  return {data::shown_with_interval(figure.value, figure.half_width), figure.value,
          figure.half_width};
}

Cell number(double value) {
  return {plain(value), value, {}};
}

std::string_view state_word(CaseState state) {
  switch (state) {
    case CaseState::holds: return "holds";
    case CaseState::refutes: return "refutes";
    case CaseState::ambiguous: return "ambiguous";
    case CaseState::no_bound: return "left out";
  }
  bug("no such CaseState");
}

std::string why_of(CaseState state) {
  if (state == CaseState::ambiguous) return "within the floor";
  return state == CaseState::no_bound ? "the bound has no value" : "";
}

// Commands in full, for programs and for pasting.
template <typename Text>
void add_commands(std::vector<Text>& texts, const ClaimRow& row) {
  texts.emplace_back(fmt::format("phasebit export --id {}", fmt::join(row.ids, " --id ")));
  texts.emplace_back("phasebit show " + row.ids.front());
  texts.emplace_back("phasebit sass show " + row.ids.front());
}

std::vector<Cell> case_row(const CheckedClaim& checked, const JudgedCase& one, bool commands) {
  const ClaimRow& a = checked.cases.rows[one.of.a];
  const ClaimRow* b = one.of.b ? &checked.cases.rows[*one.of.b] : nullptr;
  std::vector<Cell> cells = {checked.claim.name,
                             std::string(state_word(one.state)),
                             why_of(one.state),
                             *axis_of(a.axes, "device"),
                             figure_text(a.figure),
                             b == nullptr ? Cell("") : figure_text(b->figure),
                             number(one.bound),
                             number(one.floor),
                             fmt::format("{}", fmt::join(record::words_of(a.figure.flags), " ")),
                             a.figure.factor,
                             a.figure.id,
                             b == nullptr ? "" : b->figure.id};
  if (commands) add_commands(cells, a);
  return cells;
}

std::vector<Cell> left_out_row(const CheckedClaim& checked, const LeftOut& one, bool commands) {
  const ClaimRow& row = checked.cases.rows[one.row];
  std::vector<Cell> cells = {checked.claim.name,
                             "left out",
                             one.why,
                             *axis_of(row.axes, "device"),
                             figure_text(row.figure),
                             "",
                             "",
                             number(row.floor),
                             fmt::format("{}", fmt::join(record::words_of(row.figure.flags), " ")),
                             row.figure.factor,
                             row.figure.id,
                             ""};
  if (commands) add_commands(cells, row);
  return cells;
}

}  // namespace

Table claims_table(const std::vector<CheckedClaim>& claims) {
  Table table;
  table.columns = {{"claim", false},      {"verdict", false}, {"devices", false},
                   {"refuted on", false}, {"figure", false},  {"relation", false},
                   {"used", true},        {"hold", true},     {"refute", true},
                   {"ambiguous", true},   {"left out", true}, {"where", false},
                   {"it says", false, 40}};
  for (const CheckedClaim& one : claims) {
    const Claim& claim = one.claim;
    const std::string says =
        one.verdict.used == 0 ? one.not_checked : sentence(claim, one.cases, one.verdict);
    table.rows.push_back(
        {claim.name, one.word(), gpus_of(one), gpus_of(one, CaseState::refutes), claim.figure,
         fmt::format("{} {}", to_string(claim.relation), claim.bound.text()), one.verdict.used,
         one.verdict.holds, one.verdict.refutes, one.verdict.ambiguous, one.cases.left_out.size(),
         fmt::format("{}:{}", claim.file, claim.line), says});
  }
  return table;
}

Table claim_rows_table(const std::vector<CheckedClaim>& claims, bool commands) {
  Table table;
  table.columns = {{"claim", false},    {"row", false},     {"why", false},
                   {"device", false},   {"figure", true},   {"beside", true},
                   {"bound", true},     {"floor", true},    {"flags", false},
                   {"moved by", false}, {"variant", false}, {"beside variant", false}};
  if (commands)
    for (const char* title : {"samples", "PTX", "SASS"}) table.columns.push_back({title, false});
  for (const CheckedClaim& one : claims) {
    std::vector<JudgedCase> cases = one.verdict.cases;
    std::stable_sort(cases.begin(), cases.end(), [](const JudgedCase& a, const JudgedCase& b) {
      return (a.state == CaseState::refutes) > (b.state == CaseState::refutes);
    });
    for (const JudgedCase& judged : cases) table.rows.push_back(case_row(one, judged, commands));
    for (const LeftOut& left : one.cases.left_out)
      table.rows.push_back(left_out_row(one, left, commands));
    if (one.verdict.used > 0)
      table.notes.push_back(fmt::format("{}: {}: {}", one.claim.name, one.word(),
                                        sentence(one.claim, one.cases, one.verdict)));
    if (!cases.empty() && !commands) add_commands(table.notes, one.cases.rows[cases.front().of.a]);
  }
  return table;
}

}  // namespace phasebit::report::claims
