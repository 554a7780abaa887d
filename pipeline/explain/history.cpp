#include "analysis/report/tables/history.h"

#include "analysis/compare/cause.h"
#include "analysis/compare/summary.h"
#include "analysis/flow/census.h"
#include "cli/commands.h"
#include "pipeline/explain/measured.h"
#include "pipeline/explain/sides.h"
#include "pipeline/reduce/reduce.h"
#include "pipeline/select/open_space.h"

#include <cmath>
#include <cstdio>

namespace phasebit {
namespace {

// One version: its code beside that of the version before.
struct Entry {
  std::string ptxas, choice, id;   // the version; as the axis has it
  const DiffSide* side = nullptr;  // null: no code
  std::string problem;             // why
  Features features;
  std::optional<Change> change;      // from the last version that has code
  std::vector<std::string> changes;  // in words
  CodeCounts hot;                    // of all timed loops
  Figure figure;                     // "not measured" without one
  std::optional<Comparison> step;    // from the last version that was measured
};

using Sides = std::map<std::string, Result<DiffSide>>;

std::string version_of(const std::string& ptxas) {
  return ptxas.empty() ? pinned_toolchain : ptxas;
}

// The id of the text by each version, in the order given.
std::vector<Entry> entries_of(const VariantKey& text, const std::vector<std::string>& versions) {
  std::vector<Entry> entries;
  AssemblerChoice choice = assembler_of(text);
  for (const std::string& ptxas : versions) {
    choice.ptxas = ptxas;
    Entry entry;
    entry.ptxas = version_of(ptxas);
    entry.choice = ptxas;
    entry.id = with_assembler(text, choice).id;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Status compare_code(std::vector<Entry>& entries, const Sides& sides) {
  const DiffSide* before = nullptr;
  for (Entry& entry : entries) {
    const Result<DiffSide>& side = sides.at(entry.id);
    if (!side) {
      entry.problem = side.error().message;
      continue;
    }
    entry.side = &*side;
    // Against itself where there is none before: its features are those of the diff.
    PHASEBIT_TRY_ASSIGN(diff, diff_kernels(before == nullptr ? *side : *before, *side));
    entry.features = diff.right;
    entry.hot = hot_code(diff.right);
    if (before != nullptr) {
      entry.change = diff.change;
      entry.changes = describe(find_cause(*before, *side, diff), diff);
    }
    before = &*side;
  }
  return {};
}

// Figures of the code that is assembled today; of other code they would mislead.
void add_figures(std::vector<Entry>& entries, const ReportData& data) {
  const Entry* before = nullptr;
  for (Entry& entry : entries) {
    const Aggregate* found = find_variant(data.aggregation.points, entry.id);
    if (found != nullptr && entry.side != nullptr && !found->text_hash.empty() &&
        !is_code_of(found->text_hash, found->sass_class, *entry.side))
      entry.figure.id = entry.id, entry.figure.reason = "measured with other code";
    else
      entry.figure = figure_of(found, entry.id);
    if (!entry.figure.reason.empty()) continue;
    if (before != nullptr) entry.step = compare(data.aggregation, before->id, entry.id);
    before = &entry;
  }
}

Cell number_cell(int number) {
  return {std::to_string(number), static_cast<double>(number), {}};
}

std::string words_of(const Entry& entry) {
  if (!entry.problem.empty()) return entry.problem;
  if (!entry.change) return "";
  if (*entry.change == Change::identical) return "the same code";
  return fmt::format("{}: {}", to_string(*entry.change), fmt::join(entry.changes, "; "));
}

Table as_table(const std::vector<Entry>& entries) {
  Table table;
  table.columns = {{"ptxas", false},       {"class", false},
                   {"instructions", true}, {"registers", true},
                   {"hot", true},          {"issue cycles", true},
                   {"cycles", true},       {"difference", true},
                   {"verdict", false},     {"what changed from the version before", false}};
  std::vector<std::string> ignored;
  for (const Entry& entry : entries) {
    const bool code = entry.side != nullptr;
    const bool step = entry.step && entry.step->is_step();
    table.rows.push_back(
        {text_cell(entry.ptxas), text_cell(code ? entry.side->kernel.text_hash.substr(0, 6) : "-"),
         code ? number_cell(entry.features.kernel.instructions) : text_cell(""),
         code ? number_cell(entry.features.registers) : text_cell(""),
         code ? number_cell(entry.hot.instructions) : text_cell(""),
         code ? number_cell(entry.hot.issue_cycles) : text_cell(""),
         figure_cell(entry.figure, entry.figure.reason == "not measured" ? ignored : table.notes),
         step ? difference_cell(entry.step->difference) : text_cell(""),
         text_cell(step ? entry.step->verdict : ""), text_cell(words_of(entry))});
  }
  return table;
}

// Instructions of a turn whose opcode matches the pattern.
int count_of(const Entry& entry, const std::string& pattern) {
  int count = 0;
  for (const auto& [opcode, times] : entry.hot.opcodes)
    if (opcode_matches(pattern, opcode)) count += times;
  return count;
}

// The two versions between which something changed most: the class, the cycles, or how many
// instructions of an opcode a turn runs.
Result<std::pair<const Entry*, const Entry*>> find_change(const std::vector<Entry>& entries,
                                                          const std::string& what) {
  const Entry *before = nullptr, *measured = nullptr;
  std::pair<const Entry*, const Entry*> found;
  double largest = 0;
  for (const Entry& entry : entries) {
    if (entry.side == nullptr) continue;
    if (what == "cycles") before = measured;
    if (entry.figure.reason.empty()) measured = &entry;
    double size = 0;
    if (what == "class" && before != nullptr)
      size = static_cast<double>(entry.change.value_or(Change::identical));
    else if (what == "cycles" && entry.step && entry.step->is_step())
      size = std::abs(entry.step->difference.value);
    else if (before != nullptr)
      size = std::abs(count_of(entry, what) - count_of(*before, what));
    if (size > largest) found = {before, &entry}, largest = size;
    before = &entry;
  }
  if (found.second != nullptr) return found;
  return with_hint(fail(Step::usage, "--bisect {}: no version changed it", what),
                   "class, cycles (where measured), or an opcode such as YIELD or 'MEMBAR*'");
}

Result<std::vector<std::string>> chosen_versions(const SassHistoryOptions& options) {
  AssemblerAxes axes;
  const std::vector<std::string> all = {"all"};
  PHASEBIT_TRY(
      set_assembler_axis(axes, "ptxas", options.toolchains.empty() ? all : options.toolchains));
  if (axes.ptxas.size() < 2)
    return with_hint(fail(Step::usage, "a history needs two versions of ptxas or more"),
                     "run tools/toolchain all");
  return axes.ptxas;
}

// Without results the history is that of the code alone.
Result<std::optional<ReportData>> figures_for(const SassHistoryOptions& options) {
  if (options.results.empty() && published_histories().empty()) return std::optional<ReportData>();
  PHASEBIT_TRY_ASSIGN(data, measured_data(options.results, options.device));
  return std::optional<ReportData>(std::move(data));
}

// Says where it changed and writes the smallest PTX that shows it.
Status bisect(const SassHistoryOptions& options, Tools& tools, const Space& space,
              const std::string& target, const std::vector<Entry>& entries) {
  PHASEBIT_TRY_ASSIGN(found, find_change(entries, options.bisect));
  const Entry &before = *found.first, &after = *found.second;
  fmt::print("{} changed most from ptxas {} to {}\n", options.bisect, before.ptxas, after.ptxas);
  for (const std::string& line : after.changes) fmt::print("  {}\n", line);
  if (options.out.empty()) {
    fmt::print("the smallest PTX that shows it: the same with -o FILE\n");
    return {};
  }
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, 1));
  ReduceRequest request;
  if (options.bisect != "class" && options.bisect != "cycles") request.opcode = options.bisect;
  request.file = fs::path(options.out).filename().string();
  std::array<ReduceSide, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    AssemblerChoice choice = assembler_of(prepared.front().key);
    choice.ptxas = (i == 0 ? before : after).choice;
    sides[i] = {target, choice};
  }
  PHASEBIT_TRY_ASSIGN(made, reduce_difference(tools, prepared.front(), sides, request));
  PHASEBIT_TRY(write_file(options.out, made.text));
  fmt::print("{}: {} in {} statements of {}\n", options.out, made.opcode, made.last_statements,
             made.first_statements);
  return {};
}

}  // namespace

Status run_sass_history(const SassHistoryOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(versions, chosen_versions(options));
  PHASEBIT_TRY_ASSIGN(data, figures_for(options));
  std::string target = options.target.empty() ? "sm_90a" : options.target;
  if (data && options.target.empty()) {
    PHASEBIT_TRY_ASSIGN(measured, measured_target({}, *data));
    target = measured;
  }
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(space, open_one(options.space, options.variant));
  std::vector<Entry> entries = entries_of(space.expansion.variants.front(), versions);
  CodeRequest request{options.space, target, {}};
  for (const Entry& entry : entries) request.ids.push_back(entry.id);
  PHASEBIT_TRY_ASSIGN(sides, code_of(tools, request));
  PHASEBIT_TRY(compare_code(entries, sides));
  if (data) add_figures(entries, *data);
  if (!options.bisect.empty()) return bisect(options, tools, space, target, entries);
  if (format == TableFormat::text)
    fmt::print("{} for {}\n", text_key(space.expansion.variants.front()).id, target);
  fmt::print("{}", render(as_table(entries), format));
  return {};
}

}  // namespace phasebit
