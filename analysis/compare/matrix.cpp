#include "analysis/compare/matrix.h"

#include "analysis/flow/features_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::ordered_json;

std::string code_class(const CodeSummary& code) {
  return code.text_hash.substr(0, 6);
}

// "producer 25/61, consumer 24/69": instructions and issue cycles of a turn.
std::string loops_of(const CodeSummary& code) {
  std::string text;
  for (const LoopFeatures& loop : code.features.loops) {
    if (!text.empty()) text += ", ";
    if (!loop.role.empty()) text += loop.role + " ";
    text += loop.problem.empty()
                ? fmt::format("{}/{}", loop.hot.instructions, loop.hot.issue_cycles)
                : "-";
  }
  return text;
}

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

// Neighbouring columns of which a row says the same.
struct ColumnGroup {
  std::string names;
  std::size_t first = 0;
};

std::vector<ColumnGroup> group_columns(const Matrix& matrix, std::size_t v) {
  const auto text = [&](std::size_t t) {
    const MatrixCell& cell = matrix.cells[v][t];
    return cell.code ? cell.code->text_hash + cell.code->code.hash + difference(matrix, v, t)
                     : cell.problem.substr(0, cell.problem.find(", the target is"));
  };
  std::vector<ColumnGroup> groups;
  for (std::size_t t = 0; t < matrix.columns.size(); ++t)
    if (!groups.empty() && text(groups.back().first) == text(t))
      groups.back().names += " " + matrix.columns[t].name;
    else
      groups.push_back({matrix.columns[t].name, t});
  return groups;
}

// A line for each group; where its columns are many, they stand on a line of their own.
void add_row(std::string& text, const Matrix& matrix, std::size_t v) {
  constexpr std::size_t width = 24;
  for (const ColumnGroup& group : group_columns(matrix, v)) {
    const MatrixCell& cell = matrix.cells[v][group.first];
    std::string names = group.names;
    if (names.size() > width) {
      add_line(text, "  " + names);
      names.clear();
    }
    if (!cell.code) {
      add_line(text, fmt::format("  {:{}} -      {}", names, width,
                                 cell.problem.substr(0, cell.problem.find(", the target is"))));
      continue;
    }
    const CodeCounts hot = hot_code(cell.code->features);
    add_line(text, fmt::format("  {:{}} {:6} {:>5} {:>5} {:>6} {:>6} {:>5}  {:30} {}", names, width,
                               code_class(*cell.code), cell.code->features.kernel.instructions,
                               cell.code->features.registers, hot.fences, hot.sleeps,
                               hot.scoreboard_waits, loops_of(*cell.code),
                               difference(matrix, v, group.first)));
  }
}

std::string as_text(const Matrix& matrix) {
  std::string text = fmt::format(
      "against {}; loops: instructions/issue cycles of one turn's hot path, the other columns "
      "behind regs too\n",
      matrix.reference_name());
  for (std::size_t v = 0; v < matrix.variants.size(); ++v) {
    add_line(text, "\n" + matrix.variants[v]);
    add_line(text,
             fmt::format("  {:24} {:6} {:>5} {:>5} {:>6} {:>6} {:>5}  {:30} {}", "columns", "class",
                         "instr", "regs", "fences", "sleeps", "waits", "loops", "difference"));
    add_row(text, matrix, v);
  }
  return text;
}

// "; reference", "; operands", or "" without a reference.
std::string short_change(const Matrix& matrix, std::size_t v, std::size_t t) {
  const CodeSummary* reference = matrix.reference_of(v, t);
  const MatrixCell& cell = matrix.cells[v][t];
  if (reference == nullptr || !cell.code) return "";
  if (reference == &*cell.code) return "; reference";
  return "; " + to_string(change_between(*reference, *cell.code));
}

std::string as_markdown(const Matrix& matrix) {
  std::string text = "| variant |", rule = "|---|";
  for (const MatrixColumn& column : matrix.columns)
    text += " " + column.name + " |", rule += "---|";
  text += "\n" + rule + "\n";
  for (std::size_t v = 0; v < matrix.variants.size(); ++v) {
    text += "| `" + matrix.variants[v] + "` |";
    for (std::size_t t = 0; t < matrix.columns.size(); ++t) {
      const MatrixCell& cell = matrix.cells[v][t];
      if (!cell.code) {
        text += " - |";
        continue;
      }
      text += fmt::format(" `{}` {}{} |", code_class(*cell.code), loops_of(*cell.code),
                          short_change(matrix, v, t));
    }
    text += "\n";
  }
  return text;
}

ordered_json cell_json(const Matrix& matrix, std::size_t v, std::size_t t) {
  const MatrixCell& cell = matrix.cells[v][t];
  const CodeSummary* reference = matrix.reference_of(v, t);
  const bool compared = cell.code && reference != nullptr;
  return {{"column", matrix.columns[t].name},
          {"problem", cell.problem},
          {"text_hash", cell.code ? cell.code->text_hash : ""},
          {"code_class", cell.code ? cell.code->code.hash : ""},
          {"change", compared ? to_string(change_between(*reference, *cell.code)) : ""},
          {"difference", difference(matrix, v, t)},
          {"features", cell.code ? as_json(cell.code->features) : ordered_json(nullptr)}};
}

std::string as_json_text(const Matrix& matrix) {
  ordered_json rows = ordered_json::array(), columns = ordered_json::array();
  for (const MatrixColumn& column : matrix.columns)
    columns.push_back({{"name", column.name}, {"target", column.target}, {"ptxas", column.ptxas}});
  for (std::size_t v = 0; v < matrix.variants.size(); ++v) {
    ordered_json cells = ordered_json::array();
    for (std::size_t t = 0; t < matrix.columns.size(); ++t)
      cells.push_back(cell_json(matrix, v, t));
    rows.push_back({{"variant", matrix.variants[v]}, {"cells", cells}});
  }
  const ordered_json all = {
      {"reference", matrix.reference_name()}, {"columns", columns}, {"rows", rows}};
  return all.dump(1) + "\n";
}

}  // namespace

const CodeSummary* Matrix::reference_of(std::size_t variant, std::size_t column) const {
  const MatrixCell& cell =
      cells[reference.variant.value_or(variant)][reference.column.value_or(column)];
  return cell.code ? &*cell.code : nullptr;
}

std::string Matrix::reference_name() const {
  return reference.column ? columns[*reference.column].name : variants[*reference.variant];
}

std::string difference(const Matrix& matrix, std::size_t variant, std::size_t column) {
  const MatrixCell& cell = matrix.cells[variant][column];
  const CodeSummary* reference = matrix.reference_of(variant, column);
  if (!cell.code || reference == nullptr) return "";
  if (&*cell.code == reference) return "reference";
  return describe_change(*reference, *cell.code);
}

std::string print_matrix(const Matrix& matrix, MatrixFormat format) {
  switch (format) {
    case MatrixFormat::text: return as_text(matrix);
    case MatrixFormat::markdown: return as_markdown(matrix);
    case MatrixFormat::json: return as_json_text(matrix);
  }
  bug("unknown format");
}

}  // namespace phasebit
