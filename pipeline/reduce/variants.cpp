#include "pipeline/reduce/variants.h"

#include "pipeline/select/open_space.h"

namespace phasebit::pipeline::reduce {
namespace {

Status check_words(const VariantReduceRequest& options) {
  if (options.targets.empty() || options.targets.size() > 2)
    return fail(Step::usage, "--target: one architecture, or one for each side");
  if (options.toolchains.size() > 2)
    return fail(Step::usage, "--toolchain: one version, or one for each side");
  if (options.seconds < 1) return fail(Step::usage, "--seconds {}: at least 1", options.seconds);
  return {};
}

struct Side {
  images::Prepared prepared;
  ReduceSide how;
};

// What the side's id says, with the version of --toolchain in the place of its own.
Result<Side> open_side(const VariantReduceRequest& options, std::size_t index) {
  const auto of_side = [&](const std::vector<std::string>& words) {
    return words.empty() ? std::string() : index == 0 ? words.front() : words.back();
  };
  const std::string& other = options.second.empty() ? options.first : options.second;
  const bool second = index == 1 && !options.second.empty();
  const std::string& word = second ? options.second : options.first;
  select::SpaceRequest request =
      select::request_of_side(options.space, word, second ? options.first : other);
  if (const std::string ptxas = of_side(options.toolchains); !ptxas.empty())
    request.toolchains = {ptxas};
  PHASEBIT_TRY_ASSIGN(space, select::open_one(request, word));
  space.target = of_side(options.targets);
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, 1));
  const ptxas::AssemblerChoice choice = ptxas::assembler_of(prepared.front().key);
  return Side{std::move(prepared.front()), {of_side(options.targets), choice}};
}

}  // namespace

Result<Reduction> reduce_variants(const VariantReduceRequest& options) {
  PHASEBIT_TRY(check_words(options));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(a, open_side(options, 0));
  PHASEBIT_TRY_ASSIGN(b, open_side(options, 1));
  if (ptxas::text_key(a.prepared.key).id != ptxas::text_key(b.prepared.key).id)
    return with_hint(
        fail(Step::usage, "{} and {} are two texts", a.prepared.key.id, b.prepared.key.id),
        "reduce takes one text by two ptxas; compare two with sass diff");
  ReduceRequest request;
  request.opcode = options.opcode;
  request.where = options.in_loop ? flow::CountIn::loops : flow::CountIn::kernel;
  request.seconds = std::chrono::seconds(options.seconds);
  if (!options.out.empty()) request.file = fs::path(options.out).filename().string();
  return reduce_difference(tools, a.prepared, std::array<ReduceSide, 2>{a.how, b.how}, request);
}

}  // namespace phasebit::pipeline::reduce
