#include "pipeline/sass/show.h"

#include "analysis/disassembly/live.h"
#include "analysis/foreign/listing.h"
#include "analysis/foreign/module.h"
#include "analysis/listing/listing.h"
#include "pipeline/images/images.h"
#include "pipeline/sass/files.h"
#include "pipeline/select/choices.h"
#include "pipeline/select/open_space.h"
#include "pipeline/select/ptx_files.h"

namespace phasebit::pipeline::sass {

using listing::ListingFormat;

namespace {

// The image is made with `.loc`: its code is the same, and each instruction leads to its line.
Result<std::string> show_variant(const SassShowRequest& options) {
  PHASEBIT_TRY_ASSIGN(build, select::parse_build(options.build));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY(ptxas::check_target(tools.toolchain, options.target));
  PHASEBIT_TRY_ASSIGN(space, select::open_one(options.space, options.variant));
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, build, 1));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  const images::CodeColumn column{options.target, {}};
  const images::ImageSet set = std::move(images::make_images(tools, prepared, {column}).front());
  if (!set.images.front()) return tl::unexpected<Error>(set.images.front().error());
  const image::Image& image = *set.images.front();
  PHASEBIT_TRY_ASSIGN(code, ptxas::module_code(*set.assembly, tools.cache_or_null(), image.module));
  PHASEBIT_TRY_ASSIGN(spec, images::gate_of(prepared.front(), tools, column));
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(options.target));
  PHASEBIT_TRY_ASSIGN(used, tools.toolchain_of(images::choice_of(prepared.front(), column).ptxas));
  const gate::GateInput input{image.entry, &prepared.front().kernel.source, std::move(spec),
                              flow::moves_lines(used->version, known.family)};
  const image::LaunchShape& launch = prepared.front().head.launch;
  const listing::ListingRequest request{
      options.json ? ListingFormat::json : ListingFormat::text,
      options.live,
      known,
      flow::SpillBytes{image.resources.spill_store_bytes, image.resources.spill_load_bytes},
      flow::CtaShape{launch.threads, launch.dynamic_shared_bytes},
      options.excerpt,
      options.waits,
      options.flow};
  PHASEBIT_TRY_ASSIGN(listing, listing::list_kernel(disassembler, code, input, request));
  if (options.json || options.flow) return listing;
  return fmt::format("{} for {} by ptxas {}\n{}", prepared.front().key.id, options.target,
                     used->version.text(), listing);
}

// What only variants have, or only PTX that phasebit renders.
Status check_file_options(const SassShowRequest& options) {
  if (options.build != "timed")
    return fail(Step::usage, "--build {} is for variants, not for a file", options.build);
  if (!options.excerpt.verb.empty())
    return with_hint(fail(Step::usage, "--verb is for variants: a file has no verbs"),
                     "--loop N or --hot shows a part of it");
  return refuse_variant_options(options.space, options.tools);
}

// With the functions that it calls, for their loops.
Result<std::string> show_code_file(const SassShowRequest& options) {
  PHASEBIT_TRY(check_file_options(options));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(
      file, open_code_file(tools, options.variant,
                           options.target.empty() ? std::vector<std::string>{}
                                                  : std::vector<std::string>{options.target}));
  PHASEBIT_TRY_ASSIGN(found, foreign::find_kernel(file, {options.kernel, options.target}));
  PHASEBIT_TRY_ASSIGN(program,
                      foreign::read_with_callees(disassembler, {found},
                                                 cubin::source::source_view(options.source)));
  foreign::ReadKernel& read = program.code.front();
  if (options.live) {
    PHASEBIT_TRY_ASSIGN(table, disassembly::live_registers(disassembler, found.image->bytes,
                                                           {found.kernel->symbol}));
    PHASEBIT_TRY(disassembly::add_live_registers(read.kernel, table));
  }
  foreign::CodeListingRequest request{options.json ? ListingFormat::json : ListingFormat::text,
                                      disassembler.version(),
                                      options.excerpt,
                                      options.waits,
                                      options.flow,
                                      {},
                                      {},
                                      options.full_names};
  if (options.ptx) {
    PHASEBIT_TRY_ASSIGN(ptx, reading::read_ptx_lines(found.image->bytes, found.kernel->entry));
    request.ptx = std::move(ptx);
  }
  for (std::size_t i = 1; i < program.kernels.front().code.size(); ++i)
    request.callees.push_back(&program.code[program.kernels.front().code[i]]);
  return foreign::list_code(read, found, request);
}

// The graph is another picture of the code: what a listing shows has no place in it.
Status check_flow(const SassShowRequest& options) {
  if (!options.flow) return {};
  const char* with = options.json              ? "--json"
                     : options.live            ? "--live"
                     : options.waits           ? "--waits"
                     : options.ptx             ? "--ptx"
                     : !options.source.empty() ? "--source"
                                               : nullptr;
  if (with == nullptr) return {};
  return with_hint(fail(Step::usage, "--cfg: no {} with it", with),
                   "the graph has blocks, loops and key opcodes; the listing has the rest");
}

}  // namespace

Result<std::string> sass_show(const SassShowRequest& options) {
  PHASEBIT_TRY(check_flow(options));
  if (is_code_file(options.variant)) return show_code_file(options);
  if (!options.kernel.empty() && !select::is_ptx_file(options.variant))
    return fail(Step::usage, "--kernel is for files; {} is none", options.variant);
  if (!options.source.empty())
    return fail(Step::usage, "--source is for code files; {} is none", options.variant);
  if (options.full_names)
    return fail(Step::usage, "--full-names is for code files; {} is none", options.variant);
  if (options.ptx)
    return with_hint(fail(Step::usage, "--ptx is for code files; {} is none", options.variant),
                     "`phasebit show` prints a variant's PTX, and the listing names its lines");
  SassShowRequest variant = options;
  variant.space.kernel = options.kernel;
  if (variant.target.empty()) variant.target = default_target;
  return show_variant(variant);
}

}  // namespace phasebit::pipeline::sass
