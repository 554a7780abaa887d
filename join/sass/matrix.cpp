#include "join/sass/matrix.h"

#include "analysis/compare/classes.h"
#include "core/base/text.h"
#include "join/select/ptx_files.h"

#include <cstdio>

namespace phasebit::join::sass {

using compare::ClassMember;
using compare::Matrix;
using compare::MatrixColumn;
using compare::MatrixReference;
using images::SubjectPlace;

namespace {

Result<MatrixReference> parse_reference(const std::string& word, const SubjectGrid& grid) {
  if (word.empty()) return MatrixReference{0, std::nullopt};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    const MatrixColumn& column = grid.columns[i];
    if (word == column.name || word == column.target || word == column.ptxas)
      return MatrixReference{i, std::nullopt};
    words.push_back(column.name);
  }
  for (std::size_t i = 0; i < grid.prepared.size(); ++i)
    if (grid.prepared[i].key.id == word || grid.prepared[i].key.hash == word)
      return MatrixReference{std::nullopt, i};
  for (const GridRow& row : grid.rows) words.push_back(row.name);
  return with_hint(fail(Step::usage, "--reference {}: no column{} of this matrix", word,
                        grid.of_files ? "" : " and no variant"),
                   base::nearest_word_hint(word, words));
}

}  // namespace

Result<Matrix> sass_matrix(const MatrixRequest& options) {
  PHASEBIT_TRY(meant_by(options));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(grid, open_grid(tools, options));
  if (grid.rows.empty())
    return fail(Step::usage, "no {} is left to show", grid.of_files ? "kernel" : "variant");
  Matrix matrix;
  matrix.of_files = grid.of_files;
  matrix.columns = grid.columns;
  for (const GridRow& row : grid.rows) matrix.variants.push_back(row.shown);
  matrix.cells.assign(grid.rows.size(), std::vector<compare::MatrixCell>(
                                            grid.columns.size(), {"not in it", std::nullopt}));
  PHASEBIT_TRY_ASSIGN(reference, parse_reference(options.reference, grid));
  matrix.reference = reference;
  PHASEBIT_TRY_ASSIGN(summaries,
                      summarise_grid(tools, disassembler, grid, {options.source, options.in_full}));
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const SubjectPlace& place = grid.places[i];
    Result<PlaceSummary>& one = summaries[i];
    compare::MatrixCell& cell = matrix.cells[place.row][place.column];
    if (one)
      cell = {"", std::move(one->code), one->loops};
    else
      cell.problem = one.error().message;
  }
  return matrix;
}

namespace {

// Those that ptxas takes; the others are counted on standard error, with the first reason.
std::vector<ClassMember> present(const SubjectGrid& grid,
                                 std::vector<Result<PlaceSummary>>& summaries) {
  std::vector<ClassMember> members;
  std::size_t missing = 0;
  std::string reason;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const launch::VariantKey& key = grid.prepared[grid.places[i].row].key;
    if (summaries[i])
      members.push_back({key, std::move(summaries[i]->code)});
    else if (++missing == 1)
      reason = key.id + ": " + summaries[i].error().message;
  }
  if (missing > 0)
    fmt::print(stderr, "note: {} of {} variants have no code for this target, the first: {}\n",
               missing, summaries.size(), reason);
  return members;
}

Result<std::string> print_variants(const SubjectGrid& grid,
                                   std::vector<Result<PlaceSummary>> summaries, bool json) {
  const std::string& target = grid.columns.front().target;
  const std::vector<ClassMember> members = present(grid, summaries);
  if (members.empty())
    return fail(Step::usage, "no variant has code for {}, so there are no classes", target);
  const std::vector<compare::VariantClass> classes = compare::find_classes(members);
  if (json) return compare::classes_as_json(members, classes);
  return fmt::format("{}: {} variants, {} codes\n\n{}", target, members.size(), classes.size(),
                     compare::classes_as_text(members, classes));
}

}  // namespace

Result<std::string> sass_classes(const ClassesRequest& options) {
  SubjectRequest request = options;
  if (!options.target.empty()) request.targets = {options.target};
  PHASEBIT_TRY_ASSIGN(meant, meant_by(request));
  if (meant.variants && options.target.empty())
    request.targets = {select::default_target(
        meant.space.files.empty() ? std::string() : meant.space.files.front())};
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(grid, open_grid(tools, request, meant.variants));
  if (grid.places.empty()) return fail(Step::usage, "no kernel is left, so there are no classes");
  PHASEBIT_TRY_ASSIGN(summaries, summarise_grid(tools, disassembler, grid, {options.source, true}));
  if (!grid.of_files) return print_variants(grid, std::move(summaries), options.json);
  return foreign::print_code_classes(cells_of(grid, std::move(summaries)), options.json);
}

}  // namespace phasebit::join::sass
