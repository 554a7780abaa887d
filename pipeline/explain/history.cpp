#include "pipeline/explain/history.h"

#include "analysis/compare/cause.h"
#include "analysis/compare/summary.h"
#include "analysis/flow/census.h"
#include "analysis/report/tables/history.h"
#include "pipeline/explain/measured.h"
#include "pipeline/explain/sides.h"
#include "pipeline/reduce/reduce.h"
#include "pipeline/select/open_space.h"

#include <cmath>
#include <cstdio>

namespace phasebit {
namespace {

std::string version_of(const std::string& ptxas) {
  return ptxas.empty() ? pinned_toolchain : ptxas;
}

// The id of the text by each version, in the order given.
std::vector<HistoryEntry> entries_of(const VariantKey& text,
                                     const std::vector<std::string>& versions) {
  std::vector<HistoryEntry> entries;
  AssemblerChoice choice = assembler_of(text);
  for (const std::string& ptxas : versions) {
    choice.ptxas = ptxas;
    HistoryEntry entry;
    entry.ptxas = version_of(ptxas);
    entry.choice = ptxas;
    entry.id = with_assembler(text, choice).id;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Status compare_code(std::vector<HistoryEntry>& entries, const CodeSides& sides) {
  const DiffSide* before = nullptr;
  for (HistoryEntry& entry : entries) {
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
void add_figures(std::vector<HistoryEntry>& entries, const ReportData& data) {
  const HistoryEntry* before = nullptr;
  for (HistoryEntry& entry : entries) {
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

// Instructions of a turn whose opcode matches the pattern.
int count_of(const HistoryEntry& entry, const std::string& pattern) {
  int count = 0;
  for (const auto& [opcode, times] : entry.hot.opcodes)
    if (opcode_matches(pattern, opcode)) count += times;
  return count;
}

// The two versions between which something changed most: the class, the cycles, or how many
// instructions of an opcode a turn runs.
Result<std::pair<const HistoryEntry*, const HistoryEntry*>> find_change(
    const std::vector<HistoryEntry>& entries, const std::string& what) {
  const HistoryEntry *before = nullptr, *measured = nullptr;
  std::pair<const HistoryEntry*, const HistoryEntry*> found;
  double largest = 0;
  for (const HistoryEntry& entry : entries) {
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

Result<std::vector<std::string>> chosen_versions(const HistoryRequest& options) {
  AssemblerAxes axes;
  const std::vector<std::string> all = {"all"};
  PHASEBIT_TRY(set_assembler_axis(options.space.home, axes, "ptxas",
                                  options.toolchains.empty() ? all : options.toolchains));
  if (axes.ptxas.size() < 2)
    return with_hint(fail(Step::usage, "a history needs two versions of ptxas or more"),
                     "run tools/toolchain all");
  return axes.ptxas;
}

// Without results the history is that of the code alone.
Result<std::optional<ReportData>> figures_for(const HistoryRequest& options) {
  if (options.results.empty() && published_histories(options.space.home).empty())
    return std::optional<ReportData>();
  PHASEBIT_TRY_ASSIGN(data, measured_data(options.space.home, options.results, options.device));
  return std::optional<ReportData>(std::move(data));
}

// The smallest PTX that shows it.
Result<Reduction> reduce_change(const HistoryRequest& options, Tools& tools, const Space& space,
                                const std::string& target, const HistoryEntry& before,
                                const HistoryEntry& after) {
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
  return reduce_difference(tools, prepared.front(), sides, request);
}

Status bisect(const HistoryRequest& options, Tools& tools, const Space& space,
              VersionHistory& history) {
  PHASEBIT_TRY_ASSIGN(found, find_change(history.entries, options.bisect));
  history.change = found;
  if (options.out.empty()) return {};
  PHASEBIT_TRY_ASSIGN(
      made, reduce_change(options, tools, space, history.target, *found.first, *found.second));
  history.smallest = std::move(made);
  return {};
}

std::string words_of(const HistoryEntry& entry) {
  if (!entry.problem.empty()) return entry.problem;
  if (!entry.change) return "";
  if (*entry.change == Change::identical) return "the same code";
  return fmt::format("{}: {}", to_string(*entry.change), fmt::join(entry.changes, "; "));
}

}  // namespace

Result<VersionHistory> version_history(const HistoryRequest& options) {
  PHASEBIT_TRY_ASSIGN(versions, chosen_versions(options));
  PHASEBIT_TRY_ASSIGN(data, figures_for(options));
  VersionHistory history;
  history.target = options.target.empty() ? "sm_90a" : options.target;
  if (data && options.target.empty()) {
    PHASEBIT_TRY_ASSIGN(measured, measured_target({}, *data));
    history.target = measured;
  }
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(space, open_one(options.space, options.variant));
  history.text = text_key(space.expansion.variants.front()).id;
  history.entries = entries_of(space.expansion.variants.front(), versions);
  CodeRequest request{options.space, history.target, {}};
  for (const HistoryEntry& entry : history.entries) request.ids.push_back(entry.id);
  PHASEBIT_TRY_ASSIGN(sides, code_of(tools, request));
  history.sides = std::move(sides);
  PHASEBIT_TRY(compare_code(history.entries, history.sides));
  if (data) add_figures(history.entries, *data);
  if (!options.bisect.empty()) PHASEBIT_TRY(bisect(options, tools, space, history));
  return history;
}

Table history_table(const std::vector<HistoryEntry>& entries) {
  Table table;
  table.columns = {{"ptxas", false},       {"class", false},
                   {"instructions", true}, {"registers", true},
                   {"hot", true},          {"issue cycles", true},
                   {"cycles", true},       {"difference", true},
                   {"verdict", false},     {"what changed from the version before", false}};
  std::vector<std::string> ignored;
  for (const HistoryEntry& entry : entries) {
    const bool code = entry.side != nullptr;
    const bool step = entry.step && entry.step->is_step();
    table.rows.push_back(
        {entry.ptxas, code ? entry.side->kernel.text_hash.substr(0, 6) : "-",
         code ? Cell(entry.features.kernel.instructions) : Cell(),
         code ? Cell(entry.features.registers) : Cell(),
         code ? Cell(entry.hot.instructions) : Cell(), code ? Cell(entry.hot.issue_cycles) : Cell(),
         figure_cell(entry.figure, entry.figure.reason == "not measured" ? ignored : table.notes),
         step ? difference_cell(entry.step->difference) : Cell(), step ? entry.step->verdict : "",
         words_of(entry)});
  }
  return table;
}

}  // namespace phasebit
