#include "pipeline/sass/classes.h"

#include "analysis/compare/classes.h"
#include "pipeline/images/sass_images.h"
#include "pipeline/sass/files.h"
#include "pipeline/select/open_space.h"

#include <cstdio>
#include <optional>

namespace phasebit::pipeline::sass {

using compare::ClassMember;

namespace {

// Those that ptxas takes; the others are counted on standard error, with the first reason.
std::vector<ClassMember> present(const std::vector<images::Prepared>& prepared,
                                 std::vector<Result<compare::CodeSummary>>& codes) {
  std::vector<ClassMember> members;
  std::size_t missing = 0;
  std::string reason;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    if (codes[i]) {
      members.push_back({prepared[i].key, std::move(*codes[i])});
      continue;
    }
    if (++missing == 1) reason = prepared[i].key.id + ": " + codes[i].error().message;
  }
  if (missing > 0)
    fmt::print(stderr, "note: {} of {} variants have no code for this target, the first: {}\n",
               missing, prepared.size(), reason);
  return members;
}

Result<std::string> classes_of_variants(const ClassesRequest& options) {
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY(ptxas::check_target(tools.toolchain, options.target));
  PHASEBIT_TRY_ASSIGN(known, isa::parse_target(options.target));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(space, select::open_space(options.space, select::Forks::included));
  space.target = options.target;
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, options.tools.jobs));
  std::vector<Result<compare::CodeSummary>> codes(prepared.size(),
                                                  fail(Step::disassemble, "not reached"));
  const int sm = known.sm;
  PHASEBIT_TRY(images::analyse_images(
      tools, disassembler, prepared, {{options.target, {}}},
      [&](std::size_t, std::size_t variant, Result<images::AnalysedImage> image) {
        if (image)
          codes[variant] = compare::summarise(sm, image->kernel, prepared[variant].kernel.source,
                                              image->windows);
        else
          codes[variant] = tl::unexpected<Error>(image.error());
      }));
  const std::vector<ClassMember> members = present(prepared, codes);
  if (members.empty())
    return fail(Step::usage, "no variant has code for {}, so there are no classes", options.target);
  const std::vector<compare::VariantClass> classes = compare::find_classes(members);
  if (options.json) return compare::classes_as_json(members, classes);
  return fmt::format("{}: {} variants, {} codes\n\n{}", options.target, members.size(),
                     classes.size(), compare::classes_as_text(members, classes));
}

Result<std::string> classes_of_files(const ClassesRequest& options) {
  PHASEBIT_TRY(refuse_variant_options(options.space, options.tools));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  std::vector<std::string> targets;
  if (!options.target.empty()) targets.push_back(options.target);
  PHASEBIT_TRY_ASSIGN(cells,
                      read_code_files(tools, disassembler,
                                      {options.files, options.kernel, targets, options.source}));
  if (cells.empty()) return fail(Step::usage, "no kernel is left, so there are no classes");
  return foreign::print_code_classes(cells, options.json);
}

}  // namespace

Result<std::string> sass_classes(const ClassesRequest& options) {
  if (options.files.empty() && options.space.files.empty() && !options.kernel.empty())
    return fail(Step::usage, "--kernel {}: it is for files, and there is none", options.kernel);
  ClassesRequest variants = options;
  PHASEBIT_TRY_ASSIGN(ptx, takes_ptx(variants.space, options.files, options.kernel));
  if (!ptx && !options.files.empty()) return classes_of_files(options);
  if (!options.source.empty())
    return fail(Step::usage, "--source is for code files, and there are none");
  if (variants.target.empty()) variants.target = default_target;
  return classes_of_variants(variants);
}

}  // namespace phasebit::pipeline::sass
