#include "analysis/sass/expectation_file.h"
#include "analysis/sass/module.h"
#include "cli/commands.h"
#include "cli/sass_files.h"
#include "cli/sass_images.h"
#include "gen/assembler.h"

#include <cstdio>
#include <map>
#include <optional>

namespace phasebit {
namespace {

std::map<int, CodeCounts> counts_by_line(const SassKernel& kernel) {
  std::map<int, CodeCounts> lines;
  for (const Instruction& one : kernel.instructions)
    if (one.line > 0) add(lines[one.line], one);
  return lines;
}

// Kernels of a cubin that phasebit did not make: no roles, no verbs, no ptxas version.
Status add_cubin(const Tools& tools, const Disassembler& disassembler, const std::string& path,
                 std::vector<GateSubject>& subjects) {
  PHASEBIT_TRY_ASSIGN(bytes, read_file(path));
  PHASEBIT_TRY_ASSIGN(cubin, read_cubin(bytes, path));
  PHASEBIT_TRY_ASSIGN(target, tools.targets.find(fmt::format("sm_{}", cubin.sm)));
  PHASEBIT_TRY_ASSIGN(kernels, read_module(disassembler, cubin));
  for (const auto& [name, kernel] : kernels)
    subjects.push_back({name, target.name, target.family, std::nullopt, kernel.code.hash,
                        take_features(kernel, {}, {}), counts_by_line(kernel)});
  return {};
}

Result<std::optional<Version>> version_of(Tools& tools, const CodeColumn& column,
                                          const VariantKey& key) {
  PHASEBIT_TRY_ASSIGN(
      toolchain, tools.toolchain_of(column.ptxas.empty() ? assembler_of(key).ptxas : column.ptxas));
  return std::optional<Version>(toolchain->version);
}

// Variants of the sweep in each column; those that a target cannot have are left out.
Status add_variants(Tools& tools, const Disassembler& disassembler, const SpaceRequest& request,
                    const std::vector<CodeColumn>& columns, unsigned jobs,
                    std::vector<GateSubject>& subjects) {
  PHASEBIT_TRY_ASSIGN(space, open_space(request, Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, jobs));
  std::vector<std::optional<GateSubject>> found(columns.size() * prepared.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CodeColumn& column = columns[i % columns.size()];
    const VariantKey& key = prepared[i / columns.size()].key;
    PHASEBIT_TRY_ASSIGN(target, tools.targets.find(column.target));
    PHASEBIT_TRY_ASSIGN(version, version_of(tools, column, key));
    found[i] = GateSubject{key.id, column.target, target.family, version, "", {}, {}};
  }
  PHASEBIT_TRY(analyse_images(
      tools, disassembler, prepared, columns,
      [&](std::size_t c, std::size_t v, const Result<AnalysedImage>& image) {
        std::optional<GateSubject>& subject = found[v * columns.size() + c];
        if (!image) return subject.reset();
        const Prepared& one = prepared[v];
        subject->code_class = image->kernel.code.hash;
        subject->features = take_features(image->kernel, one.kernel.source, image->windows);
        add_resources(subject->features, image->kernel,
                      tools.targets.find(columns[c].target).value(),
                      {image->resources.spill_store_bytes, image->resources.spill_load_bytes},
                      {one.head.launch.threads, one.head.launch.dynamic_shared_bytes});
      }));
  for (auto& one : found)
    if (one) subjects.push_back(std::move(*one));
  return {};
}

SpaceRequest request_of(const SassGateOptions& options, const ExpectationFile& file) {
  SpaceRequest request = options.space;
  if (request.spec.empty() && !file.spec.empty())
    request.spec = (fs::path(options.file).parent_path() / file.spec).string();
  if (!options.sweep_given && !file.sweep.empty()) request.sweep = file.sweep;
  return request;
}

}  // namespace

Result<bool> run_sass_gate(const SassGateOptions& options) {
  PHASEBIT_TRY_ASSIGN(text, read_file(options.file));
  PHASEBIT_TRY_ASSIGN(file, parse_expectations(text, options.file));
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  std::vector<GateSubject> subjects;
  SpaceRequest request = request_of(options, file);
  SpaceRequest of_files = options.space;
  PHASEBIT_TRY_ASSIGN(ptx, takes_ptx(of_files, options.cubins, {}));
  if (ptx) request = of_files;
  for (const std::string& cubin : options.cubins)
    if (!ptx) PHASEBIT_TRY(add_cubin(tools, disassembler, cubin, subjects));
  if (options.cubins.empty() || ptx) {
    PHASEBIT_TRY_ASSIGN(
        targets,
        chosen_targets(tools.toolchain, options.targets.empty() ? file.targets : options.targets));
    PHASEBIT_TRY_ASSIGN(columns, columns_of(targets, options.toolchains));
    PHASEBIT_TRY(add_variants(tools, disassembler, request, columns, options.tools.jobs, subjects));
  }
  PHASEBIT_TRY_ASSIGN(report, check_expectations(file.expectations, subjects));
  fmt::print("{}", options.json ? gate_as_json(report) : gate_as_text(report));
  return !report.broken.empty();
}

}  // namespace phasebit
