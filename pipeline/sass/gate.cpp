#include "pipeline/sass/gate.h"

#include "analysis/disassembly/module.h"
#include "analysis/flow/callees.h"
#include "analysis/gate/expectation_file.h"
#include "pipeline/images/gate_subjects.h"
#include "pipeline/sass/files.h"
#include "pipeline/select/given.h"
#include "pipeline/select/open_space.h"

#include <optional>

namespace phasebit {
namespace {

// Kernels of a cubin that phasebit did not make: no roles, no verbs, no ptxas version.
Status add_cubin(const Tools& tools, const Disassembler& disassembler, const std::string& path,
                 std::vector<GateSubject>& subjects) {
  PHASEBIT_TRY_ASSIGN(bytes, read_file(path));
  PHASEBIT_TRY_ASSIGN(cubin, read_cubin(bytes, path));
  PHASEBIT_TRY_ASSIGN(target, tools.targets.find(cubin.target));
  PHASEBIT_TRY_ASSIGN(kernels, read_module(disassembler, cubin));
  for (const auto& [name, kernel] : kernels) {
    CalledCode called = count_with_callees(kernel, kernels);
    Features features = take_features(kernel, {}, {});
    features.kernel = std::move(called.counts);
    subjects.push_back({name, target.name, target.family, std::nullopt, kernel.code.hash,
                        std::move(features), std::move(called.lines)});
  }
  return {};
}

// Variants of the sweep in each column.
Status add_variants(Tools& tools, const Disassembler& disassembler, const SpaceRequest& request,
                    const std::vector<CodeColumn>& columns, unsigned jobs,
                    std::vector<GateSubject>& subjects) {
  PHASEBIT_TRY_ASSIGN(space, open_space(request, Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, jobs));
  PHASEBIT_TRY_ASSIGN(found, subjects_of(tools, disassembler, prepared, columns));
  subjects.insert(subjects.end(), found.begin(), found.end());
  return {};
}

SpaceRequest request_of(const GateRequest& options, const ExpectationFile& file) {
  SpaceRequest request = options.space;
  if (!request.ids.empty() || !request.variants.empty() || !request.spec.empty()) return request;
  if (!file.spec.empty())
    request.spec = (fs::path(options.file).parent_path() / file.spec).string();
  if (request.sweep.empty()) request.sweep = file.sweep;
  return request;
}

// Cubins have their target, and nothing is assembled.
Status check_cubins(const GateRequest& options) {
  PHASEBIT_TRY(take_only(options.space, {}, "cubins are no variants", "leave --cubin out"));
  if (options.targets.empty() && options.toolchains.empty()) return {};
  return fail(Step::usage, "--target and --toolchain are for variants, not for cubins");
}

}  // namespace

Result<GateReport> sass_gate(const GateRequest& options) {
  PHASEBIT_TRY_ASSIGN(text, read_file(options.file));
  PHASEBIT_TRY_ASSIGN(file, parse_expectations(text, options.file));
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  std::vector<GateSubject> subjects;
  SpaceRequest request = request_of(options, file);
  SpaceRequest of_files = options.space;
  PHASEBIT_TRY_ASSIGN(ptx, takes_ptx(of_files, options.cubins, {}));
  if (ptx) request = of_files;
  if (!ptx && !options.cubins.empty()) PHASEBIT_TRY(check_cubins(options));
  for (const std::string& cubin : options.cubins)
    if (!ptx) PHASEBIT_TRY(add_cubin(tools, disassembler, cubin, subjects));
  if (options.cubins.empty() || ptx) {
    PHASEBIT_TRY_ASSIGN(
        targets,
        chosen_targets(tools.toolchain, options.targets.empty() ? file.targets : options.targets));
    PHASEBIT_TRY_ASSIGN(columns, columns_of(tools, targets, options.toolchains));
    PHASEBIT_TRY(add_variants(tools, disassembler, request, columns, options.tools.jobs, subjects));
  }
  return check_expectations(file.expectations, subjects);
}

}  // namespace phasebit
