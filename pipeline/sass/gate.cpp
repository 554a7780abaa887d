#include "pipeline/sass/gate.h"

#include "analysis/gate/expectation_file.h"
#include "pipeline/images/gate_subjects.h"
#include "pipeline/sass/files.h"
#include "pipeline/sass/gate_files.h"
#include "pipeline/select/open_space.h"

#include <algorithm>

namespace phasebit::pipeline::sass {

using gate::Expectation;
using gate::ExpectationFile;
using select::SpaceRequest;

namespace {

// Variants of the sweep in each column.
Status add_variants(images::Tools& tools, const disassembly::Disassembler& disassembler,
                    const SpaceRequest& request, const std::vector<images::CodeColumn>& columns,
                    unsigned jobs, const std::vector<Expectation>& rules,
                    std::vector<gate::GateSubject>& subjects) {
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request, select::Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, jobs));
  PHASEBIT_TRY_ASSIGN(found, images::subjects_of(tools, disassembler, prepared, columns, rules));
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

// Code files are there already: nothing of them is chosen or assembled.
Status check_files(const GateRequest& options) {
  PHASEBIT_TRY(refuse_variant_options(options.space, options.tools));
  if (options.toolchains.empty()) return {};
  return fail(Step::usage, "--toolchain is for variants, not for code files");
}

bool any_says(const std::vector<Expectation>& rules,
              std::vector<std::string> Expectation::* patterns) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Expectation& rule) { return !(rule.*patterns).empty(); });
}

// Rules that name kernels speak of none of the variants.
Status check_rules(const GateRequest& options, const ExpectationFile& file) {
  for (const Expectation& rule : file.expectations)
    if (!rule.kernels.empty() && rule.variants.empty())
      return with_hint(fail(Step::usage, "{}: '{}' names kernels, and there are no files of any",
                            rule.place, rule.name),
                       fmt::format("phasebit sass gate {} FILE..., or files = [\"build/*.so\"] in "
                                   "the rules; variants are named by `variants`",
                                   options.file));
  return {};
}

// What the command line says, else the rules.
Result<std::vector<std::string>> files_of(const GateRequest& options, const ExpectationFile& file) {
  if (!options.files.empty()) return expand_files(options.files, "");
  return expand_files(file.files, fs::path(options.file).parent_path().string());
}

}  // namespace

Result<gate::GateReport> sass_gate(const GateRequest& options) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(options.file));
  PHASEBIT_TRY_ASSIGN(file, gate::parse_expectations(text, options.file));
  PHASEBIT_TRY_ASSIGN(files, files_of(options, file));
  SpaceRequest request = request_of(options, file), of_files = options.space;
  PHASEBIT_TRY_ASSIGN(ptx, takes_ptx(of_files, files, {}));
  const bool code = !ptx && !files.empty();
  const bool variants = !code || !file.spec.empty() || !file.sweep.empty() ||
                        any_says(file.expectations, &Expectation::variants);
  if (code && !variants) PHASEBIT_TRY(check_files(options));
  if (files.empty()) PHASEBIT_TRY(check_rules(options, file));
  if (!code && !options.source.empty())
    return fail(Step::usage, "--source is for code files, and there are none");
  if (!code && options.full_names)
    return fail(Step::usage, "--full-names is for code files, and there are none");
  if (ptx) request = of_files;
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  const std::vector<std::string>& named = options.targets.empty() ? file.targets : options.targets;
  std::vector<gate::GateSubject> subjects;
  if (code) {
    PHASEBIT_TRY_ASSIGN(
        found, subjects_of_files(tools, disassembler, files, named, file.expectations,
                                 cubin::source::source_view(options.source), options.full_names));
    subjects = std::move(found);
  }
  if (variants) {
    PHASEBIT_TRY_ASSIGN(targets, images::chosen_targets(tools.toolchain, named));
    PHASEBIT_TRY_ASSIGN(columns, images::columns_of(tools, targets, options.toolchains));
    PHASEBIT_TRY(add_variants(tools, disassembler, request, columns, options.tools.jobs,
                              file.expectations, subjects));
  }
  return gate::check_expectations(file.expectations, subjects);
}

}  // namespace phasebit::pipeline::sass
