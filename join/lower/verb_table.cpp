#include "join/lower/verb_table.h"

#include "analysis/compare/diff.h"
#include "analysis/report/data/comparison.h"
#include "analysis/report/data/without_loop.h"
#include "core/base/text.h"
#include "core/isa/opcodes.h"
#include "core/ptx/statement.h"
#include "gen/kernel/make_plan.h"
#include "gen/llvm/worker.h"
#include "gen/space/compilers.h"
#include "gen/space/hand_made.h"
#include "join/explain/explain.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

namespace phasebit::join::lower {

using base::Cell;
using compare::KernelDiff;
using kernel::Rendered;
using launch::VariantKey;
using reading::CodeSubject;
using report::data::Aggregate;
using report::data::Figure;

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
struct BothOrigins {
  VariantKey ours, llvms;  // of the templates' PTX; of LLVM's
};

struct Spoken {
  std::vector<std::string> ir, llvm, ours;
};

// What is said of one verb of the pair; Step::render as the renderer and LLVM say it.
class Speaker {
 public:
  explicit Speaker(const select::Space& space)
      : space_(space), maker_(space), renderer_(space.catalogue, space.templates) {}

  Status take(const BothOrigins& pair) {
    PHASEBIT_TRY_ASSIGN(plan, kernel::make_plan(space_.catalogue,
                                                space::template_key(space_.catalogue, pair.llvms)));
    PHASEBIT_TRY_ASSIGN(ir, renderer_.render_ir(pair.llvms, plan));
    PHASEBIT_TRY_ASSIGN(llvm, maker_.make(pair.llvms, launch::Build::timed));
    PHASEBIT_TRY_ASSIGN(ours, maker_.make(pair.ours, launch::Build::timed));
    ir_ = std::move(ir);
    llvm_ = std::move(llvm);
    ours_ = std::move(ours);
    return {};
  }
  Spoken of(const std::string& verb) const {
    return {spoken_ir(ir_, verb), spoken_ptx(llvm_, verb), spoken_ptx(ours_, verb)};
  }

 private:
  const select::Space& space_;
  images::VariantMaker maker_;
  kernel::Renderer renderer_;
  kernel::Rendered ir_, llvm_, ours_;
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
  std::vector<std::string> opcodes;
  for (const auto& [opcode, count] : llvm->hot.opcodes)
    if (isa::sass_opcode(opcode).synchronisation(family, verb) != nullptr)
      opcodes.push_back(opcode);
  const std::string changes = compare::opcode_changes(ours->hot, llvm->hot);
  return {joined(opcodes), changes.empty() ? "the same" : changes};
}

// "the same" or both.
std::string classes_of(const CodeSubject& ours, const CodeSubject& llvm) {
  if (ours.sass_class == llvm.sass_class) return ours.sass_class + ", the same";
  return fmt::format("{}, templates' {}", llvm.sass_class, ours.sass_class);
}

// Of a verb alone, that without its loop; else the variant's own.
Figure figure_for(const report::data::Aggregation& figures, const VariantKey& key) {
  const Aggregate* own = report::data::find_variant(figures.points, key.id);
  if (own == nullptr || key.value("probe") != verb_probe)
    return report::data::figure_of(own, key.id);
  const std::string name = own->axes.variant().without(size_axis).id;
  std::map<int, const Aggregate*> sizes;
  for (const Aggregate& point : figures.points)
    if (point.axes.value("probe") == verb_probe &&
        point.axes.variant().without(size_axis).id == name)
      sizes[point.axes.number(size_axis)] = &point;
  if (sizes.size() == 1) return report::data::figure_of(*own);
  std::vector<report::data::LoopOfSize> loops;
  for (const auto& [size, point] : sizes)
    loops.push_back({static_cast<double>(size), report::data::figure_of(*point)});
  return report::data::per_operation(std::move(loops), report::data::longest_loop_of(own->axes));
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
  for (const results::DeviceRow& row : results.devices())
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

  Status take(const BothOrigins& pair, const Speaker& speaker) {
    const Result<CodeSubject>&ours = code_.at(pair.ours.id), &llvm = code_.at(pair.llvms.id);
    for (const Result<CodeSubject>* side : {&ours, &llvm})
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

  base::Table made;

 private:
  void add(const BothOrigins& pair, const std::string& verb, const Spoken& spoken,
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
    std::erase_if(figure.flags, [](const results::Flag& flag) {
      return flag.kind == results::Flag::Kind::items_only;
    });
    if (!figure.reason.empty()) return "-";
    return report::data::figure_cell(figure, made.notes);
  }

  const explain::CodeSides& code_;
  std::vector<Model> models_;
  std::string family_;
  std::set<std::string> seen_;  // IR
};

std::vector<BothOrigins> pairs_of(const select::Space& space) {
  std::vector<BothOrigins> pairs;
  for (const VariantKey& key : space.expansion.variants)
    if (!space::llvm_of(key).version.empty())
      pairs.push_back({space::without_llvm(space.catalogue, key), key});
  return pairs;
}

// With the cycles of these GPUs.
Result<base::Table> table_with(const VerbTableRequest& request, std::vector<Model> models) {
  PHASEBIT_TRY(llvm::find_program());
  select::SpaceRequest wanted;
  wanted.home = request.home;
  wanted.spec =
      request.spec.empty() ? (request.home.data / "specs" / "llvm.toml").string() : request.spec;
  wanted.sweep = request.sweep.empty() ? "table" : request.sweep;
  wanted.overrides = {fmt::format("llvm={}", llvm::built_version())};
  PHASEBIT_TRY_ASSIGN(space, select::open_space(wanted));
  const std::vector<BothOrigins> pairs = pairs_of(space);
  explain::CodeRequest code_request;
  code_request.space.home = request.home;
  code_request.target = request.target;
  for (const BothOrigins& pair : pairs)
    code_request.ids.insert(code_request.ids.end(), {pair.ours.id, pair.llvms.id});
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(request.tools));
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(request.target));
  PHASEBIT_TRY_ASSIGN(code, explain::code_of(tools, code_request));
  Speaker speaker(space);
  VerbTable table(code, std::move(models), known.family);
  for (const BothOrigins& pair : pairs) {
    PHASEBIT_TRY(speaker.take(pair));
    PHASEBIT_TRY(table.take(pair, speaker));
  }
  return std::move(table.made);
}

}  // namespace

Result<base::Table> verb_table(const VerbTableRequest& request,
                               report::sql::ReportDatabase& measured, const std::string& device) {
  PHASEBIT_TRY_ASSIGN(models, models_of(measured, device));
  return table_with(request, std::move(models));
}

Result<base::Table> verb_table(const VerbTableRequest& request) {
  std::vector<std::string> results = request.results;
  if (results.empty()) results = explain::published_llvm(request.home);
  if (results.empty()) return table_with(request, {});
  PHASEBIT_TRY_ASSIGN(measured, report::sql::ReportDatabase::open({results.begin(), results.end()},
                                                                  request.home.cache));
  return verb_table(request, measured, measured.default_device(true, false));
}

namespace {

std::string plain(std::string_view line) {
  const std::string_view text = base::trimmed(line.substr(0, line.find("//")));
  std::string one;
  for (const char c : text)
    if (!(c == ' ' || c == '\t') || (!one.empty() && one.back() != ' ')) one += c == '\t' ? ' ' : c;
  return one;
}

// "{ .reg .pred p; add.u32 a, b, c; }" -> its statements and its braces.
void take_apart(std::string_view line, std::vector<std::string>& into) {
  if (!line.starts_with("{ ")) {
    into.emplace_back(line);
    return;
  }
  into.emplace_back("{");
  line = base::trimmed(line.substr(1, line.rfind('}') - 1));
  while (!line.empty()) {
    const size_t end = std::min(line.find(';'), line.size() - 1);
    into.emplace_back(base::trimmed(line.substr(0, end + 1)));
    line = base::trimmed(line.substr(end + 1));
  }
  into.emplace_back("}");
}

// "verb_param_1" in "ld.param.b32 %r1, [verb_param_1];": 1; -1 where it loads no parameter.
int parameter_of(const std::string& statement) {
  const size_t at = statement.find("_param_");
  if (!statement.starts_with("ld.param") || at == std::string::npos) return -1;
  return std::stoi(statement.substr(at + std::string_view("_param_").size()));
}

// "%rd1" of "ld.param.b64 %rd1, [verb_param_0];".
std::string loaded_register(const std::string& statement) {
  const size_t begin = statement.find('%');
  return statement.substr(begin, statement.find(',') - begin);
}

std::vector<std::string> argument(const std::string& what, const std::string& into) {
  if (what == "parity") return {fmt::format("mov.u32 {}, {{{{parity}}}};", into)};
  const bool empty = what == "empty_barrier", wide = into.starts_with("%rd");
  std::vector<std::string> made = {
      "mad.lo.u32 address, {{slot_offset}}, 8, {{r}}_barrier;",
      empty ? "add.u32 address, address, {{empty_offset}};" : "",
      fmt::format("{} {}, address;", wide ? "cvt.u64.u32" : "mov.u32", into)};
  std::erase(made, "");
  return made;
}

}  // namespace

std::vector<std::string> statements_of(const std::string& ptx) {
  std::vector<std::string> all;
  bool inside = false;
  for (size_t begin = 0; begin < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', begin), ptx.size());
    const std::string line = plain(std::string_view(ptx).substr(begin, end - begin));
    begin = end + 1;
    if (line == "}") inside = false;
    if (inside && !line.empty()) take_apart(line, all);
    if (line == "{") inside = true;
  }
  return all;
}

std::string instructions_of(const std::string& ptx) {
  std::string all;
  for (const std::string& one : statements_of(ptx)) {
    if (!one.ends_with(';') ||
        base::starts_with_any(one, {".reg", "ld.param", "ret;", "cvta", "bra.uni"}))
      continue;
    all += (all.empty() ? "" : " ") + one;
  }
  // LLVM 13 and 14 write labels without the mark that later ones begin them with.
  for (size_t at = all.find("$L__BB"); at != all.npos; at = all.find("$L__BB", at))
    all.replace(at, 6, "LBB");
  return all;
}

std::string as_kernel(const std::string& ptx, const std::string& target) {
  // From 9.1 on a store to local memory may be volatile.
  std::string kernel = fmt::format(".version 9.1\n.target {}\n.address_size 64\n", target);
  for (size_t begin = 0; begin < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', begin), ptx.size());
    std::string line = ptx.substr(begin, end - begin);
    begin = end + 1;
    const std::string_view text = base::trimmed(line);
    if (base::starts_with_any(text, {".version", ".target", ".address_size"})) continue;
    if (const size_t result = line.find("[func_retval0"); result != std::string::npos)
      line = "st.volatile.local.b32 [0]" + line.substr(line.find(']') + 1);
    else if (line.find(".func ") != std::string::npos)
      line = line.ends_with("()") ? ".visible .entry verb()" : ".visible .entry verb(";
    kernel += line + "\n";
  }
  return kernel;
}

std::string as_snippet(const std::string& ptx, const std::vector<std::string>& arguments,
                       const std::string& heading) {
  std::string text = heading + "{\n.reg .b32 address;\n";
  for (const std::string& one : statements_of(ptx)) {
    if (one == "ret;" || one.find("func_retval0") != std::string::npos) continue;
    const int parameter = parameter_of(one);
    if (parameter < 0 || static_cast<size_t>(parameter) >= arguments.size()) {
      text += one + "\n";
      continue;
    }
    for (const std::string& line :
         argument(arguments[static_cast<size_t>(parameter)], loaded_register(one)))
      text += line + "\n";
  }
  return text + "}\n";
}

namespace {

constexpr std::string_view intrinsic = "@llvm.nvvm.";

// "mbarrier.init.shared" of "call void @llvm.nvvm.mbarrier.init.shared(ptr ...)"; "" of others.
std::string called(const std::string& line) {
  const std::size_t at = line.find(intrinsic);
  if (at == std::string::npos) return {};
  const std::size_t name = at + intrinsic.size();
  return line.substr(name, line.find('(', name) - name);
}

bool is_word(std::string_view word) {
  return std::isalpha(static_cast<unsigned char>(word.front())) != 0 && word != "ptr" &&
         !word.starts_with("addrspace") && !word.starts_with("i1") && !word.starts_with("i32") &&
         !word.starts_with("i64") && word != "align";
}

// "atomicrmw add syncscope("block") release" of a line of IR that orders memory; "" of others.
std::string ordering(std::string_view line) {
  if (const std::size_t is = line.find(" = "); is != std::string_view::npos)
    line.remove_prefix(is + 3);
  constexpr std::array<std::string_view, 6> heads = {
      "atomicrmw ", "cmpxchg ", "fence ", "load atomic ", "store atomic ", "load volatile "};
  const bool orders = line.starts_with("store volatile ") ||
                      std::any_of(heads.begin(), heads.end(),
                                  [&](std::string_view head) { return line.starts_with(head); });
  if (!orders) return {};
  std::string text;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" ,"), line.size());
    if (end > 0 && is_word(line.substr(0, end)))
      text += (text.empty() ? "" : " ") + std::string(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return text;
}

// What a role says of the verb; of several roles the first.
template <class Spoken>
std::vector<std::string> of_verb(const Rendered& text, const std::string& verb,
                                 const Spoken& spoken) {
  std::vector<std::string> all;
  std::string role;
  for (std::size_t n = 0; n < text.kernel.statements.size(); ++n) {
    const launch::SourceLine& source = text.kernel.source[n];
    if (source.verb != verb) continue;
    std::string one = spoken(text.kernel.statements[n]);
    if (one.empty() || (!role.empty() && role != source.role)) continue;
    role = source.role;
    all.push_back(std::move(one));
  }
  return all;
}

// It computes addresses, parities and predicates, or goes elsewhere.
bool is_plain(const ptx::PtxStatement& statement) {
  return !is(statement, isa::PtxFact::speaks);
}

}  // namespace

std::vector<std::string> spoken_ir(const Rendered& ir, const std::string& verb) {
  std::vector<std::string> all;
  for (const std::string& one : of_verb(ir, verb, [](const std::string& line) {
         const std::string text(base::trimmed(line));
         const std::string name = called(text);
         return name.empty() ? ordering(text) : name;
       }))
    if (!base::contains(all, one)) all.push_back(one);
  return all;
}

std::vector<std::string> spoken_ptx(const Rendered& ptx, const std::string& verb) {
  std::vector<std::string> all, names;
  for (const std::string& line : of_verb(ptx, verb, [](const std::string& text) { return text; })) {
    ptx::PtxStatement statement = ptx::take_apart(line);
    if (is_plain(statement) || base::contains(names, statement.name)) continue;
    names.push_back(statement.name);
    statement.guard.clear();
    std::string text = ptx::put_together(statement);
    if (text.ends_with(';')) text.pop_back();
    all.push_back(std::string(base::trimmed(text)));
  }
  return all;
}

std::string shape_of(const std::vector<std::string>& ptx) {
  std::string shape;
  for (const std::string& one : ptx) {
    const ptx::PtxStatement statement = ptx::take_apart(one + ";");
    shape += statement.name;
    for (const std::string& operand : statement.operands) {
      const char first = operand.empty() ? ' ' : operand.front();
      const bool literal = std::isdigit(static_cast<unsigned char>(first)) != 0;
      shape += literal          ? " #"
               : operand == "_" ? " _"
               : first == '['   ? " []"
               : first == '{'   ? " {}"
                                : " r";
    }
    shape += ';';
  }
  return shape;
}

}  // namespace phasebit::join::lower
