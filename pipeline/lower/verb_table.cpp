#include "pipeline/lower/verb_table.h"

#include "analysis/compare/diff_report.h"
#include "analysis/report/data/difference.h"
#include "core/rule/synchronisation.h"
#include "gen/llvm/options.h"
#include "gen/llvm/program_path.h"
#include "gen/probes/make_plan.h"
#include "gen/space/hand_made.h"
#include "pipeline/explain/measured.h"
#include "pipeline/explain/sides.h"
#include "pipeline/lower/spoken.h"
#include "pipeline/select/open_space.h"

#include <array>
#include <set>

namespace phasebit::pipeline::lower {

using compare::DiffSide;
using compare::KernelDiff;
using image::VariantKey;
using report::data::Aggregate;
using report::data::Figure;
using table::Cell;

namespace {

constexpr const char* verb_probe = "verb";
constexpr const char* size_axis = "num_stages";
// Of a ring and a hand-off, in the order in which an item passes them.
constexpr std::array<const char*, 6> ring_verbs = {"acquire", "fill",  "commit",
                                                   "wait",    "drain", "release"};

std::vector<std::string> verbs_of(const VariantKey& key) {
  if (const std::string one = key.value(verb_probe); key.value("probe") == verb_probe)
    return {one.empty() ? "wait" : one};
  return {ring_verbs.begin(), ring_verbs.end()};
}

// One variant by both origins.
struct Pair {
  VariantKey ours, llvms;  // of the templates' PTX; of LLVM's
};

struct Spoken {
  std::vector<std::string> ir, llvm, ours;
};

// What is said of one verb of the pair; Step::render as the renderer and LLVM say it.
class Speaker {
 public:
  Speaker(const select::Space& space, std::set<std::string> speaking)
      : space_(space),
        maker_(space),
        renderer_(space.catalogue, space.templates),
        speaking_(std::move(speaking)) {}

  Status take(const Pair& pair) {
    PHASEBIT_TRY_ASSIGN(plan, probes::make_plan(space_.catalogue, space::template_key(pair.llvms)));
    PHASEBIT_TRY_ASSIGN(ir, renderer_.render_ir(pair.llvms, plan));
    PHASEBIT_TRY_ASSIGN(llvm, maker_.make(pair.llvms, image::Build::timed));
    PHASEBIT_TRY_ASSIGN(ours, maker_.make(pair.ours, image::Build::timed));
    ir_ = std::move(ir);
    llvm_ = std::move(llvm);
    ours_ = std::move(ours);
    return {};
  }
  Spoken of(const std::string& verb) const {
    return {spoken_ir(ir_, verb), spoken_ptx(llvm_, verb, speaking_),
            spoken_ptx(ours_, verb, speaking_)};
  }

 private:
  const select::Space& space_;
  images::VariantMaker maker_;
  render::Renderer renderer_;
  std::set<std::string> speaking_;
  render::Rendered ir_, llvm_, ours_;
};

const flow::VerbFeatures* features_of(const flow::Features& features, const std::string& verb) {
  for (const flow::VerbFeatures& one : features.verbs)
    if (one.verb == verb) return &one;
  return nullptr;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += fmt::format("{}`{}`", text.empty() ? "" : " ", word);
  return text.empty() ? "-" : text;
}

// Of LLVM's hot path: opcodes that synchronise, then what it has more and less than the templates'.
std::pair<std::string, std::string> sass_of(const KernelDiff& diff, const std::string& verb,
                                            const std::string& family) {
  const flow::VerbFeatures *ours = features_of(diff.left, verb),
                           *llvm = features_of(diff.right, verb);
  if (ours == nullptr || llvm == nullptr) return {"-", "-"};
  const auto table = rule::SynchronisationTable::get();
  std::vector<std::string> opcodes;
  for (const auto& [opcode, count] : llvm->hot.opcodes)
    if (table && (*table)->find(opcode, family, verb) != nullptr) opcodes.push_back(opcode);
  const std::string changes = compare::opcode_changes(ours->hot, llvm->hot);
  return {joined(opcodes), changes.empty() ? "the same" : changes};
}

// "the same" or both.
std::string classes_of(const DiffSide& ours, const DiffSide& llvm) {
  if (ours.sass_class == llvm.sass_class) return ours.sass_class + ", the same";
  return fmt::format("{}, templates' {}", llvm.sass_class, ours.sass_class);
}

// Of a verb alone, the difference of two sizes over their difference; else the variant's own.
Figure figure_for(const report::data::Aggregation& figures, const VariantKey& key) {
  const Aggregate* own = report::data::find_variant(figures.points, key.id);
  if (own == nullptr || key.value("probe") != verb_probe)
    return report::data::figure_of(own, key.id);
  const std::string name = own->axes.variant().without(size_axis).id;
  const Aggregate *few = own, *many = own;
  for (const Aggregate& point : figures.points) {
    if (point.axes.value("probe") != verb_probe ||
        point.axes.variant().without(size_axis).id != name)
      continue;
    if (point.axes.number(size_axis) < few->axes.number(size_axis)) few = &point;
    if (point.axes.number(size_axis) > many->axes.number(size_axis)) many = &point;
  }
  const int sizes = many->axes.number(size_axis) - few->axes.number(size_axis);
  return sizes == 0 ? report::data::figure_of(*own)
                    : report::data::difference(report::data::figure_of(*many),
                                               report::data::figure_of(*few), sizes);
}

// The figures of all GPUs of a model.
struct Model {
  std::string name;  // "NVIDIA H200"
  report::data::Aggregation figures;
};

// "H100" of "NVIDIA H100 80GB HBM3": what a column says.
std::string short_name(const Model& model) {
  constexpr std::string_view maker = "NVIDIA ";
  const std::string name =
      model.name.starts_with(maker) ? model.name.substr(maker.size()) : model.name;
  return name.substr(0, name.find(' '));
}

Result<std::vector<Model>> models_of(report::sql::ReportDatabase& results,
                                     const std::string& device) {
  std::vector<std::string> names = {device};
  for (const record::DeviceRow& row : results.devices())
    if (row.name.find(device) == std::string::npos && row.uuid != device &&
        std::find(names.begin(), names.end(), row.name) == names.end())
      names.push_back(row.name);
  std::sort(names.begin() + 1, names.end());
  std::vector<Model> models;
  for (const std::string& name : names) {
    PHASEBIT_TRY_ASSIGN(g, results.gpus(name));
    PHASEBIT_TRY_ASSIGN(data, results.report_data(g));
    models.push_back({data.devices.front().name, std::move(data.aggregation)});
  }
  return models;
}

class VerbTable {
 public:
  VerbTable(const explain::CodeSides& code, std::vector<Model> models, std::string family)
      : code_(code), models_(std::move(models)), family_(std::move(family)) {
    made.columns = {{"verb"},
                    {"variant"},
                    {"IR"},
                    {"PTX by LLVM"},
                    {"PTX of the templates"},
                    {"SASS"},
                    {"beside the templates'"},
                    {"SASS class"}};
    for (const Model& model : models_)
      for (const char* whose : {"templates", "LLVM"})
        made.columns.push_back({fmt::format("{}: {}", short_name(model), whose), true});
  }

  Status take(const Pair& pair, const Speaker& speaker) {
    const Result<DiffSide>&ours = code_.at(pair.ours.id), &llvm = code_.at(pair.llvms.id);
    for (const Result<DiffSide>* side : {&ours, &llvm})
      if (!*side) return tl::unexpected<Error>(side->error());
    PHASEBIT_TRY_ASSIGN(diff, compare::diff_kernels(*ours, *llvm));
    for (const std::string& verb : verbs_of(pair.ours)) {
      const Spoken spoken = speaker.of(verb);
      if (spoken.ir.empty() || !seen_.insert(joined(spoken.ir)).second) continue;
      add(pair, verb, spoken, diff);
      made.rows.back()[7] = classes_of(*ours, *llvm);
    }
    return {};
  }

  table::Table made;

 private:
  void add(const Pair& pair, const std::string& verb, const Spoken& spoken,
           const KernelDiff& diff) {
    const auto [opcodes, changes] = sass_of(diff, verb, family_);
    const bool same = shape_of(spoken.llvm) == shape_of(spoken.ours);
    std::vector<Cell> row = {verb,
                             pair.ours.id,
                             joined(spoken.ir),
                             joined(spoken.llvm),
                             same ? "the same" : joined(spoken.ours),
                             opcodes,
                             changes,
                             ""};
    for (const Model& model : models_)
      for (const VariantKey* key : {&pair.ours, &pair.llvms})
        row.push_back(cell_of(figure_for(model.figures, *key)));
    made.rows.push_back(std::move(row));
  }

  // That no barrier could be read back is so of every verb alone.
  Cell cell_of(Figure figure) {
    std::erase_if(figure.flags, [](const record::Flag& flag) {
      return flag.kind == record::Flag::Kind::items_only;
    });
    if (!figure.reason.empty()) return "-";
    return report::data::figure_cell(figure, made.notes);
  }

  const explain::CodeSides& code_;
  std::vector<Model> models_;
  std::string family_;
  std::set<std::string> seen_;  // IR
};

std::vector<Pair> pairs_of(const select::Space& space) {
  std::vector<Pair> pairs;
  for (const VariantKey& key : space.expansion.variants)
    if (!ptxas::llvm_of(key).version.empty()) pairs.push_back({ptxas::with_llvm(key, {}), key});
  return pairs;
}

// With the cycles of these GPUs.
Result<table::Table> table_with(const VerbTableRequest& request, std::vector<Model> models) {
  PHASEBIT_TRY(llvm::find_program());
  select::SpaceRequest wanted;
  wanted.home = request.home;
  wanted.spec =
      request.spec.empty() ? (request.home.data / "specs" / "llvm.toml").string() : request.spec;
  wanted.sweep = request.sweep.empty() ? "table" : request.sweep;
  wanted.overrides = {fmt::format("llvm={}", llvm::built_version())};
  PHASEBIT_TRY_ASSIGN(space, select::open_space(wanted));
  const std::vector<Pair> pairs = pairs_of(space);
  explain::CodeRequest code_request;
  code_request.space.home = request.home;
  code_request.target = request.target;
  for (const Pair& pair : pairs)
    code_request.ids.insert(code_request.ids.end(), {pair.ours.id, pair.llvms.id});
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(request.tools));
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(request.target));
  PHASEBIT_TRY_ASSIGN(code, explain::code_of(tools, code_request));
  PHASEBIT_TRY_ASSIGN(forms, isa::FormTable::load());
  Speaker speaker(space, speaking_opcodes(forms));
  VerbTable table(code, std::move(models), known.family);
  for (const Pair& pair : pairs) {
    PHASEBIT_TRY(speaker.take(pair));
    PHASEBIT_TRY(table.take(pair, speaker));
  }
  return std::move(table.made);
}

}  // namespace

Result<table::Table> verb_table(const VerbTableRequest& request,
                                report::sql::ReportDatabase& measured, const std::string& device) {
  PHASEBIT_TRY_ASSIGN(models, models_of(measured, device));
  return table_with(request, std::move(models));
}

Result<table::Table> verb_table(const VerbTableRequest& request) {
  std::vector<std::string> results = request.results;
  if (results.empty()) results = explain::published_llvm(request.home);
  if (results.empty()) return table_with(request, {});
  PHASEBIT_TRY_ASSIGN(measured, report::sql::ReportDatabase::open({results.begin(), results.end()},
                                                                  request.home.cache));
  return verb_table(request, measured, measured.default_device(true, false));
}

}  // namespace phasebit::pipeline::lower
