#include "join/explain/explain.h"

#include "analysis/compare/cause.h"
#include "analysis/compare/diff.h"
#include "analysis/reading/waits.h"
#include "analysis/report/data/history.h"
#include "analysis/report/report.h"
#include "core/isa/targets.h"
#include "core/launch/external.h"
#include "core/launch/manifest.h"
#include "core/results/flat.h"
#include "core/results/load.h"
#include "gen/kernel/probes.h"
#include "gen/space/catalogue.h"
#include "gen/space/hand_made.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace phasebit::join::explain {

using base::Home;
using reading::CodeSubject;
using reading::Slack;
using report::data::ReportData;
using results::RunRow;

namespace {

// "; the code measured is not ..." when ptxas makes other code of the variant today.
std::string other_code(const std::string& id, const MeasuredCode& measured,
                       const CodeSubject& side) {
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
  const Result<CodeSubject>&a = code.at(pair.before), &b = code.at(pair.after);
  for (const Result<CodeSubject>* side : {&a, &b})
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

}  // namespace

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

namespace {

MeasuredCode code_of(const report::data::Aggregation& aggregation, const std::string& id) {
  const report::data::Aggregate* found = report::data::find_variant(aggregation.points, id);
  return found == nullptr ? MeasuredCode() : MeasuredCode{found->text_hash, found->sass_class};
}

// "NVIDIA H200 GPU-1234", of several GPUs of the model each.
std::string gpu_of(const report::data::ReportData& data, const std::vector<std::string>& ids) {
  std::set<std::string> gpus;
  for (const std::string& id : ids)
    if (const auto* found = report::data::find_variant(data.aggregation.points, id))
      gpus.insert(found->device_uuid);
  const std::string model = data.devices.empty() ? "no GPU" : data.devices.front().name;
  return fmt::format("{}{}{}", model, gpus.empty() ? "" : " ", fmt::join(gpus, ", "));
}

struct ComparedIds {
  std::vector<std::string> ids;     // two
  std::vector<select::Space> read;  // those of them that are kernels of files
};

Result<ComparedIds> pair_of(const ExplainRequest& options) {
  if (options.toolchains.size() > 2)
    return fail(Step::usage, "--toolchain: one version, or one for each side");
  ComparedIds pair;
  std::vector<std::string>& ids = pair.ids;
  const std::string& second = options.second.empty() ? options.first : options.second;
  for (const std::string& word : {options.first, second}) {
    PHASEBIT_TRY_ASSIGN(request, select::request_of_side(options.space, word,
                                                         ids.empty() ? second : options.first));
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
                                       {},
                                       gpu_of(data, ids)}};
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
                     {},
                     gpu_of(data, {step.from->id, step.to->id})});
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

base::Table explained_table(const std::vector<ExplainedPair>& pairs) {
  base::Table table;
  table.columns = {{"before", false},
                   {"after", false},
                   {"cycles before", true},
                   {"cycles after", true},
                   {"difference", true},
                   {"change", true},
                   {"floor", true},
                   {"pairs", false},
                   {"verdict", false},
                   {"GPU", false},
                   {"what differs in the SASS", false}};
  for (const ExplainedPair& pair : pairs) {
    std::vector<base::Cell> row = {pair.before, pair.after};
    report::data::add_comparison(row, pair.comparison, table.notes);
    row.insert(row.end(), {pair.comparison.verdict, pair.gpu,
                           fmt::format("{}", fmt::join(pair.reasons, "; "))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string explained_text(const ExplainedPair& pair) {
  const report::data::Comparison& made = pair.comparison;
  std::vector<std::string> notes;
  std::string text = fmt::format("A  {}\nB  {}\n", pair.before, pair.after);
  text += fmt::format("cycles on {}: {} -> {}", pair.gpu,
                      report::data::figure_cell(made.before, notes).text,
                      report::data::figure_cell(made.after, notes).text);
  if (made.difference.reason.empty())
    text += fmt::format(", {} ({})", report::data::difference_cell(made.difference).text,
                        report::data::percent_cell(made).text);
  if (made.verdict != "no figure")
    text += fmt::format("; the floor is {:.2f}: {} ({})", made.floor, made.verdict,
                        made.pairs.any() ? fmt::format("{} pairs of equal conditions",
                                                       report::data::pairs_text(made))
                                         : report::data::pairs_text(made));
  text += "\nin the SASS:\n";
  for (const std::string& reason : pair.reasons) text += "  " + reason + "\n";
  for (const std::string& note : notes) text += "note: " + note + "\n";
  return text;
}

namespace {

using Name = std::pair<std::string, std::string>;  // verb, opcode

std::map<Name, Slack> slack_by_name(const CodeSubject& side) {
  std::map<Name, Slack> all;
  for (const Slack& one : reading::slack_of(side.kernel, side.source, side.windows))
    all[{one.verb, one.opcode}] = one;
  return all;
}

std::vector<std::string> opcode_lines(const compare::KernelDiff& diff) {
  std::vector<std::string> lines;
  for (const flow::VerbFeatures& one : diff.left.verbs)
    for (const flow::VerbFeatures& other : diff.right.verbs) {
      if (one.role != other.role || one.verb != other.verb) continue;
      const std::string changes = compare::opcode_changes(one.hot, other.hot);
      if (changes.empty()) continue;
      const std::string dot = one.role.empty() || one.verb.empty() ? "" : ".";
      lines.push_back(fmt::format("{}{}{}: {}", one.role, dot, one.verb, changes));
    }
  return lines;
}

}  // namespace

std::vector<std::string> verb_changes(const CodeSubject& left, const CodeSubject& right,
                                      const compare::KernelDiff& diff) {
  std::vector<std::string> lines = opcode_lines(diff);
  const std::map<Name, Slack> before = slack_by_name(left);
  for (const auto& [name, after] : slack_by_name(right)) {
    const auto found = before.find(name);
    if (found == before.end() || std::abs(found->second.mean() - after.mean()) < 1) continue;
    lines.push_back(fmt::format("{} {} x{}: {:.1f} -> {:.1f} issue cycles until its wait",
                                after.verb, after.opcode, after.count, found->second.mean(),
                                after.mean()));
  }
  return lines;
}

Result<CodeSides> code_of(images::Tools& tools, const CodeRequest& request) {
  const std::set<std::string> distinct(request.ids.begin(), request.ids.end());
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(space, select::open_ids(request.space, {distinct.begin(), distinct.end()}));
  for (const select::Space& one : request.read) select::append(space, one);
  space.target = request.target;
  PHASEBIT_TRY_ASSIGN(prepared,
                      images::prepare(space, launch::Build::timed, tools.options.threads));
  CodeSides sides;
  std::mutex mutex;
  images::analyse_images(tools, disassembler, prepared, {{request.target, {}}},
                         [&](std::size_t, std::size_t variant, Result<CodeSubject> subject) {
                           const std::string& id = prepared[variant].key.id;
                           if (subject)
                             subject->name = fmt::format("{} for {}", id, request.target);
                           const std::lock_guard guard(mutex);
                           sides.emplace(id, std::move(subject));
                         });
  return sides;
}

bool is_code_of(const std::string& text_hash, const std::string& sass_class,
                const reading::CodeSubject& side) {
  return text_hash == side.kernel.text_hash && sass_class == side.sass_class;
}

std::vector<fs::path> published_results(const Home& home) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const auto& folder : fs::directory_iterator(home.data / "results", missing))
    if (folder.is_directory())
      for (const auto& file : fs::directory_iterator(folder.path()))
        if (results::is_results_file(file.path())) found.push_back(file.path());
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

// results/*/PART/*.csv.zst
std::vector<std::string> published_in(const Home& home, const char* part) {
  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& folder : fs::directory_iterator(home.data / "results", missing))
    for (const auto& file : fs::directory_iterator(folder.path() / part, missing))
      if (results::is_results_file(file.path())) found.push_back(file.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::string> published_histories(const Home& home) {
  return published_in(home, "history");
}

std::vector<std::string> published_llvm(const Home& home) {
  return published_in(home, "llvm");
}

fs::path tables_folder(const Home& home) {
  return home.data / "analysis" / "report" / "tables";
}

namespace {

class AxisValues {
 public:
  explicit AxisValues(space::Catalogue catalogue) : catalogue_(std::move(catalogue)) {
    for (const std::string& name : space::axis_names(catalogue_))
      if (!space::is_later_axis(catalogue_, name)) names_.insert(name);
  }

  Status check(const results::VariantRow& variant, const std::string& unit) {
    for (const char* free : {space::templates_axis, space::file_axis})
      if (variant.find(free) != nullptr) return {};
    const std::string probe = variant.value("probe");
    if (probe == launch::anchor_probe || probe == launch::external_kind) return {};
    if (variant.has_key())
      for (const auto& [axis, value] : *variant.defaults)
        PHASEBIT_TRY(check_value(variant, axis, value));
    for (const auto& [axis, value] : variant.named) PHASEBIT_TRY(check_value(variant, axis, value));
    const auto value_of = [&](const std::string& axis) { return variant.find(axis); };
    if (!unit.empty() && !kernel::may_have_unit(catalogue_, unit, value_of))
      return fail(Step::store, "column 'unit': {}: the probe {} has no figures in '{}'", variant.id,
                  probe, unit);
    return {};
  }

 private:
  Status check_value(const results::VariantRow& variant, const std::string& axis,
                     const std::string& value) {
    if (!names_.contains(axis) || known_.contains({axis, value})) return {};
    const Status valid = catalogue_.check_value(axis, value);
    if (!valid)
      return with_hint(fail(Step::store, "{}: axis {} has no value '{}'", variant.id, axis, value),
                       valid.error().hint);
    known_.emplace(axis, value);
    return {};
  }

  space::Catalogue catalogue_;
  std::set<std::string> names_;
  std::set<std::pair<std::string, std::string>> known_;
};

}  // namespace

Result<DeclaredAxes> declared_axes(const Home& home) {
  PHASEBIT_TRY_ASSIGN(catalogue, space::Catalogue::load(home.data / "templates"));
  DeclaredAxes axes{space::axis_names(catalogue), {}};
  const auto values = std::make_shared<AxisValues>(std::move(catalogue));
  axes.check = [values](const results::VariantRow& variant, const std::string& unit) {
    return values->check(variant, unit);
  };
  return axes;
}

tl::unexpected<Error> nothing_published(const Home& home, std::string_view what) {
  return with_hint(
      fail(Step::usage, "no {} published under {}", what, (home.data / "results").string()),
      "name a store or a file of results");
}

namespace {

void keep_target(results::Results& results, const std::string& target) {
  std::set<std::string> left_out;
  for (const RunRow& run : results.runs)
    if (run.target != target) left_out.insert(run.id);
  std::erase_if(results.runs, [&](const RunRow& run) { return left_out.contains(run.id); });
  std::erase_if(results.points,
                [&](const results::PointRow& row) { return left_out.contains(row.run_id); });
}

}  // namespace

Result<ReportData> measured_data(const Home& home, std::vector<std::string> results,
                                 const std::string& device, const std::string& target) {
  if (results.empty()) results = published_histories(home);
  if (results.empty()) return nothing_published(home, "history is");
  PHASEBIT_TRY_ASSIGN(loaded,
                      results::load_results({results.begin(), results.end()}, results::no_samples));
  if (!target.empty()) keep_target(loaded, target);
  return report::data::report_data(results::sorted_by_run(std::move(loaded)), device);
}

Result<ReportData> published_data_of(const Home& home, const std::vector<std::string>& ids,
                                     const std::string& device, const std::string& target) {
  const auto has_all = [&](const ReportData& data) {
    return std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
      return report::data::find_variant(data.aggregation.points, id) != nullptr;
    });
  };
  const bool by_compiler = std::any_of(ids.begin(), ids.end(), [](const std::string& id) {
    return id.find("/ptxas=") != std::string::npos || id.find("/llvm=") != std::string::npos;
  });
  std::vector<std::string> all;
  for (const fs::path& file : published_results(home)) all.push_back(file.string());
  const std::vector<std::string> histories = published_histories(home);
  const std::vector<std::string> llvm = published_llvm(home);
  using Sources = std::vector<const std::vector<std::string>*>;
  for (const auto* files :
       by_compiler ? Sources{&histories, &llvm, &all} : Sources{&all, &histories, &llvm}) {
    if (files->empty()) continue;
    auto data = files == &histories ? measured_data(home, {}, device, target)
                                    : last_device_of(*files, device, target);
    if (data && has_all(*data)) return data;
  }
  if (all.empty()) return nothing_published(home, "results are");
  return last_device_of(all, device, target);
}

Result<ReportData> last_device_of(const std::vector<std::string>& files, const std::string& device,
                                  const std::string& target) {
  PHASEBIT_TRY_ASSIGN(loaded,
                      results::load_results({files.begin(), files.end()}, results::no_samples));
  if (!target.empty()) keep_target(loaded, target);
  std::string chosen = device;
  for (const results::DeviceRow& one : loaded.devices)
    if (device.empty()) chosen = std::max(chosen, one.name);
  return report::data::report_data(results::sorted_by_run(std::move(loaded)), chosen);
}

Result<std::string> target_of_rows(const std::string& asked, const ReportData& data,
                                   const std::vector<std::string>& ids) {
  if (!asked.empty()) return asked;
  std::set<std::string> runs, targets;
  for (const results::PointRow* row : data.rows)
    if (std::find(ids.begin(), ids.end(), row->variant_id) != ids.end()) runs.insert(row->run_id);
  for (const RunRow& run : data.runs)
    if (runs.contains(run.id)) targets.insert(run.target);
  if (targets.size() == 1) return *targets.begin();
  return measured_target(asked, data);
}

Result<std::string> measured_target(const std::string& asked, const ReportData& data) {
  if (!asked.empty()) return asked;
  std::set<std::string> targets;
  for (const RunRow& run : data.runs) targets.insert(run.target);
  if (targets.size() == 1) return *targets.begin();
  return with_hint(fail(Step::usage, "the results are of {} targets: {}", targets.size(),
                        fmt::join(targets, ", ")),
                   "give --target");
}

}  // namespace phasebit::join::explain
