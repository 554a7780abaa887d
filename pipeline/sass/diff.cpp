#include "pipeline/sass/diff.h"

#include "pipeline/images/sass_images.h"
#include "pipeline/sass/files.h"
#include "pipeline/select/given.h"
#include "pipeline/select/open_space.h"
#include "pipeline/select/ptx_files.h"
#include "pipeline/select/words.h"

#include <optional>

namespace phasebit {
namespace {

// What the command line says of one side.
struct SideWords {
  std::string word, other;  // this side's variant or file, the other's
  std::string target, ptxas, kernel;
};

Result<DiffSide> variant_side(const DiffRequest& options, Tools& tools,
                              const Disassembler& disassembler, const SideWords& side) {
  const std::string target = side.target.empty() ? default_target : side.target;
  PHASEBIT_TRY_ASSIGN(build, parse_build(options.build));
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(target));
  SpaceRequest request = request_of_side(options.space, side.word, side.other);
  request.kernel = side.kernel;
  if (!side.ptxas.empty()) request.toolchains = {side.ptxas};
  PHASEBIT_TRY_ASSIGN(space, open_one(request, side.word));
  space.target = target;
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, build, 1));
  std::optional<Result<AnalysedImage>> image;
  PHASEBIT_TRY(analyse_images(
      tools, disassembler, prepared, {{target, {}}},
      [&](std::size_t, std::size_t, Result<AnalysedImage> one) { image = std::move(one); }));
  const std::string name = fmt::format("{} for {}", prepared.front().key.id, target);
  if (!*image) {
    Error error = image->error();
    if (!error.message.starts_with(name)) error.message = name + ": " + error.message;
    return tl::unexpected<Error>(std::move(error));
  }
  return DiffSide{name, known.sm, std::move((*image)->kernel), prepared.front().kernel.source,
                  std::move((*image)->windows)};
}

Status check_words(const DiffRequest& options) {
  if (options.targets.size() > 2)
    return fail(Step::usage, "--target: one architecture, or one for each side");
  if (options.kernels.size() > 2)
    return fail(Step::usage, "--kernel: one name, or one for each side");
  if (options.toolchains.size() > 2)
    return fail(Step::usage, "--toolchain: one version, or one for each side");
  const bool two_kernels =
      options.kernels.size() == 2 && (is_code_file(options.first) || is_ptx_file(options.first));
  if (options.second.empty() && options.targets.size() < 2 && options.toolchains.size() < 2 &&
      !two_kernels)
    return with_hint(fail(Step::usage, "one side is missing"),
                     "name a second variant or file, or two targets as in --target "
                     "sm_90a,sm_100a, or two toolchains as in --toolchain 12.4,13.5");
  return {};
}

// Where both sides are files of code, nothing is said of variants.
Status check_files(const DiffRequest& options, const std::string& second) {
  const auto is_file = [](const std::string& word) {
    return is_code_file(word) || is_ptx_file(word);
  };
  if (!options.kernels.empty() && !is_file(options.first) && !is_file(second))
    return fail(Step::usage, "--kernel is for files, and neither side is one");
  if (!options.source.empty() && !is_code_file(options.first) && !is_code_file(second))
    return fail(Step::usage, "--source is for code files, and neither side is one");
  if (!is_code_file(options.first) || !is_code_file(second)) return {};
  if (!options.toolchains.empty() || options.build != "timed")
    return fail(Step::usage, "--toolchain and --build are for variants, not for files");
  return take_only(options.space, {}, "files are no variants", "choose with --kernel and --target");
}

}  // namespace

Result<SassDiff> sass_diff(const DiffRequest& options) {
  PHASEBIT_TRY(check_words(options));
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  std::vector<DiffSide> sides;
  const std::string second = options.second.empty() ? options.first : options.second;
  PHASEBIT_TRY(check_files(options, second));
  for (const std::string& word : {options.first, second}) {
    const auto of_side = [&](const std::vector<std::string>& words) {
      return words.empty() ? std::string() : sides.empty() ? words.front() : words.back();
    };
    const SideWords words{word, sides.empty() ? second : options.first, of_side(options.targets),
                          of_side(options.toolchains), of_side(options.kernels)};
    auto side = is_code_file(word)
                    ? code_side(tools, disassembler, word, {words.kernel, words.target},
                                source_view(options.source))
                    : variant_side(options, tools, disassembler, words);
    if (!side) return tl::unexpected<Error>(side.error());
    sides.push_back(std::move(*side));
  }
  // One file is made of one source.
  if (options.second.empty() || options.second == options.first)
    for (DiffSide& side : sides) side.shares_verbs = true;
  PHASEBIT_TRY_ASSIGN(diff, diff_kernels(sides[0], sides[1]));
  return SassDiff{std::move(sides[0]), std::move(sides[1]), std::move(diff)};
}

}  // namespace phasebit
