#include "pipeline/sass/show.h"

#include "analysis/foreign/listing.h"
#include "analysis/listing/listing.h"
#include "pipeline/images/images.h"
#include "pipeline/sass/files.h"
#include "pipeline/select/open_space.h"
#include "pipeline/select/ptx_files.h"
#include "pipeline/select/words.h"

namespace phasebit {
namespace {

// The image is made with `.loc`: its code is the same, and each instruction leads to its line.
Result<std::string> show_variant(const SassShowRequest& options) {
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
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(options.target));
  PHASEBIT_TRY_ASSIGN(used, tools.toolchain_of(choice_of(prepared.front(), column).ptxas));
  const GateInput input{image.entry, &prepared.front().kernel.source, std::move(spec),
                        moves_lines(used->version, known.family)};
  const LaunchShape& launch = prepared.front().head.launch;
  const ListingRequest request{
      options.json ? ListingFormat::json : ListingFormat::text, options.live, known,
      SpillBytes{image.resources.spill_store_bytes, image.resources.spill_load_bytes},
      CtaShape{launch.threads, launch.dynamic_shared_bytes}};
  PHASEBIT_TRY_ASSIGN(listing, list_kernel(disassembler, code, input, request));
  if (options.json) return listing;
  return fmt::format("{} for {} by ptxas {}\n{}", prepared.front().key.id, options.target,
                     used->version.text(), listing);
}

Result<std::string> show_code_file(const SassShowRequest& options) {
  if (options.live) return fail(Step::usage, "--live is for variants, not for a file");
  if (options.build != "timed")
    return fail(Step::usage, "--build {} is for variants, not for a file", options.build);
  PHASEBIT_TRY(refuse_variant_options(options.space, options.tools));
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(
      file, open_code_file(tools, options.variant,
                           options.target.empty() ? std::vector<std::string>{}
                                                  : std::vector<std::string>{options.target}));
  PHASEBIT_TRY_ASSIGN(found, find_kernel(file, {options.kernel, options.target}));
  PHASEBIT_TRY_ASSIGN(read, read_code_kernels(disassembler, {found}, source_view(options.source)));
  return list_code(read.front(), found, disassembler.version(),
                   options.json ? ListingFormat::json : ListingFormat::text);
}

}  // namespace

Result<std::string> sass_show(const SassShowRequest& options) {
  if (is_code_file(options.variant)) return show_code_file(options);
  if (!options.kernel.empty() && !is_ptx_file(options.variant))
    return fail(Step::usage, "--kernel is for files; {} is none", options.variant);
  if (!options.source.empty())
    return fail(Step::usage, "--source is for code files; {} is none", options.variant);
  SassShowRequest variant = options;
  variant.space.kernel = options.kernel;
  if (variant.target.empty()) variant.target = default_target;
  return show_variant(variant);
}

}  // namespace phasebit
