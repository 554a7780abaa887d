#include "pipeline/images/images.h"

#include "analysis/cubin/code_class.h"
#include "analysis/cubin/cubin.h"
#include "analysis/cubin/change/edit.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/image/sass_class.h"

#include <algorithm>

namespace phasebit {
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

// Puts the edited code in the place of the kernel's: a module of its own.
Status edit_code(Tools& tools, const std::string& text, Assembled& kernel,
                 std::map<std::string, std::string>& modules) {
  PHASEBIT_TRY_ASSIGN(edits, parse_edits(text));
  const auto here = modules.find(kernel.module_hash);
  Result<std::string> code = fail(Step::assemble, "no module {}", kernel.module_hash);
  if (here != modules.end())
    code = here->second;
  else if (tools.cache)
    code = tools.cache->module(kernel.module_hash);
  if (!code) return tl::unexpected<Error>(code.error());
  PHASEBIT_TRY_ASSIGN(edited, edit_cubin(*code, kernel.entry, edits));
  PHASEBIT_TRY_ASSIGN(cubin, read_cubin(edited));
  kernel.text_hash = content_hash(cubin.find(kernel.entry)->text);
  kernel.module_hash = content_hash(edited);
  modules[kernel.module_hash] = std::move(edited);
  return {};
}

// All that one ptxas makes with one set of flags.
void assemble_group(Tools& tools, const std::vector<Prepared>& prepared,
                    const std::vector<CodeColumn>& columns, const AssemblerChoice& choice,
                    const std::vector<Place>& places, std::vector<ImageSet>& sets,
                    Assembly& modules) {
  const auto toolchain = tools.toolchain_of(choice.ptxas);
  AssembleOptions options = tools.options;
  for (std::string& flag : flags_of(choice)) options.flags.push_back(std::move(flag));
  std::vector<AssembleJob> jobs;
  for (const Place& place : places) {
    const Prepared& one = prepared[place.variant];
    jobs.push_back(
        {&one.kernel, columns[place.column].target, one.head.launch.dynamic_shared_bytes});
  }
  Assembly made;
  if (toolchain) made = assemble(**toolchain, tools.cache_or_null(), jobs, options);
  for (size_t i = 0; i < places.size(); ++i) {
    Result<Image>& image = sets[places[i].column].images[places[i].variant];
    const Prepared& one = prepared[places[i].variant];
    if (made.kernels.size() > i && made.kernels[i] && !choice.edit.empty() &&
        one.kernel.build == Build::timed)
      if (const Status done = edit_code(tools, choice.edit, *made.kernels[i], made.modules); !done)
        made.kernels[i] = tl::unexpected<Error>(done.error());
    if (!toolchain)
      image = tl::unexpected<Error>(toolchain.error());
    else if (!made.kernels[i])
      image = tl::unexpected<Error>(made.kernels[i].error());
    else
      image = image_of(one, *made.kernels[i]);
  }
  modules.modules.merge(made.modules);
  modules.notes.insert(modules.notes.end(), made.notes.begin(), made.notes.end());
}

// code class by entry, of a module that is kept or was just made.
Result<std::map<std::string, std::string>> classes_of(Tools& tools, const Assembly& assembly,
                                                      const std::string& module) {
  constexpr std::string_view prefix = "class ";
  std::map<std::string, std::string> classes;
  if (tools.derived)
    for (const auto& [key, value] : tools.derived->find(module))
      if (key.starts_with(prefix)) classes.emplace(key.substr(prefix.size()), value);
  if (!classes.empty()) return classes;
  PHASEBIT_TRY_ASSIGN(code, module_code(assembly, tools.cache_or_null(), module));
  PHASEBIT_TRY_ASSIGN(found, code_class_hashes(code, "module " + module));
  DerivedCache::Entries entries;
  for (const auto& [entry, hash] : found) entries.emplace(std::string(prefix) + entry, hash);
  // A cache that cannot be written costs time, not the result.
  if (tools.derived) static_cast<void>(tools.derived->add(module, entries));
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
  parallel_for(list.size(), tools.options.threads, [&](size_t n) {
    const auto classes = classes_of(tools, assembly, list[n].first);
    for (const Place& place : list[n].second) {
      Result<Image>& image = sets[place.column].images[place.variant];
      const auto found = classes ? classes->find(image->entry) : decltype(classes->find("")){};
      if (!classes)
        image = tl::unexpected<Error>(classes.error());
      else if (found == classes->end())
        image = fail(Step::disassemble, "module {} has no kernel {}", list[n].first, image->entry);
      else
        image->sass_class = sass_class_word(found->second, prepared[place.variant].head.launch);
    }
  });
}

}  // namespace

AssemblerChoice choice_of(const Prepared& prepared, const CodeColumn& column) {
  AssemblerChoice choice = assembler_of(prepared.key);
  if (!column.ptxas.empty()) choice.ptxas = column.ptxas;
  return choice;
}

Result<GateSpec> gate_of(const Prepared& prepared, Tools& tools, const CodeColumn& column) {
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(column.target));
  PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(choice_of(prepared, column).ptxas));
  return gate_of(prepared.head, known.family, toolchain->version);
}

std::vector<ImageSet> make_images(Tools& tools, const std::vector<Prepared>& prepared,
                                  const std::vector<CodeColumn>& columns) {
  std::map<AssemblerChoice, std::vector<Place>> groups;
  for (size_t column = 0; column < columns.size(); ++column)
    for (size_t i = 0; i < prepared.size(); ++i)
      groups[choice_of(prepared[i], columns[column])].push_back({column, i});
  const auto assembly = std::make_shared<Assembly>();
  std::vector<ImageSet> sets(columns.size());
  for (ImageSet& set : sets) {
    set.images.resize(prepared.size(), fail(Step::assemble, "not reached"));
    set.assembly = assembly;
  }
  for (const auto& [choice, places] : groups)
    assemble_group(tools, prepared, columns, choice, places, sets, *assembly);
  add_classes(tools, prepared, *assembly, sets);
  return sets;
}

}  // namespace phasebit
