#include "pipeline/sass/matrix.h"

#include "analysis/compare/classes.h"
#include "core/base/text.h"
#include "pipeline/images/sass_images.h"
#include "pipeline/sass/files.h"
#include "pipeline/select/open_space.h"

#include <cstdio>
#include <map>
#include <optional>
#include <set>

namespace phasebit::pipeline::sass {

using compare::ClassMember;
using compare::Matrix;
using compare::MatrixCell;
using compare::MatrixColumn;
using compare::MatrixReference;
using foreign::CodeCell;
using images::CodeColumn;

namespace {

Result<MatrixReference> parse_reference(const std::string& word, const Matrix& matrix,
                                        const std::vector<images::Prepared>& prepared) {
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
  return with_hint(fail(Step::usage, "--reference {}: no column{} of this matrix", word,
                        prepared.empty() ? "" : " and no variant"),
                   base::nearest_word_hint(word, words));
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
void slim(flow::Features& features) {
  features.verbs.clear();
  features.kernel.opcodes.clear();
  for (flow::LoopFeatures& loop : features.loops) {
    loop.cold.opcodes.clear();
    loop.beside.opcodes.clear();
  }
}

// Names in the order in which they come, each once.
class Names {
 public:
  std::size_t place(const std::string& name) {
    const auto [found, fresh] = places_.emplace(name, names.size());
    if (fresh) names.push_back(name);
    return found->second;
  }
  std::vector<std::string> names;

 private:
  std::map<std::string, std::size_t> places_;
};

Matrix matrix_of(std::vector<CodeCell> cells) {
  Matrix matrix;
  matrix.of_files = true;
  Names kernels, columns;
  for (const CodeCell& cell : cells) {
    kernels.place(cell.kernel);
    columns.place(cell.column);
  }
  for (const std::string& column : columns.names) matrix.columns.push_back({column, {}, {}});
  matrix.variants = kernels.names;
  matrix.cells.assign(matrix.variants.size(),
                      std::vector<MatrixCell>(columns.names.size(), {"not in it", std::nullopt}));
  for (CodeCell& cell : cells) {
    MatrixCell& place = matrix.cells[kernels.place(cell.kernel)][columns.place(cell.column)];
    if (!place.code) place = {"", std::move(cell.code), cell.loops};
  }
  return matrix;
}

Result<Matrix> matrix_of_files(const MatrixRequest& options) {
  if (!options.toolchains.empty())
    return fail(Step::usage, "--toolchain is for variants, not for files");
  PHASEBIT_TRY(refuse_variant_options(options.space, options.tools));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(
      cells, read_code_files(tools, disassembler,
                             {options.files, options.kernel, options.targets, options.source}));
  Matrix matrix = matrix_of(std::move(cells));
  if (matrix.columns.empty()) return fail(Step::usage, "no kernel is left to show");
  PHASEBIT_TRY_ASSIGN(reference, parse_reference(options.reference, matrix, {}));
  matrix.reference = reference;
  return matrix;
}

Result<Matrix> matrix_of_variants(const MatrixRequest& options) {
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  Matrix matrix;
  PHASEBIT_TRY_ASSIGN(targets, images::chosen_targets(tools.toolchain, options.targets));
  PHASEBIT_TRY_ASSIGN(columns, images::columns_of(tools, targets, options.toolchains));
  matrix.columns = name_columns(columns, tools.toolchain.version.text());
  PHASEBIT_TRY_ASSIGN(space, select::open_space(options.space, select::Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, options.tools.jobs));
  if (prepared.empty()) return fail(Step::usage, "no variant is left to show");
  for (const images::Prepared& one : prepared) matrix.variants.push_back(one.key.id);
  matrix.cells.assign(prepared.size(), std::vector<MatrixCell>(columns.size()));
  PHASEBIT_TRY_ASSIGN(reference, parse_reference(options.reference, matrix, prepared));
  matrix.reference = reference;
  std::vector<isa::Target> known;
  for (const CodeColumn& column : columns) {
    PHASEBIT_TRY_ASSIGN(target, tools.targets.find(column.target));
    known.push_back(target);
  }
  PHASEBIT_TRY(images::analyse_images(
      tools, disassembler, prepared, columns,
      [&](std::size_t column, std::size_t variant, Result<images::AnalysedImage> image) {
        MatrixCell& cell = matrix.cells[variant][column];
        if (!image) return void(cell.problem = image.error().message);
        cell.code = compare::summarise(known[column].sm, image->kernel,
                                       prepared[variant].kernel.source, image->windows);
        const image::LaunchShape& launch = prepared[variant].head.launch;
        flow::add_resources(cell.code->features, image->kernel, known[column],
                            {image->resources.spill_store_bytes, image->resources.spill_load_bytes},
                            {launch.threads, launch.dynamic_shared_bytes});
        if (!options.in_full) slim(cell.code->features);
      }));
  return matrix;
}

}  // namespace

Result<Matrix> sass_matrix(const MatrixRequest& options) {
  if (options.files.empty() && options.space.files.empty() && !options.kernel.empty())
    return fail(Step::usage, "--kernel {}: it is for files, and there is none", options.kernel);
  MatrixRequest files = options;
  PHASEBIT_TRY_ASSIGN(ptx, takes_ptx(files.space, options.files, options.kernel));
  if (!ptx && !options.files.empty()) return matrix_of_files(options);
  if (!options.source.empty())
    return fail(Step::usage, "--source is for code files, and there are none");
  return matrix_of_variants(files);
}

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
