#include "analysis/compare/matrix.h"

#include "analysis/compare/summary.h"
#include "analysis/flow/features.h"

#include <sstream>

#include <nlohmann/json.hpp>

namespace phasebit::compare {

using base::Cell;
using base::render;
using base::Table;
using base::TableFormat;

namespace {

using nlohmann::ordered_json;

std::string class_of(const CodeSummary& code) {
  return code.text_hash.substr(0, 6);
}

// "producer 25/61, consumer 24/69": instructions and issue cycles of a turn.
std::string loops_of(const CodeSummary& code) {
  std::string text;
  for (const flow::LoopFeatures& loop : code.features.loops) {
    if (!text.empty()) text += ", ";
    if (!loop.role.empty()) text += loop.role + " ";
    text += loop.problem.empty()
                ? fmt::format("{}/{}", loop.hot.instructions, loop.hot.issue_cycles)
                : "-";
  }
  return text;
}

std::string why_none(const MatrixCell& cell) {
  return cell.problem.substr(0, cell.problem.find(", the target is"));
}

// What is said of a cell; in text the columns that it is said of come before it.
std::vector<base::Column> columns_of(const Matrix& matrix) {
  if (matrix.of_files)
    return {{"class"},        {"instr", true},  {"issue", true}, {"regs", true},  {"shared", true},
            {"fences", true}, {"sleeps", true}, {"waits", true}, {"loops", true}, {"difference"}};
  return {{"class"},        {"instr", true}, {"regs", true}, {"fences", true},
          {"sleeps", true}, {"waits", true}, {"loops"},      {"difference"}};
}

std::vector<Cell> cells_of(const Matrix& matrix, std::size_t v, std::size_t t) {
  const MatrixCell& cell = matrix.cells[v][t];
  if (!cell.code) {
    std::vector<Cell> none(columns_of(matrix).size());
    none.front() = "-";
    none.back() = why_none(cell);
    return none;
  }
  const flow::Features& all = cell.code->features;
  const std::string changed = difference(matrix, v, t);
  if (matrix.of_files)
    return {class_of(*cell.code),
            all.kernel.instructions,
            all.kernel.issue_cycles,
            all.registers,
            all.static_shared_bytes,
            all.kernel.fences,
            all.kernel.sleeps,
            all.kernel.scoreboard_waits,
            cell.loops ? Cell(*cell.loops) : Cell("?"),
            changed};
  const flow::CodeCounts hot = hot_code(all);
  return {class_of(*cell.code), all.kernel.instructions, all.registers,        hot.fences,
          hot.sleeps,           hot.scoreboard_waits,    loops_of(*cell.code), changed};
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
                     : why_none(cell);
  };
  std::vector<ColumnGroup> groups;
  for (std::size_t t = 0; t < matrix.columns.size(); ++t)
    if (!groups.empty() && !matrix.of_files && text(groups.back().first) == text(t))
      groups.back().names += " " + matrix.columns[t].name;
    else
      groups.push_back({matrix.columns[t].name, t});
  return groups;
}

Table row_table(const Matrix& matrix, std::size_t v) {
  Table table{columns_of(matrix), {}, {}};
  table.columns.insert(table.columns.begin(), {"columns", false, 24});
  for (const ColumnGroup& group : group_columns(matrix, v)) {
    std::vector<Cell> row = cells_of(matrix, v, group.first);
    row.insert(row.begin(), group.names);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Source lines of a row in all columns, where they were asked for.
std::string lines_as_text(const Matrix& matrix, std::size_t v) {
  std::vector<std::pair<std::string, const CodeSummary*>> columns;
  for (std::size_t t = 0; t < matrix.columns.size(); ++t) {
    const std::optional<CodeSummary>& code = matrix.cells[v][t].code;
    columns.emplace_back(matrix.columns[t].name, code ? &*code : nullptr);
  }
  const std::optional<Table> table = line_table(columns);
  return table ? "\n" + render(*table, TableFormat::text) : "";
}

std::string as_text(const Matrix& matrix) {
  std::string text = fmt::format(
      "against {}; {}\n", matrix.reference_name(),
      matrix.of_files
          ? "counts of the whole kernel"
          : "loops: instructions/issue cycles of one turn's hot path, the other columns "
            "after regs too");
  for (std::size_t v = 0; v < matrix.variants.size(); ++v) {
    text += "\n" + matrix.variants[v] + "\n";
    std::istringstream lines(render(row_table(matrix, v), TableFormat::text) +
                             lines_as_text(matrix, v));
    for (std::string line; std::getline(lines, line);)
      text += line.empty() ? "\n" : "  " + line + "\n";
  }
  return text;
}

// A row for each cell.
Table flat_table(const Matrix& matrix) {
  Table table{columns_of(matrix), {}, {}};
  table.columns.insert(table.columns.begin(),
                       {{matrix.of_files ? "kernel" : "variant"}, {"column"}});
  for (std::size_t v = 0; v < matrix.variants.size(); ++v)
    for (std::size_t t = 0; t < matrix.columns.size(); ++t) {
      std::vector<Cell> row = cells_of(matrix, v, t);
      row.insert(row.begin(), {matrix.variants[v], matrix.columns[t].name});
      table.rows.push_back(std::move(row));
    }
  return table;
}

// "; reference", "; operands", or "" without a reference.
std::string short_change(const Matrix& matrix, std::size_t v, std::size_t t) {
  const CodeSummary* reference = matrix.reference_of(v, t);
  const MatrixCell& cell = matrix.cells[v][t];
  if (reference == nullptr || !cell.code) return "";
  if (reference == &*cell.code) return "; reference";
  return "; " + to_string(change_between(*reference, *cell.code));
}

// A row for each variant and a column for each column.
Table square_table(const Matrix& matrix) {
  Table table;
  table.columns.push_back({matrix.of_files ? "kernel" : "variant"});
  for (const MatrixColumn& column : matrix.columns) table.columns.push_back({column.name});
  for (std::size_t v = 0; v < matrix.variants.size(); ++v) {
    std::vector<Cell> row = {"`" + matrix.variants[v] + "`"};
    for (std::size_t t = 0; t < matrix.columns.size(); ++t) {
      const MatrixCell& cell = matrix.cells[v][t];
      if (!cell.code) {
        row.emplace_back("-");
        continue;
      }
      const flow::CodeCounts& kernel = cell.code->features.kernel;
      row.emplace_back(fmt::format(
          "`{}` {}{}", class_of(*cell.code),
          matrix.of_files ? fmt::format("{}/{}", kernel.instructions, kernel.issue_cycles)
                          : loops_of(*cell.code),
          short_change(matrix, v, t)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ordered_json cell_json(const Matrix& matrix, std::size_t v, std::size_t t) {
  const MatrixCell& cell = matrix.cells[v][t];
  if (matrix.of_files && !cell.code) return nullptr;
  const CodeSummary* reference = matrix.reference_of(v, t);
  const bool compared = cell.code && reference != nullptr;
  ordered_json made = {{"column", matrix.columns[t].name}};
  if (!matrix.of_files) made["problem"] = cell.problem;
  made["text_hash"] = cell.code ? cell.code->text_hash : "";
  made["code_class"] = cell.code ? cell.code->code.hash : "";
  made["change"] = compared ? to_string(change_between(*reference, *cell.code)) : "";
  made["difference"] = difference(matrix, v, t);
  if (matrix.of_files)
    made["loops"] = cell.loops ? ordered_json(*cell.loops) : ordered_json(nullptr);
  if (cell.code && !cell.code->lines.empty()) made["lines"] = lines_as_json(*cell.code);
  made["features"] = cell.code ? flow::as_json(cell.code->features) : ordered_json(nullptr);
  return made;
}

std::string as_json_text(const Matrix& matrix) {
  ordered_json rows = ordered_json::array(), columns = ordered_json::array();
  for (const MatrixColumn& column : matrix.columns)
    columns.push_back(matrix.of_files ? ordered_json(column.name)
                                      : ordered_json({{"name", column.name},
                                                      {"target", column.target},
                                                      {"ptxas", column.ptxas}}));
  for (std::size_t v = 0; v < matrix.variants.size(); ++v) {
    ordered_json cells = ordered_json::array();
    for (std::size_t t = 0; t < matrix.columns.size(); ++t)
      cells.push_back(cell_json(matrix, v, t));
    rows.push_back(
        {{matrix.of_files ? "kernel" : "variant", matrix.variants[v]}, {"cells", cells}});
  }
  const ordered_json all = {
      {"reference", matrix.reference_name()}, {"columns", columns}, {"rows", rows}};
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
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
  return matrix.of_files ? describe_code_change(*reference, *cell.code)
                         : describe_change(*reference, *cell.code);
}

std::string print_matrix(const Matrix& matrix, TableFormat format) {
  switch (format) {
    case TableFormat::text: return as_text(matrix);
    case TableFormat::json: return as_json_text(matrix);
    case TableFormat::markdown: return render(square_table(matrix), format);
    case TableFormat::csv:
    case TableFormat::html: return render(flat_table(matrix), format);
  }
  bug("unknown format");
}

}  // namespace phasebit::compare
