#include "join/explain/history.h"

#include "analysis/compare/cause.h"
#include "analysis/compare/summary.h"
#include "analysis/flow/census.h"
#include "analysis/report/data/history.h"
#include "core/base/text.h"
#include "gen/ptxas/toolchain.h"
#include "gen/space/compilers.h"
#include "join/explain/explain.h"
#include "join/reduce/reduce.h"
#include "join/select/open_space.h"
#include "join/select/ptx_files.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace phasebit::join::explain {
namespace {

// The id of the text by each version, in the order given.
std::vector<HistoryEntry> entries_of(const space::Catalogue& catalogue,
                                     const launch::VariantKey& text,
                                     const std::vector<ptxas::InstalledToolchain>& versions) {
  std::vector<HistoryEntry> entries;
  for (const ptxas::InstalledToolchain& version : versions) {
    HistoryEntry entry;
    entry.ptxas = version.version.text();
    entry.choice = version.choice();
    entry.id = space::by_ptxas(catalogue, text, entry.ptxas).id;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Status compare_code(std::vector<HistoryEntry>& entries, const CodeSides& sides) {
  const reading::CodeSubject* before = nullptr;
  for (HistoryEntry& entry : entries) {
    const Result<reading::CodeSubject>& side = sides.at(entry.id);
    if (!side) {
      entry.problem = side.error().message;
      continue;
    }
    entry.side = &*side;
    // Against itself where there is none before: its features are those of the diff.
    PHASEBIT_TRY_ASSIGN(diff, compare::diff_kernels(before == nullptr ? *side : *before, *side));
    entry.features = diff.right;
    entry.hot = compare::hot_code(diff.right);
    if (before != nullptr) {
      entry.change = diff.change;
      entry.changes = compare::describe(compare::find_cause(*before, *side, diff), diff);
    }
    before = &*side;
  }
  return {};
}

// Figures of the code that is assembled today; of other code they would mislead.
void add_figures(std::vector<HistoryEntry>& entries, const report::data::ReportData& data) {
  const HistoryEntry* before = nullptr;
  for (HistoryEntry& entry : entries) {
    const report::data::Aggregate* found =
        report::data::find_variant(data.aggregation.points, entry.id);
    if (found != nullptr && entry.side != nullptr && !found->text_hash.empty() &&
        !is_code_of(found->text_hash, found->sass_class, *entry.side))
      entry.figure.id = entry.id,
      entry.figure.reason = report::data::unusable("measured with other code");
    else
      entry.figure = report::data::figure_of(found, entry.id);
    if (!entry.figure.reason.empty()) continue;
    if (before != nullptr)
      entry.step = report::data::compare(data.aggregation, before->id, entry.id);
    before = &entry;
  }
}

// Where instructions are counted, in words.
const std::map<std::string, std::string>& counting_words() {
  static const std::map<std::string, std::string> words = {
      {"hot", "on the hot paths"}, {"loops", "in loops"}, {"all", "in the kernel"}};
  return words;
}

bool is_opcode(const std::string& what) {
  return what != "class" && what != "cycles";
}

Status check_count(const HistoryRequest& options) {
  if (options.count.empty()) return {};
  if (!is_opcode(options.bisect))
    return fail(Step::usage, "--count {}: --bisect {} counts no instructions", options.count,
                options.bisect);
  std::vector<std::string> words;
  for (const auto& [word, text] : counting_words()) words.push_back(word);
  if (options.count == "hot" && !options.out.empty())
    return with_hint(fail(Step::usage, "--count hot: -o shows a change in loops or in the kernel"),
                     "--count loops or all with -o");
  if (counting_words().contains(options.count)) return {};
  return with_hint(fail(Step::usage, "--count {}: no such place to count in", options.count),
                   base::nearest_word_hint(options.count, words));
}

// Instructions whose opcode matches the pattern.
Result<int> count_of(const HistoryEntry& entry, const std::string& pattern,
                     const std::string& where) {
  if (where != "hot") {
    PHASEBIT_TRY_ASSIGN(census, flow::take_opcode_census(entry.side->kernel));
    return census.count(pattern).of(where == "all" ? flow::CountIn::kernel : flow::CountIn::loops);
  }
  int count = 0;
  for (const auto& [opcode, times] : entry.hot.opcodes)
    if (isa::opcode_matches(pattern, opcode)) count += times;
  return count;
}

// The two versions between which something changed most.
struct FoundChange {
  const HistoryEntry *before = nullptr, *after = nullptr;
  std::string counted;  // as in VersionHistory
};

// How many instructions of an opcode each version has.
Result<FoundChange> find_count_change(const std::vector<HistoryEntry>& entries,
                                      const std::string& pattern, const std::string& where) {
  FoundChange found;
  const HistoryEntry* before = nullptr;
  int last = 0, largest = 0;
  for (const HistoryEntry& entry : entries) {
    if (entry.side == nullptr) continue;
    PHASEBIT_TRY_ASSIGN(count, count_of(entry, pattern, where));
    if (before != nullptr && std::abs(count - last) > largest) {
      largest = std::abs(count - last);
      found = {before, &entry, fmt::format("{} -> {} {}", last, count, counting_words().at(where))};
    }
    before = &entry, last = count;
  }
  return found;
}

// The class, or the cycles where they were measured.
FoundChange find_largest(const std::vector<HistoryEntry>& entries, bool of_cycles) {
  FoundChange found;
  const HistoryEntry* before = nullptr;
  double largest = 0;
  for (const HistoryEntry& entry : entries) {
    if (entry.side == nullptr || (of_cycles && !entry.figure.reason.empty())) continue;
    double size = 0;
    if (!of_cycles && before != nullptr)
      size = static_cast<double>(entry.change.value_or(compare::Change::identical));
    if (of_cycles && entry.step && entry.step->is_step())
      size = std::abs(entry.step->difference.value);
    if (size > largest) found = {before, &entry, {}}, largest = size;
    before = &entry;
  }
  return found;
}

Result<FoundChange> find_change(const std::vector<HistoryEntry>& entries,
                                const HistoryRequest& options) {
  const std::string where = options.count.empty() ? "loops" : options.count;
  const bool opcode = is_opcode(options.bisect);
  PHASEBIT_TRY_ASSIGN(
      found, opcode ? find_count_change(entries, options.bisect, where)
                    : Result<FoundChange>(find_largest(entries, options.bisect == "cycles")));
  if (found.after != nullptr) return found;
  if (opcode)
    return with_hint(
        fail(Step::usage, "--bisect {}: as often {} by every version", options.bisect,
             counting_words().at(where)),
        "an opcode such as YIELD or 'MEMBAR*'; --count hot, loops or all says where it "
        "is counted");
  return with_hint(fail(Step::usage, "--bisect {}: no version changed it", options.bisect),
                   "class, cycles (where measured), or an opcode such as YIELD or 'MEMBAR*'");
}

Result<std::vector<ptxas::InstalledToolchain>> chosen_versions(const HistoryRequest& options) {
  const std::vector<std::string> all = {"all"};
  PHASEBIT_TRY_ASSIGN(
      versions, ptxas::installed_named(options.space.home,
                                       options.toolchains.empty() ? all : options.toolchains));
  if (versions.size() < 2)
    return with_hint(fail(Step::usage, "a history needs two versions of ptxas or more"),
                     "run tools/toolchain all");
  return versions;
}

// Without results the history is that of the code alone.
Result<std::optional<report::data::ReportData>> figures_for(const HistoryRequest& options) {
  if (options.results.empty() && published_histories(options.space.home).empty())
    return std::optional<report::data::ReportData>();
  PHASEBIT_TRY_ASSIGN(
      data, measured_data(options.space.home, options.results, options.device, options.target));
  return std::optional<report::data::ReportData>(std::move(data));
}

// The smallest PTX that shows it.
Result<reduce::Reduction> reduce_change(const HistoryRequest& options, images::Tools& tools,
                                        const select::Space& space, const std::string& target,
                                        const HistoryEntry& before, const HistoryEntry& after) {
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, launch::Build::timed, 1));
  reduce::ReduceRequest request;
  if (is_opcode(options.bisect)) request.opcode = options.bisect;
  if (options.count == "all") request.where = flow::CountIn::kernel;
  request.file = fs::path(options.out).filename().string();
  std::array<reduce::ReduceSide, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    ptxas::AssemblerChoice choice = prepared.front().choice;
    choice.ptxas = (i == 0 ? before : after).choice;
    sides[i] = {target, choice};
  }
  return reduce::reduce_difference(tools, prepared.front(), sides, request);
}

Status bisect(const HistoryRequest& options, images::Tools& tools, const select::Space& space,
              VersionHistory& history) {
  PHASEBIT_TRY_ASSIGN(found, find_change(history.entries, options));
  history.change = {found.before, found.after};
  history.counted = found.counted;
  if (options.out.empty()) return {};
  PHASEBIT_TRY_ASSIGN(
      made, reduce_change(options, tools, space, history.target, *found.before, *found.after));
  history.smallest = std::move(made);
  return {};
}

std::string words_of(const HistoryEntry& entry) {
  if (!entry.problem.empty()) return entry.problem;
  if (!entry.change) return "";
  if (*entry.change == compare::Change::identical) return "the same code";
  return fmt::format("{}: {}", compare::to_string(*entry.change), fmt::join(entry.changes, "; "));
}

}  // namespace

Result<VersionHistory> version_history(const HistoryRequest& options) {
  PHASEBIT_TRY(check_count(options));
  PHASEBIT_TRY_ASSIGN(versions, chosen_versions(options));
  PHASEBIT_TRY_ASSIGN(data, figures_for(options));
  VersionHistory history;
  history.target =
      options.target.empty() ? select::default_target(options.variant) : options.target;
  if (data && options.target.empty()) {
    PHASEBIT_TRY_ASSIGN(measured, measured_target({}, *data));
    history.target = measured;
  }
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(space, select::open_one(options.space, options.variant));
  history.text = space::text_key(space.catalogue, space.expansion.variants.front()).id;
  history.entries = entries_of(space.catalogue, space.expansion.variants.front(), versions);
  CodeRequest request{options.space, history.target, {}, {}};
  for (const HistoryEntry& entry : history.entries) request.ids.push_back(entry.id);
  PHASEBIT_TRY_ASSIGN(sides, code_of(tools, request));
  history.sides = std::move(sides);
  PHASEBIT_TRY(compare_code(history.entries, history.sides));
  if (data) add_figures(history.entries, *data);
  if (!options.bisect.empty()) PHASEBIT_TRY(bisect(options, tools, space, history));
  return history;
}

base::Table history_table(const std::vector<HistoryEntry>& entries) {
  base::Table table;
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
         code ? base::Cell(entry.features.kernel.instructions) : base::Cell(),
         code ? base::Cell(entry.features.registers) : base::Cell(),
         code ? base::Cell(entry.hot.instructions) : base::Cell(),
         code ? base::Cell(entry.hot.issue_cycles) : base::Cell(),
         report::data::figure_cell(entry.figure,
                                   entry.figure.reason.what == report::data::Missing::not_measured
                                       ? ignored
                                       : table.notes),
         step ? report::data::difference_cell(entry.step->difference) : base::Cell(),
         step ? entry.step->verdict : "", words_of(entry)});
  }
  return table;
}

}  // namespace phasebit::join::explain
