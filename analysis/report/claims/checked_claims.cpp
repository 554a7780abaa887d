#include "analysis/report/claims/checked_claims.h"

#include "analysis/report/claims/claim_rows.h"
#include "analysis/report/claims/sentence.h"
#include "analysis/report/data/figures.h"
#include "core/base/text.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>

namespace phasebit::report::claims {

using base::Cell;
using base::Table;
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
  if (verdict.all_of_equal_code()) return "equal code";
  if (verdict.used == 0) return "no row";
  if (!verdict.is_true) return "refuted";
  return faults.empty() ? "holds" : "unsound";
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
  for (const results::DeviceRow& row : results.devices()) {
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
  std::vector<ClaimRow> joined;
  const bool joins = !claim.against.tests().empty();
  if (joins) joined = against_control(claim, rows.of(claim.figure));
  const std::vector<ClaimRow>& all = joins ? joined : rows.of(claim.figure);
  out.cases = cases_of(claim, all, every_device);
  out.verdict = judge(claim, out.cases);
  out.outside = outside_of(claim, all, out.cases, every_device);
  out.faults = scope_faults(claim, out.cases, out.outside);
  if (out.verdict.used == 0 && !claim.needs.empty())
    out.not_checked = "not measured yet: " + claim.needs;
  return out;
}

void check_control(CheckedClaim& checked, const std::vector<Claim>& all, RowsByFigure& rows,
                   bool every_device) {
  const Claim& claim = checked.claim;
  if (claim.control.empty() || !checked.not_checked.empty()) return;
  const auto named = std::find_if(all.begin(), all.end(),
                                  [&](const Claim& one) { return one.name == claim.control; });
  if (named == all.end()) return;  // read_claims refused it
  const CheckedClaim control = check_claim(*named, rows, every_device);
  if (!control.not_checked.empty()) {
    checked.not_checked = fmt::format("its control '{}': {}", claim.control, control.not_checked);
    return;
  }
  if (control.word() != "holds") {
    checked.faults.push_back(fmt::format("its control '{}': {}", claim.control, control.word()));
    return;
  }
  const std::string fault = control_fault(claim, *named, control.cases);
  if (!fault.empty()) checked.faults.push_back(fault);
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
  const auto take = [&](size_t row, const ClaimRow& other) {
    ClaimRow& to = permuted.rows[row];
    to.figure = other.figure;
    to.figure.gpu = checked.cases.rows[row].figure.gpu;  // or no pair would be of one GPU
    to.floor = other.floor;
  };
  for (size_t n = 0; n < times; ++n) {
    std::vector<size_t> from = rows;
    // std::shuffle gives other orders with other libraries.
    for (size_t i = from.size(); i > 1; --i) std::swap(from[i - 1], from[random() % i]);
    for (size_t i = 0; i < rows.size(); ++i) take(rows[i], checked.cases.rows[from[i]]);
    fails += judge(checked.claim, permuted).is_true ? 0 : 1;
  }
  return fails;
}

Status all_can_be_stated(const std::vector<CheckedClaim>& claims) {
  std::vector<std::string> without, equal, unsound;
  for (const CheckedClaim& one : claims) {
    if (one.word() == "no row") without.push_back(one.claim.name);
    if (one.word() == "equal code")
      equal.push_back(fmt::format("{} ({})", one.claim.name, one.verdict.equal_code));
    if (one.word() == "unsound") unsound.push_back(one.claim.name + ": " + one.faults.front());
  }
  if (!without.empty())
    return with_hint(fail(Step::store, "no row to judge by: {}", fmt::join(without, ", ")),
                     "its selection matches none, or all that it matches are left out: "
                     "`phasebit claims NAME` says why");
  if (!equal.empty())
    return with_hint(
        fail(Step::store, "equal code on both sides of every pair: {}", fmt::join(equal, ", ")),
        "such pairs say nothing: `phasebit claims NAME --rows` lists them");
  if (unsound.empty()) return {};
  return with_hint(fail(Step::store, "{}", fmt::join(unsound, "; ")),
                   "`phasebit claims NAME --rows` lists the rows");
}

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

std::string why_of(const JudgedCase& one) {
  if (!one.why.empty()) return one.why;
  if (one.state == CaseState::no_bound) return "the bound has no value";
  if (one.state == CaseState::equal_code) return "one SASS class: no difference to see";
  const std::string_view within = one.state == CaseState::ambiguous ? "within the floor" : "";
  if (one.across_runs > 0)
    return fmt::format("{}{}of two runs", within, within.empty() ? "" : ", ");
  if (one.pairs > 0) return std::string(within);
  return fmt::format("{}{}not paired", within, within.empty() ? "" : ", ");
}

// Commands in full, for programs and for pasting.
template <typename Text>
void add_commands(std::vector<Text>& texts, const ClaimRow& row) {
  texts.emplace_back(fmt::format("phasebit export --id {}", fmt::join(row.ids, " --id ")));
  texts.emplace_back("phasebit show " + row.ids.front());
  texts.emplace_back("phasebit sass show " + row.ids.front());
}

std::vector<Cell> case_row(const Claim& claim, const ClaimCases& cases, const JudgedCase& one,
                           bool commands) {
  const ClaimRow& a = cases.rows[one.of.a];
  const ClaimRow* b = one.of.b ? &cases.rows[*one.of.b] : nullptr;
  std::vector<Cell> cells = {claim.name,
                             std::string(to_string(one.state)),
                             why_of(one),
                             *axis_of(a.axes, "device"),
                             figure_text(a.figure),
                             b == nullptr ? Cell("") : figure_text(b->figure),
                             number(one.bound),
                             number(one.above),
                             number(one.floor),
                             one.pairs,
                             fmt::format("{}", fmt::join(results::words_of(a.figure.flags), " ")),
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
                             "",
                             number(row.floor),
                             "",
                             fmt::format("{}", fmt::join(results::words_of(row.figure.flags), " ")),
                             row.figure.factor,
                             row.figure.id,
                             ""};
  if (commands) add_commands(cells, row);
  return cells;
}

}  // namespace

namespace {

void add_faults(const CheckedClaim& one, Table& table) {
  for (const std::string& fault : one.faults)
    table.notes.push_back(fmt::format("{}: unsound: {}", one.claim.name, fault));
}

// The rows that refute it outside of `where`, after its own.
void add_outside(const CheckedClaim& one, bool commands, Table& table) {
  for (const JudgedCase& judged : one.outside.verdict.cases) {
    table.rows.push_back(case_row(one.claim, one.outside.cases, judged, commands));
    table.rows.back()[1] = Cell("refutes outside");
    table.rows.back()[2] = Cell("`question` includes it, `where` does not");
  }
}

}  // namespace

Table claims_table(const std::vector<CheckedClaim>& claims) {
  Table table;
  table.columns = {
      {"claim", false},         {"verdict", false},    {"devices", false},    {"refuted on", false},
      {"kind", false},          {"figure", false},     {"relation", false},   {"used", true},
      {"hold", true},           {"refute", true},      {"ambiguous", true},   {"equal code", true},
      {"unpaired", true},       {"across runs", true}, {"left out", true},    {"outside", true},
      {"refute outside", true}, {"where", false},      {"it says", false, 40}};
  for (const CheckedClaim& one : claims) {
    const Claim& claim = one.claim;
    const std::string says =
        one.verdict.used == 0 ? one.not_checked : sentence(claim, one.cases, one.verdict);
    const auto count = [&](size_t Counts::* of) { return Cell(count_text(one.verdict, of)); };
    table.rows.push_back({claim.name, one.word(), gpus_of(one), gpus_of(one, CaseState::refutes),
                          claim.kind == ClaimKind::cause ? "cause" : "observation", claim.figure,
                          fmt::format("{} {}", to_string(claim.relation), claim.bound.text()),
                          count(&Counts::used), count(&Counts::holds), count(&Counts::refutes),
                          count(&Counts::ambiguous), one.verdict.equal_code, one.verdict.unpaired,
                          one.verdict.across_runs, one.cases.left_out.size(), one.outside.evaluated,
                          one.outside.verdict.refutes, fmt::format("{}:{}", claim.file, claim.line),
                          says});
    add_faults(one, table);
  }
  return table;
}

Table claim_rows_table(const std::vector<CheckedClaim>& claims, bool commands) {
  Table table;
  table.columns = {{"claim", false},   {"row", false},           {"why", false},
                   {"device", false},  {"figure", true},         {"beside", true},
                   {"bound", true},    {"above it", true},       {"floor", true},
                   {"pairs", true},    {"flags", false},         {"moved by", false},
                   {"variant", false}, {"beside variant", false}};
  if (commands)
    for (const char* title : {"samples", "PTX", "SASS"}) table.columns.push_back({title, false});
  for (const CheckedClaim& one : claims) {
    std::vector<JudgedCase> cases = one.verdict.cases;
    std::stable_sort(cases.begin(), cases.end(), [](const JudgedCase& a, const JudgedCase& b) {
      return (a.state == CaseState::refutes) > (b.state == CaseState::refutes);
    });
    for (const JudgedCase& judged : cases)
      table.rows.push_back(case_row(one.claim, one.cases, judged, commands));
    add_outside(one, commands, table);
    for (const LeftOut& left : one.cases.left_out)
      table.rows.push_back(left_out_row(one, left, commands));
    if (one.verdict.used > 0)
      table.notes.push_back(fmt::format("{}: {}: {}", one.claim.name, one.word(),
                                        sentence(one.claim, one.cases, one.verdict)));
    add_faults(one, table);
    if (!cases.empty() && !commands) add_commands(table.notes, one.cases.rows[cases.front().of.a]);
  }
  return table;
}

namespace {

// Claims with what checks them: documents ask for a few of them, one after the other.
struct Checker {
  std::vector<Claim> claims;
  RowsByFigure rows;

  Result<std::string> sentence_of(const std::string& name) {
    const std::vector<std::string> names = {name};
    PHASEBIT_TRY_ASSIGN(found, claims_named(claims, names));
    CheckedClaim checked = check_claim(found.front(), rows);
    check_control(checked, claims, rows);
    if (checked.word() != "holds")
      return with_hint(fail(Step::store, "claim '{}': {}: {}", name, checked.word(),
                            checked.word() == "unsound" ? checked.faults.front()
                            : checked.word() == "equal code"
                                ? "both sides of every pair are one code"
                                : fmt::format("{} of {} comparisons refute it",
                                              checked.verdict.refutes, checked.verdict.used)),
                       fmt::format("`phasebit claims {} --rows` lists them", name));
    return sentence(checked.claim, checked.cases, checked.verdict);
  }
};

Result<std::vector<CheckedClaim>> check_all(const std::vector<Claim>& all,
                                            const std::vector<Claim>& claims,
                                            sql::ReportDatabase& results,
                                            const ClaimsRequest& request) {
  const bool models = std::any_of(claims.begin(), claims.end(),
                                  [](const Claim& one) { return joins_gpus(one.figure); });
  PHASEBIT_TRY_ASSIGN(rows, rows_of_devices(results, {request.device, models, request.progress}));
  std::vector<CheckedClaim> checked;
  for (const Claim& claim : claims) {
    CheckedClaim one = check_claim(claim, rows, request.every_device);
    check_control(one, all, rows, request.every_device);
    // Some rows of a user's own do not judge what a sentence leaves out.
    if (request.measured) one.faults.clear();
    if (!request.measured || one.verdict.used > 0) checked.push_back(std::move(one));
  }
  return checked;
}

}  // namespace

Result<std::vector<CheckedClaim>> check_claims(sql::ReportDatabase& results,
                                               const ClaimsRequest& request) {
  PHASEBIT_TRY_ASSIGN(all, read_claims(request.claims));
  PHASEBIT_TRY_ASSIGN(claims, claims_named(all, request.names));
  return check_all(all, claims, results, request);
}

Result<std::vector<CheckedClaim>> check_claims(const std::vector<fs::path>& results,
                                               const fs::path& cache,
                                               const ClaimsRequest& request) {
  // First: reading results takes seconds.
  PHASEBIT_TRY_ASSIGN(all, read_claims(request.claims));
  PHASEBIT_TRY_ASSIGN(claims, claims_named(all, request.names));
  PHASEBIT_TRY_ASSIGN(database,
                      sql::ReportDatabase::open(results, cache, request.keys, request.progress));
  return check_all(all, claims, database, request);
}

base::Table permuted_table(const std::vector<CheckedClaim>& claims, size_t times) {
  base::Table table;
  table.columns = {{"claim", false}, {"verdict", false}, {"permutations", true}, {"fails", true}};
  size_t looked_at = 0;
  std::vector<std::string> sometimes;
  for (const CheckedClaim& one : claims) {
    if (one.verdict.used == 0) continue;
    const size_t fails = fails_permuted(one, times, 1);
    table.rows.push_back({one.claim.name, one.word(), times, fails});
    ++looked_at;
    if (fails < times) sometimes.push_back(one.claim.name);
  }
  table.notes.push_back(fmt::format(
      "The figures of each claim's rows were permuted {} times among them: {} of {} claims failed "
      "each time. One that holds for figures at random says nothing.",
      times, looked_at - sometimes.size(), looked_at));
  if (!sometimes.empty())
    table.notes.push_back(fmt::format("Held at least once: {}", fmt::join(sometimes, ", ")));
  return table;
}

Result<ClaimSentences> claim_sentences(sql::ReportDatabase& results, const fs::path& claims) {
  PHASEBIT_TRY_ASSIGN(all, read_claims(claims));
  PHASEBIT_TRY_ASSIGN(rows, rows_of_devices(results, {}));
  const auto checker = std::make_shared<Checker>(Checker{std::move(all), std::move(rows)});
  return [checker](const std::string& name) { return checker->sentence_of(name); };
}

}  // namespace phasebit::report::claims
