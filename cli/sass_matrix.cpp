#include "analysis/sass/matrix.h"
#include "cli/commands.h"
#include "cli/sass_images.h"
#include "core/base/nearest.h"

#include <algorithm>
#include <cstdio>

namespace phasebit {
namespace {

Result<MatrixFormat> parse_format(const std::string& word) {
  if (word == "text") return MatrixFormat::text;
  if (word == "markdown") return MatrixFormat::markdown;
  if (word == "json") return MatrixFormat::json;
  return with_hint(fail(Step::usage, "--format {}: no such format", word),
                   nearest_word_hint(word, {"text", "markdown", "json"}));
}

Result<MatrixReference> parse_reference(const std::string& word, const Matrix& matrix,
                                        const std::vector<Prepared>& prepared) {
  if (word.empty()) return MatrixReference{0, std::nullopt};
  const auto target = std::find(matrix.targets.begin(), matrix.targets.end(), word);
  if (target != matrix.targets.end())
    return MatrixReference{static_cast<std::size_t>(target - matrix.targets.begin()), std::nullopt};
  for (std::size_t i = 0; i < prepared.size(); ++i)
    if (prepared[i].key.id == word || prepared[i].key.hash == word)
      return MatrixReference{std::nullopt, i};
  std::vector<std::string> words = matrix.targets;
  words.insert(words.end(), matrix.variants.begin(), matrix.variants.end());
  return with_hint(
      fail(Step::usage, "--reference {}: no target and no variant of this matrix", word),
      nearest_word_hint(word, words));
}

// Only what is shown of thousands of cells is kept.
void slim(Features& features) {
  features.verbs.clear();
  features.kernel.opcodes.clear();
  for (LoopFeatures& loop : features.loops) {
    loop.cold.opcodes.clear();
    loop.beside.opcodes.clear();
  }
}

}  // namespace

Status run_sass_matrix(const SassMatrixOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, parse_format(options.format));
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  Matrix matrix;
  PHASEBIT_TRY_ASSIGN(targets, chosen_targets(tools.toolchain, options.targets));
  matrix.targets = targets;
  PHASEBIT_TRY_ASSIGN(space, open_space(options.space, Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, options.tools.jobs));
  if (prepared.empty()) return fail(Step::usage, "no variant is left to show");
  for (const Prepared& one : prepared) matrix.variants.push_back(one.key.id);
  matrix.cells.assign(prepared.size(), std::vector<MatrixCell>(targets.size()));
  PHASEBIT_TRY_ASSIGN(reference, parse_reference(options.reference, matrix, prepared));
  matrix.reference = reference;
  std::vector<int> sms;
  for (const std::string& target : targets) {
    PHASEBIT_TRY_ASSIGN(known, parse_target(target));
    sms.push_back(known.sm);
  }
  PHASEBIT_TRY(analyse_images(
      tools, disassembler, space.catalogue, prepared, targets,
      [&](std::size_t target, std::size_t variant, Result<AnalysedImage> image) {
        MatrixCell& cell = matrix.cells[variant][target];
        if (!image) return void(cell.problem = image.error().message);
        cell.code =
            summarise(sms[target], image->kernel, prepared[variant].kernel.source, image->windows);
        if (format != MatrixFormat::json) slim(cell.code->features);
      }));
  fmt::print("{}", print_matrix(matrix, format));
  return {};
}

}  // namespace phasebit
