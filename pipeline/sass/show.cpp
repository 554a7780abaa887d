#include "analysis/listing/listing.h"
#include "cli/commands.h"
#include "pipeline/sass/files.h"
#include "pipeline/images/images.h"
#include "pipeline/select/open_space.h"
#include "pipeline/select/ptx_files.h"
#include "pipeline/select/words.h"

#include <cstdio>

namespace phasebit {
namespace {

// The image is made with `.loc`: its code is the same, and each instruction leads to its line.
Status show_variant(const SassShowOptions& options) {
  PHASEBIT_TRY_ASSIGN(build, parse_build(options.build));
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY(check_target(tools.toolchain, options.target));
  PHASEBIT_TRY_ASSIGN(space, open_one(options.space, options.variant));
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, build, 1));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  const CodeColumn column{options.target, {}};
  const ImageSet set = std::move(make_images(tools, prepared, {column}).front());
  if (!set.images.front()) return tl::unexpected<Error>(set.images.front().error());
  const Image& image = *set.images.front();
  PHASEBIT_TRY_ASSIGN(code, module_code(*set.assembly, tools.cache_or_null(), image.module));
  PHASEBIT_TRY_ASSIGN(spec, gate_of(prepared.front(), tools, column));
  const GateInput input{image.entry, &prepared.front().kernel.source, std::move(spec)};
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(options.target));
  const LaunchShape& launch = prepared.front().head.launch;
  const ListingRequest request{
      options.json ? ListingFormat::json : ListingFormat::text, options.live, known,
      SpillBytes{image.resources.spill_store_bytes, image.resources.spill_load_bytes},
      CtaShape{launch.threads, launch.dynamic_shared_bytes}};
  PHASEBIT_TRY_ASSIGN(listing, list_kernel(disassembler, code, input, request));
  if (!options.json) {
    PHASEBIT_TRY_ASSIGN(used, tools.toolchain_of(choice_of(prepared.front(), column).ptxas));
    fmt::print("{} for {} by ptxas {}\n", prepared.front().key.id, options.target,
               used->version.text());
  }
  fmt::print("{}", listing);
  return {};
}

}  // namespace

Status run_sass_show(const SassShowOptions& options) {
  if (!is_code_file(options.variant)) {
    if (!options.kernel.empty() && !is_ptx_file(options.variant))
      return fail(Step::usage, "--kernel is for files; {} is none", options.variant);
    SassShowOptions variant = options;
    variant.space.kernel = options.kernel;
    if (variant.target.empty()) variant.target = default_target;
    return show_variant(variant);
  }
  PHASEBIT_TRY_ASSIGN(listing, show_code_file(options));
  fmt::print("{}", listing);
  return {};
}

}  // namespace phasebit
