#include "cli/images.h"

#include "analysis/sass/gate.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "gen/requirements.h"

#include <algorithm>

namespace phasebit {
namespace {

std::vector<AssembleJob> jobs_of(const std::vector<Prepared>& prepared, const std::string& target) {
  std::vector<AssembleJob> jobs;
  jobs.reserve(prepared.size());
  for (const Prepared& one : prepared)
    jobs.push_back({&one.kernel, target, one.plan.launch.dynamic_shared_bytes});
  return jobs;
}

Image image_of(const Prepared& prepared, const Assembled& assembled) {
  Image image;
  image.build = prepared.kernel.build;
  image.module = assembled.module_hash;
  image.entry = assembled.entry;
  image.ptx_hash = prepared.kernel.hash;
  image.text_hash = assembled.text_hash;
  image.sass_class = short_hash(assembled.text_hash + launch_signature(prepared.plan.launch));
  image.resources = assembled.resources;
  image.gate.reason = "not gated";
  image.warnings = assembled.warnings;
  return image;
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
Result<std::map<std::string, GateModule>> group_by_module(const Tools& tools,
                                                          const Catalogue& catalogue,
                                                          const std::vector<Prepared>& prepared,
                                                          const std::string& target,
                                                          const Assembly& lined, ImageSet& set) {
  std::map<std::string, GateModule> modules;
  for (size_t i = 0; i < prepared.size(); ++i) {
    if (!set.images[i]) continue;
    const Result<Assembled>& with_lines = lined.kernels[i];
    if (!with_lines) {
      set.images[i] = tl::unexpected<Error>(with_lines.error());
    } else if (with_lines->text_hash != set.images[i]->text_hash) {
      set.images[i] =
          fail(Step::gate, "{}: `.loc` changed its code for {}, so its lines say nothing",
               prepared[i].key.id, target);
    } else {
      PHASEBIT_TRY_ASSIGN(spec, gate_of(catalogue, prepared[i], tools, target));
      GateModule& module = modules[with_lines->module_hash];
      module.variants.push_back(i);
      module.inputs.push_back({with_lines->entry, &prepared[i].kernel.source, std::move(spec)});
    }
  }
  return modules;
}

}  // namespace

Result<GateSpec> gate_of(const Catalogue& catalogue, const Prepared& prepared, const Tools& tools,
                         const std::string& target) {
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(target));
  PHASEBIT_TRY_ASSIGN(spec, gate_spec(catalogue, template_key(prepared.key), known.family,
                                      tools.toolchain.version, prepared.plan.derived()));
  replace_rules(spec, prepared.gates);
  spec.items_per_iteration = prepared.plan.items_per_iteration;
  const std::vector<std::string>& timed = prepared.plan.timed_verbs;
  if (!timed.empty())
    std::erase_if(spec.verbs, [&](const VerbRule& rule) {
      return std::find(timed.begin(), timed.end(), rule.verb) == timed.end();
    });
  return spec;
}

std::vector<ImageSet> make_images(Tools& tools, const std::vector<Prepared>& prepared,
                                  const std::vector<std::string>& targets) {
  std::vector<AssembleJob> jobs;
  for (const std::string& target : targets)
    for (const AssembleJob& job : jobs_of(prepared, target)) jobs.push_back(job);
  const auto assembly = std::make_shared<const Assembly>(
      assemble(tools.toolchain, tools.cache_or_null(), jobs, tools.options));
  std::vector<ImageSet> sets;
  for (size_t target = 0; target < targets.size(); ++target) {
    const size_t first = target * prepared.size();
    ImageSet& set = sets.emplace_back();
    set.assembly = assembly;
    for (size_t i = 0; i < prepared.size(); ++i) {
      const Result<Assembled>& assembled = assembly->kernels[first + i];
      if (assembled)
        set.images.emplace_back(image_of(prepared[i], *assembled));
      else
        set.images.emplace_back(tl::unexpected<Error>(assembled.error()));
    }
  }
  return sets;
}

Status gate_images(Tools& tools, const Disassembler& disassembler, const Catalogue& catalogue,
                   const std::vector<Prepared>& prepared, const std::string& target,
                   ImageSet& set) {
  AssembleOptions with_lines = tools.options;
  with_lines.line_info = true;
  const Assembly lined =
      assemble(tools.toolchain, tools.cache_or_null(), jobs_of(prepared, target), with_lines);
  PHASEBIT_TRY_ASSIGN(modules, group_by_module(tools, catalogue, prepared, target, lined, set));
  std::vector<std::pair<std::string, GateModule>> list(modules.begin(), modules.end());
  parallel_for(list.size(), tools.options.threads, [&](size_t i) {
    const auto cubin = module_code(lined, tools.cache_or_null(), list[i].first);
    if (!cubin)
      take_outputs(list[i].second, tl::unexpected<Error>(cubin.error()), set);
    else
      take_outputs(list[i].second, gate_module(disassembler, *cubin, list[i].second.inputs), set);
  });
  return {};
}

}  // namespace phasebit
