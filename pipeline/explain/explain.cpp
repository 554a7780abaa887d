#include "pipeline/explain/explain.h"

#include "analysis/compare/cause.h"
#include "analysis/report/data/history.h"
#include "analysis/report/report.h"
#include "pipeline/explain/measured.h"
#include "pipeline/explain/sides.h"
#include "pipeline/explain/verb_changes.h"
#include "pipeline/select/given.h"
#include "pipeline/select/open_space.h"

#include <algorithm>

namespace phasebit::pipeline::explain {

using compare::DiffSide;

namespace {

// "; the code measured is not ..." when ptxas makes other code of the variant today.
std::string other_code(const std::string& id, const MeasuredCode& measured, const DiffSide& side) {
  if (measured.text_hash.empty() || is_code_of(measured.text_hash, measured.sass_class, side))
    return {};
  if (measured.text_hash == side.kernel.text_hash)
    return fmt::format(
        "{}: the code measured ({}) has the instructions of what is assembled today ({}), but "
        "other data, attributes or launch shape",
        id, measured.sass_class, side.sass_class);
  return fmt::format("{}: the code measured ({}) is not what is assembled today ({})", id,
                     measured.text_hash.substr(0, 6), side.kernel.text_hash.substr(0, 6));
}

std::vector<std::string> reasons_of(const ExplainedPair& pair, const CodeSides& code) {
  const Result<DiffSide>&a = code.at(pair.before), &b = code.at(pair.after);
  for (const Result<DiffSide>* side : {&a, &b})
    if (!*side) return {"no code: " + side->error().message};
  std::vector<std::string> stale;
  for (const std::string& text : {other_code(pair.before, pair.measured_before, *a),
                                  other_code(pair.after, pair.measured_after, *b)})
    if (!text.empty()) stale.push_back(text);
  if (!stale.empty()) return stale;
  const auto diff = compare::diff_kernels(*a, *b);
  if (!diff) return {"no difference can be made: " + diff.error().message};
  std::vector<std::string> lines = compare::describe(compare::find_cause(*a, *b, *diff), *diff);
  if (diff->change == compare::Change::identical || diff->change == compare::Change::data)
    return lines;
  for (std::string& line : verb_changes(*a, *b, *diff)) lines.push_back(std::move(line));
  return lines;
}

// `read` are the pairs' variants that are kernels of files; all others are named by their ids.
Status find_reasons(const ExplainRequest& options, const std::string& target,
                    const std::vector<select::Space>& read, std::vector<ExplainedPair>& pairs) {
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  CodeRequest request{options.space, target, {}, read};
  const auto is_read = [&](const std::string& id) {
    return std::any_of(read.begin(), read.end(), [&](const select::Space& space) {
      return space.expansion.variants.front().id == id;
    });
  };
  for (const ExplainedPair& pair : pairs)
    for (const std::string& id : {pair.before, pair.after})
      if (!is_read(id)) request.ids.push_back(id);
  PHASEBIT_TRY_ASSIGN(code, code_of(tools, request));
  for (ExplainedPair& pair : pairs) pair.reasons = reasons_of(pair, code);
  return {};
}

MeasuredCode code_of(const report::data::Aggregation& aggregation, const std::string& id) {
  const report::data::Aggregate* found = report::data::find_variant(aggregation.points, id);
  return found == nullptr ? MeasuredCode() : MeasuredCode{found->text_hash, found->sass_class};
}

struct Pair {
  std::vector<std::string> ids;     // two
  std::vector<select::Space> read;  // those of them that are kernels of files
};

Result<Pair> pair_of(const ExplainRequest& options) {
  if (options.toolchains.size() > 2)
    return fail(Step::usage, "--toolchain: one version, or one for each side");
  Pair pair;
  std::vector<std::string>& ids = pair.ids;
  const std::string& second = options.second.empty() ? options.first : options.second;
  for (const std::string& word : {options.first, second}) {
    select::SpaceRequest request =
        select::request_of_side(options.space, word, ids.empty() ? second : options.first);
    if (!options.toolchains.empty())
      request.toolchains = {ids.empty() ? options.toolchains.front() : options.toolchains.back()};
    PHASEBIT_TRY_ASSIGN(space, select::open_one(request, word));
    ids.push_back(space.expansion.variants.front().id);
    if (!space.files.empty()) pair.read.push_back(std::move(space));
  }
  if (ids[0] == ids[1])
    return with_hint(fail(Step::usage, "{} twice", ids[0]),
                     "name a second variant, or two toolchains as in --toolchain 12.4,12.5");
  return pair;
}

Result<std::vector<ExplainedPair>> explain_pair(const ExplainRequest& options) {
  PHASEBIT_TRY_ASSIGN(pair, pair_of(options));
  const std::vector<std::string>& ids = pair.ids;
  const base::Home& home = options.space.home;
  PHASEBIT_TRY_ASSIGN(data,
                      options.results.empty()
                          ? published_data_of(home, ids, options.device, options.target)
                          : measured_data(home, options.results, options.device, options.target));
  std::vector<ExplainedPair> pairs = {{ids[0],
                                       ids[1],
                                       report::data::compare(data.aggregation, ids[0], ids[1]),
                                       code_of(data.aggregation, ids[0]),
                                       code_of(data.aggregation, ids[1]),
                                       {}}};
  PHASEBIT_TRY_ASSIGN(target, target_of_rows(options.target, data, ids));
  PHASEBIT_TRY(find_reasons(options, target, pair.read, pairs));
  return pairs;
}

std::vector<ExplainedPair> step_pairs(const report::data::ReportData& data, double least_percent) {
  const report::data::History history = report::data::history_of(data);
  std::vector<ExplainedPair> pairs;
  for (report::data::VersionStep& step : report::data::find_steps(history, least_percent))
    pairs.push_back({step.from->id,
                     step.to->id,
                     std::move(step.comparison),
                     {step.from->text_hash, step.from->sass_class},
                     {step.to->text_hash, step.to->sass_class},
                     {}});
  return pairs;
}

}  // namespace

Result<std::vector<ExplainedPair>> explain(const ExplainRequest& options) {
  if (options.steps)
    PHASEBIT_TRY(
        select::take_only(options.space, {}, "--steps", "it is about all variants of the results"));
  if (options.steps != options.first.empty())
    return with_hint(fail(Step::usage, "explain takes two variants, or --steps"),
                     "phasebit explain VARIANT --toolchain 12.4,12.5");
  if (!options.steps) return explain_pair(options);
  PHASEBIT_TRY_ASSIGN(
      data, measured_data(options.space.home, options.results, options.device, options.target));
  std::vector<ExplainedPair> pairs = step_pairs(data, options.least_percent);
  if (pairs.empty()) return pairs;
  PHASEBIT_TRY_ASSIGN(target, measured_target(options.target, data));
  PHASEBIT_TRY(find_reasons(options, target, {}, pairs));
  return pairs;
}

table::Table explained_table(const std::vector<ExplainedPair>& pairs) {
  table::Table table;
  table.columns = {
      {"before", false},      {"after", false},     {"cycles before", true},
      {"cycles after", true}, {"difference", true}, {"change", true},
      {"A/A floor", true},    {"verdict", false},   {"what differs in the SASS", false}};
  for (const ExplainedPair& pair : pairs) {
    std::vector<table::Cell> row = {pair.before, pair.after};
    report::data::add_comparison(row, pair.comparison, table.notes);
    row.insert(row.end(),
               {pair.comparison.verdict, fmt::format("{}", fmt::join(pair.reasons, "; "))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string explained_text(const ExplainedPair& pair) {
  const report::data::Comparison& made = pair.comparison;
  std::vector<std::string> notes;
  std::string text = fmt::format("A  {}\nB  {}\n", pair.before, pair.after);
  text += fmt::format("cycles: {} -> {}", report::data::figure_cell(made.before, notes).text,
                      report::data::figure_cell(made.after, notes).text);
  if (made.difference.reason.empty())
    text += fmt::format(", {} ({}); two measurements of one code differ by up to {:.2f}: {}",
                        report::data::difference_cell(made.difference).text,
                        report::data::percent_cell(made).text, made.floor, made.verdict);
  text += "\nin the SASS:\n";
  for (const std::string& reason : pair.reasons) text += "  " + reason + "\n";
  for (const std::string& note : notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace phasebit::pipeline::explain
