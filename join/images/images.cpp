#include "join/images/images.h"

#include "analysis/cubin/change/edit.h"
#include "analysis/cubin/change/padding.h"
#include "analysis/cubin/code_class.h"
#include "analysis/cubin/cubin.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/launch/manifest.h"

#include <algorithm>
#include <tuple>

namespace phasebit::join::images {

using base::content_hash;
using launch::Image;
using ptxas::Assembled;
using ptxas::AssemblerChoice;
using ptxas::Assembly;
using ptxas::module_code;

namespace {

Image image_of(const Prepared& prepared, const Assembled& assembled) {
  Image image;
  image.build = prepared.kernel.build;
  image.module = assembled.module_hash;
  image.entry = assembled.entry;
  image.ptx_hash = prepared.kernel.hash;
  image.text_hash = assembled.text_hash;
  image.resources = assembled.resources;
  image.gate.reason = "not gated";
  image.warnings = assembled.warnings;
  return image;
}

// An image: prepared[variant] in columns[column].
struct Place {
  size_t column = 0, variant = 0;
};

// What ptxas made, changed as an image's axes say: modules of their own.
class CodeChanges {
 public:
  CodeChanges(Tools& tools, Assembly& made) : tools_(tools), made_(made) {}

  Result<Image> image(const Prepared& prepared, const AssemblerChoice& choice, Assembled kernel) {
    const bool timed = prepared.kernel.build == launch::Build::timed;
    if (timed && !choice.edit.empty()) PHASEBIT_TRY(edit(choice.edit, kernel));
    const std::string base = kernel.module_hash;
    if (timed && choice.padding != 0) PHASEBIT_TRY(pad(choice.padding, kernel));
    Image image = image_of(prepared, kernel);
    if (kernel.module_hash == base) return image;
    image.padding_bytes = choice.padding;
    image.base_module = base;
    return image;
  }

 private:
  // Puts the edited code in the place of the kernel's.
  Status edit(const std::string& text, Assembled& kernel) {
    PHASEBIT_TRY_ASSIGN(edits, cubin::change::parse_edits(text));
    PHASEBIT_TRY_ASSIGN(code, module_code(made_, tools_.cache_or_null(), kernel.module_hash));
    PHASEBIT_TRY_ASSIGN(edited, cubin::change::edit_cubin(code, kernel.entry, edits));
    PHASEBIT_TRY_ASSIGN(cubin, cubin::read_cubin(edited));
    kernel.text_hash = content_hash(cubin.find(kernel.entry)->text);
    kernel.module_hash = content_hash(edited);
    made_.modules[kernel.module_hash] = std::move(edited);
    return {};
  }

  // All kernels of the module: those of other variants are asked for next.
  Status pad(int padding, Assembled& kernel) {
    auto known = padded_.find({kernel.module_hash, padding});
    if (known == padded_.end()) {
      PHASEBIT_TRY_ASSIGN(code, module_code(made_, tools_.cache_or_null(), kernel.module_hash));
      PHASEBIT_TRY_ASSIGN(bytes, cubin::change::pad_cubin(code, padding));
      PHASEBIT_TRY_ASSIGN(cubin, cubin::read_cubin(bytes));
      Padded padded{content_hash(bytes), {}};
      for (const cubin::CubinKernel& one : cubin.kernels)
        padded.text_hashes[one.entry] = content_hash(one.text);
      made_.modules[padded.module] = std::move(bytes);
      known = padded_.emplace(std::pair(kernel.module_hash, padding), std::move(padded)).first;
    }
    kernel.text_hash = known->second.text_hashes.at(kernel.entry);
    kernel.module_hash = known->second.module;
    return {};
  }

  struct Padded {
    std::string module;
    std::map<std::string, std::string> text_hashes;  // by entry
  };
  Tools& tools_;
  Assembly& made_;
  std::map<std::pair<std::string, int>, Padded> padded_;  // by the module that it was made of
};

// Without what is done to code that is made, and without what made the PTX.
AssemblerChoice of_ptxas(AssemblerChoice choice) {
  choice.llvm = {};
  choice.edit.clear();
  choice.padding = 0;
  return choice;
}

// All that one ptxas makes with one set of flags.
void assemble_group(Tools& tools, const std::vector<Prepared>& prepared,
                    const std::vector<CodeColumn>& columns, const AssemblerChoice& choice,
                    const std::vector<Place>& places, std::vector<ImageSet>& sets,
                    Assembly& modules) {
  const auto toolchain = tools.toolchain_of(choice.ptxas);
  ptxas::AssembleOptions options = tools.options;
  options.flags.insert(options.flags.end(), choice.flags.begin(), choice.flags.end());
  std::vector<ptxas::AssembleJob> jobs;
  // Images of one kernel that differ in what is done to its code are made of one assembly.
  std::map<std::tuple<std::string, std::string, std::string, int>, size_t> known;
  std::vector<size_t> job_of;  // each place
  for (const Place& place : places) {
    const ptxas::Kernel& kernel = prepared[place.variant].kernel;
    const std::string& target = columns[place.column].target;
    const int shared = prepared[place.variant].head.launch.dynamic_shared_bytes;
    const auto [job, is_new] =
        known.try_emplace({kernel.entry, kernel.hash, target, shared}, jobs.size());
    if (is_new) jobs.push_back({&kernel, target, shared});
    job_of.push_back(job->second);
  }
  Assembly made;
  if (toolchain) made = ptxas::assemble(**toolchain, tools.cache_or_null(), jobs, options);
  CodeChanges changes(tools, made);
  for (size_t i = 0; i < places.size(); ++i) {
    Result<Image>& image = sets[places[i].column].images[places[i].variant];
    if (!toolchain)
      image = tl::unexpected<Error>(toolchain.error());
    else if (const Result<Assembled>& kernel = made.kernels[job_of[i]]; !kernel)
      image = tl::unexpected<Error>(kernel.error());
    else
      image =
          changes.image(prepared[places[i].variant],
                        choice_of(prepared[places[i].variant], columns[places[i].column]), *kernel);
  }
  modules.modules.merge(made.modules);
  modules.notes.insert(modules.notes.end(), made.notes.begin(), made.notes.end());
}

// code class by entry, of a module that is kept or was just made.
using Classes = std::map<std::string, std::string>;
Result<Classes> classes_of(const Tools& tools, const Assembly& assembly, const std::string& module,
                           const std::optional<std::string>& kept) {
  Classes classes;
  const std::string known = kept.value_or("");
  for (const std::string_view line : base::split(known, '\n'))
    if (const std::size_t blank = line.rfind(' '); blank != std::string_view::npos)
      classes.emplace(line.substr(0, blank), line.substr(blank + 1));
  if (!classes.empty()) return classes;
  PHASEBIT_TRY_ASSIGN(code, module_code(assembly, tools.cache_or_null(), module));
  PHASEBIT_TRY_ASSIGN(found, cubin::code_class_hashes(code, "module " + module));
  std::string text;
  for (const auto& [entry, hash] : found) text += fmt::format("{} {}\n", entry, hash);
  // A cache that cannot be written costs time, not the result.
  if (const std::string kind = tools.derived_kind("classes"); !kind.empty())
    static_cast<void>(tools.cache->add(kind, {{module, text}}));
  return found;
}

// Names the class of each image; one whose code cannot be read is none.
void add_classes(Tools& tools, const std::vector<Prepared>& prepared, const Assembly& assembly,
                 std::vector<ImageSet>& sets) {
  std::map<std::string, std::vector<Place>> modules;
  for (size_t column = 0; column < sets.size(); ++column)
    for (size_t i = 0; i < prepared.size(); ++i)
      if (const Result<Image>& image = sets[column].images[i])
        modules[image->module].push_back({column, i});
  const std::vector<std::pair<std::string, std::vector<Place>>> list(modules.begin(),
                                                                     modules.end());
  std::vector<std::optional<std::string>> kept(list.size());
  if (const std::string kind = tools.derived_kind("classes"); !kind.empty()) {
    std::vector<std::string> keys;
    for (const auto& [module, places] : list) keys.push_back(module);
    kept = tools.cache->find(kind, keys);
  }
  base::parallel_for(list.size(), tools.options.threads, [&](size_t n) {
    const auto classes = classes_of(tools, assembly, list[n].first, kept[n]);
    for (const Place& place : list[n].second) {
      Result<Image>& image = sets[place.column].images[place.variant];
      const auto found = classes ? classes->find(image->entry) : decltype(classes->find("")){};
      if (!classes)
        image = tl::unexpected<Error>(classes.error());
      else if (found == classes->end())
        image = fail(Step::disassemble, "module {} has no kernel {}", list[n].first, image->entry);
      else
        image->sass_class =
            launch::sass_class_word(found->second, prepared[place.variant].head.launch);
    }
  });
}

}  // namespace

AssemblerChoice choice_of(const Prepared& prepared, const CodeColumn& column) {
  AssemblerChoice choice = prepared.choice;
  if (!column.ptxas.empty()) choice.ptxas = column.ptxas;
  return choice;
}

Result<isa::GateSpec> gate_of(const Prepared& prepared, Tools& tools, const CodeColumn& column) {
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(column.target));
  PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(choice_of(prepared, column).ptxas));
  PHASEBIT_TRY_ASSIGN(spec, ptx::head::gate_of(prepared.head, known.family, toolchain->version));
  // At -O0 ptxas copies no instruction: the first try of a wait is that of its retry loop as well.
  // So it is where LLVM gave the retry loop of a wait and the loop around it one header.
  if (base::contains(prepared.choice.flags, "-O0") || !prepared.choice.llvm.version.empty())
    for (isa::VerbRule& rule : spec.verbs)
      for (isa::OpcodeRule& required : rule.require)
        if (required.path == isa::Path::cold) required.count.low = 0;
  return spec;
}

std::vector<ImageSet> make_images(Tools& tools, const std::vector<Prepared>& prepared,
                                  const std::vector<CodeColumn>& columns) {
  std::map<AssemblerChoice, std::vector<Place>> groups;
  for (size_t column = 0; column < columns.size(); ++column)
    for (size_t i = 0; i < prepared.size(); ++i)
      if (!prepared[i].refused)
        groups[of_ptxas(choice_of(prepared[i], columns[column]))].push_back({column, i});
  const auto assembly = std::make_shared<Assembly>();
  std::vector<ImageSet> sets(columns.size());
  for (ImageSet& set : sets) {
    set.images.resize(prepared.size(), fail(Step::assemble, "not reached"));
    for (size_t i = 0; i < prepared.size(); ++i)
      if (prepared[i].refused) set.images[i] = tl::unexpected<Error>(*prepared[i].refused);
    set.assembly = assembly;
  }
  for (const auto& [choice, places] : groups)
    assemble_group(tools, prepared, columns, choice, places, sets, *assembly);
  add_classes(tools, prepared, *assembly, sets);
  return sets;
}

}  // namespace phasebit::join::images
