#include "analysis/compare/cause.h"
#include "analysis/report/report.h"
#include "analysis/report/tables/history.h"
#include "cli/commands.h"
#include "pipeline/explain/measured.h"
#include "pipeline/explain/sides.h"
#include "pipeline/select/given.h"
#include "pipeline/select/open_space.h"

#include <cstdio>

namespace phasebit {
namespace {

// As the row of a figure names its code; empty without one.
struct MeasuredCode {
  std::string text_hash, sass_class;
};

struct Pair {
  std::string before, after;  // ids
  Comparison comparison;
  MeasuredCode measured_before, measured_after;
  std::vector<std::string> reasons;  // what goes with it, a line each
};

// "; the code measured is not ..." when ptxas makes other code of the variant today.
std::string other_code(const std::string& id, const MeasuredCode& measured, const DiffSide& side) {
  if (measured.text_hash.empty() || is_code_of(measured.text_hash, measured.sass_class, side))
    return {};
  if (measured.text_hash == side.kernel.text_hash)
    return fmt::format(
        "{}: the code measured ({}) has the instructions of what is assembled today ({}), but "
        "other "
        "data, attributes or launch shape",
        id, measured.sass_class, side.sass_class);
  return fmt::format("{}: the code measured ({}) is not what is assembled today ({})", id,
                     measured.text_hash.substr(0, 6), side.kernel.text_hash.substr(0, 6));
}

std::vector<std::string> reasons_of(const Pair& pair,
                                    const std::map<std::string, Result<DiffSide>>& code) {
  const Result<DiffSide>&a = code.at(pair.before), &b = code.at(pair.after);
  for (const Result<DiffSide>* side : {&a, &b})
    if (!*side) return {"no code: " + side->error().message};
  std::vector<std::string> stale;
  for (const std::string& text : {other_code(pair.before, pair.measured_before, *a),
                                  other_code(pair.after, pair.measured_after, *b)})
    if (!text.empty()) stale.push_back(text);
  if (!stale.empty()) return stale;
  const auto diff = diff_kernels(*a, *b);
  if (!diff) return {"no difference can be made: " + diff.error().message};
  return describe(find_cause(*a, *b, *diff), *diff);
}

Status find_reasons(const ExplainOptions& options, const std::string& target,
                    std::vector<Pair>& pairs) {
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  CodeRequest request{options.space, target, {}};
  for (const Pair& pair : pairs) {
    request.ids.push_back(pair.before);
    request.ids.push_back(pair.after);
  }
  PHASEBIT_TRY_ASSIGN(code, code_of(tools, request));
  for (Pair& pair : pairs) pair.reasons = reasons_of(pair, code);
  return {};
}

MeasuredCode code_of(const Aggregation& aggregation, const std::string& id) {
  const Aggregate* found = find_variant(aggregation.points, id);
  return found == nullptr ? MeasuredCode() : MeasuredCode{found->text_hash, found->sass_class};
}

Result<std::vector<Pair>> the_pair(const ExplainOptions& options, const ReportData& data) {
  if (options.toolchains.size() > 2)
    return fail(Step::usage, "--toolchain: one version, or one for each side");
  std::vector<std::string> ids;
  const std::string& second = options.second.empty() ? options.first : options.second;
  for (const std::string& word : {options.first, second}) {
    SpaceRequest request =
        request_of_side(options.space, word, ids.empty() ? second : options.first);
    if (!options.toolchains.empty())
      request.toolchains = {ids.empty() ? options.toolchains.front() : options.toolchains.back()};
    PHASEBIT_TRY_ASSIGN(space, open_one(request, word));
    ids.push_back(space.expansion.variants.front().id);
  }
  if (ids[0] == ids[1])
    return with_hint(fail(Step::usage, "{} twice", ids[0]),
                     "name a second variant, or two toolchains as in --toolchain 12.4,12.5");
  return std::vector<Pair>{{ids[0],
                            ids[1],
                            compare(data.aggregation, ids[0], ids[1]),
                            code_of(data.aggregation, ids[0]),
                            code_of(data.aggregation, ids[1]),
                            {}}};
}

std::vector<Pair> step_pairs(const ReportData& data, double least_percent) {
  const History history = history_of(data);
  std::vector<Pair> pairs;
  for (VersionStep& step : find_steps(history, least_percent))
    pairs.push_back({step.from->id,
                     step.to->id,
                     std::move(step.comparison),
                     {step.from->text_hash, step.from->sass_class},
                     {step.to->text_hash, step.to->sass_class},
                     {}});
  return pairs;
}

Table as_table(const std::vector<Pair>& pairs) {
  Table table;
  table.columns = {
      {"before", false},      {"after", false},     {"cycles before", true},
      {"cycles after", true}, {"difference", true}, {"change", true},
      {"A/A floor", true},    {"verdict", false},   {"what differs in the SASS", false}};
  for (const Pair& pair : pairs) {
    const Comparison& made = pair.comparison;
    table.rows.push_back({text_cell(pair.before),
                          text_cell(pair.after),
                          figure_cell(made.before, table.notes),
                          figure_cell(made.after, table.notes),
                          difference_cell(made.difference),
                          percent_cell(made),
                          {fmt::format("{:.2f}", made.floor), made.floor, {}},
                          text_cell(made.verdict),
                          text_cell(fmt::format("{}", fmt::join(pair.reasons, "; ")))});
  }
  return table;
}

std::string as_text(const Pair& pair) {
  const Comparison& made = pair.comparison;
  std::vector<std::string> notes;
  std::string text = fmt::format("A  {}\nB  {}\n", pair.before, pair.after);
  text += fmt::format("cycles: {} -> {}", figure_cell(made.before, notes).text,
                      figure_cell(made.after, notes).text);
  if (made.difference.reason.empty())
    text += fmt::format(", {} ({}); two measurements of one code differ by up to {:.2f}: {}",
                        difference_cell(made.difference).text, percent_cell(made).text, made.floor,
                        made.verdict);
  text += "\nin the SASS:\n";
  for (const std::string& reason : pair.reasons) text += "  " + reason + "\n";
  for (const std::string& note : notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace

Status run_explain(const ExplainOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table_format(options.json ? "json" : options.format));
  if (options.steps)
    PHASEBIT_TRY(
        take_only(options.space, {}, "--steps", "it is about all variants of the results"));
  if (options.steps != options.first.empty())
    return with_hint(fail(Step::usage, "explain takes two variants, or --steps"),
                     "phasebit explain VARIANT --toolchain 12.4,12.5");
  PHASEBIT_TRY_ASSIGN(data, measured_data(options.results, options.device));
  auto pairs = options.steps ? Result<std::vector<Pair>>(step_pairs(data, options.least_percent))
                             : the_pair(options, data);
  if (!pairs) return tl::unexpected<Error>(pairs.error());
  if (pairs->empty()) {
    fmt::print("no step of more than the floor between two versions of ptxas\n");
    return {};
  }
  PHASEBIT_TRY_ASSIGN(target, measured_target(options.target, data));
  PHASEBIT_TRY(find_reasons(options, target, *pairs));
  if (!options.steps && format == TableFormat::text)
    fmt::print("{}", as_text(pairs->front()));
  else
    fmt::print("{}", render(as_table(*pairs), format));
  return {};
}

}  // namespace phasebit
