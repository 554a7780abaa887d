#include "cli/images.h"

#include "analysis/sass/cubin.h"
#include "analysis/sass/edit.h"
#include "analysis/sass/gate.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"

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
  image.sass_class = short_hash(assembled.text_hash + launch_signature(prepared.head.launch));
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

// Kernels of one module that was assembled with `.loc`.
struct GateModule {
  std::vector<size_t> variants;
  std::vector<GateInput> inputs;
};

void take_outputs(const GateModule& module, const Result<std::vector<Result<GateOutput>>>& outputs,
                  ImageSet& set) {
  for (size_t i = 0; i < module.variants.size(); ++i) {
    Result<Image>& image = set.images[module.variants[i]];
    if (!outputs) {
      image = tl::unexpected<Error>(outputs.error());
    } else if (const Result<GateOutput>& output = (*outputs)[i]; !output) {
      image = tl::unexpected<Error>(output.error());
    } else {
      image->gate = output->result;
      image->census = output->census;
    }
  }
}

// The `.loc` assembly by module, without the kernels whose code it changed.
Result<std::map<std::string, GateModule>> group_by_module(Tools& tools,
                                                          const std::vector<Prepared>& prepared,
                                                          const CodeColumn& column,
                                                          const ImageSet& lined, ImageSet& set) {
  std::map<std::string, GateModule> modules;
  for (size_t i = 0; i < prepared.size(); ++i) {
    if (!set.images[i]) continue;
    const Result<Image>& with_lines = lined.images[i];
    if (!with_lines) {
      set.images[i] = tl::unexpected<Error>(with_lines.error());
    } else if (with_lines->text_hash != set.images[i]->text_hash) {
      set.images[i] =
          fail(Step::gate, "{}: `.loc` changed its code for {}, so its lines say nothing",
               prepared[i].key.id, column.name());
    } else {
      PHASEBIT_TRY_ASSIGN(spec, gate_of(prepared[i], tools, column));
      // An experiment takes out or puts in what the rules count: what is forbidden stays so.
      if (!assembler_of(prepared[i].key).edit.empty())
        for (VerbRule& rule : spec.verbs) rule.require.clear();
      GateModule& module = modules[with_lines->module];
      module.variants.push_back(i);
      module.inputs.push_back({with_lines->entry, &prepared[i].kernel.source, std::move(spec)});
    }
  }
  return modules;
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
  return sets;
}

Status gate_images(Tools& tools, const Disassembler& disassembler,
                   const std::vector<Prepared>& prepared, const CodeColumn& column, ImageSet& set) {
  const bool before = tools.options.line_info;
  tools.options.line_info = true;
  const ImageSet lined = std::move(make_images(tools, prepared, {column}).front());
  tools.options.line_info = before;
  PHASEBIT_TRY_ASSIGN(modules, group_by_module(tools, prepared, column, lined, set));
  std::vector<std::pair<std::string, GateModule>> list(modules.begin(), modules.end());
  parallel_for(list.size(), tools.options.threads, [&](size_t i) {
    const auto cubin = module_code(*lined.assembly, tools.cache_or_null(), list[i].first);
    if (!cubin)
      take_outputs(list[i].second, tl::unexpected<Error>(cubin.error()), set);
    else
      take_outputs(list[i].second, gate_module(disassembler, *cubin, list[i].second.inputs), set);
  });
  return {};
}

}  // namespace phasebit
