#include "analysis/compare/matrix.h"

#include "cli/commands.h"
#include "pipeline/sass/files.h"
#include "core/base/nearest.h"
#include "pipeline/images/sass_images.h"
#include "pipeline/select/open_space.h"

#include <algorithm>
#include <cstdio>
#include <set>

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
  std::vector<std::string> words;
  for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
    const MatrixColumn& column = matrix.columns[i];
    if (word == column.name || word == column.target || word == column.ptxas)
      return MatrixReference{i, std::nullopt};
    words.push_back(column.name);
  }
  for (std::size_t i = 0; i < prepared.size(); ++i)
    if (prepared[i].key.id == word || prepared[i].key.hash == word)
      return MatrixReference{std::nullopt, i};
  words.insert(words.end(), matrix.variants.begin(), matrix.variants.end());
  return with_hint(
      fail(Step::usage, "--reference {}: no column and no variant of this matrix", word),
      nearest_word_hint(word, words));
}

// Short where all columns have the same target or ptxas.
std::vector<MatrixColumn> name_columns(const std::vector<CodeColumn>& columns,
                                       const std::string& default_ptxas) {
  std::set<std::string> targets, versions;
  for (const CodeColumn& column : columns) {
    targets.insert(column.target);
    versions.insert(column.ptxas);
  }
  std::vector<MatrixColumn> named;
  for (const CodeColumn& column : columns) {
    const std::string version = column.ptxas.empty() ? default_ptxas : column.ptxas;
    std::string name = column.target + " " + version;
    if (versions.size() == 1) name = column.target;
    if (versions.size() > 1 && targets.size() == 1) name = version;
    named.push_back({name, column.target, version});
  }
  return named;
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
  SassMatrixOptions files = options;
  if (options.files.empty() && options.space.files.empty() && !options.kernel.empty())
    return fail(Step::usage, "--kernel {}: it is for files, and there is none", options.kernel);
  PHASEBIT_TRY_ASSIGN(ptx, takes_ptx(files.space, options.files, options.kernel));
  if (ptx) {
    files.files.clear();
    return run_sass_matrix(files);
  }
  PHASEBIT_TRY_ASSIGN(format, parse_format(options.format));
  if (!options.files.empty()) {
    PHASEBIT_TRY_ASSIGN(text, code_matrix(options, format));
    fmt::print("{}", text);
    return {};
  }
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  Matrix matrix;
  PHASEBIT_TRY_ASSIGN(targets, chosen_targets(tools.toolchain, options.targets));
  PHASEBIT_TRY_ASSIGN(columns, columns_of(targets, options.toolchains));
  matrix.columns = name_columns(columns, tools.toolchain.version.text());
  PHASEBIT_TRY_ASSIGN(space, open_space(options.space, Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, options.tools.jobs));
  if (prepared.empty()) return fail(Step::usage, "no variant is left to show");
  for (const Prepared& one : prepared) matrix.variants.push_back(one.key.id);
  matrix.cells.assign(prepared.size(), std::vector<MatrixCell>(columns.size()));
  PHASEBIT_TRY_ASSIGN(reference, parse_reference(options.reference, matrix, prepared));
  matrix.reference = reference;
  std::vector<Target> known;
  for (const CodeColumn& column : columns) {
    PHASEBIT_TRY_ASSIGN(target, tools.targets.find(column.target));
    known.push_back(target);
  }
  PHASEBIT_TRY(analyse_images(
      tools, disassembler, prepared, columns,
      [&](std::size_t column, std::size_t variant, Result<AnalysedImage> image) {
        MatrixCell& cell = matrix.cells[variant][column];
        if (!image) return void(cell.problem = image.error().message);
        cell.code = summarise(known[column].sm, image->kernel, prepared[variant].kernel.source,
                              image->windows);
        const LaunchShape& launch = prepared[variant].head.launch;
        add_resources(cell.code->features, image->kernel, known[column],
                      {image->resources.spill_store_bytes, image->resources.spill_load_bytes},
                      {launch.threads, launch.dynamic_shared_bytes});
        if (format != MatrixFormat::json) slim(cell.code->features);
      }));
  fmt::print("{}", print_matrix(matrix, format));
  return {};
}

}  // namespace phasebit
