#include "analysis/foreign/table.h"

#include "analysis/compare/diff_report.h"
#include "analysis/flow/features_json.h"
#include "core/base/nearest.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::ordered_json;

template <typename Name>
std::vector<std::string> distinct(const std::vector<CodeCell>& cells, Name name) {
  std::vector<std::string> names;
  for (const CodeCell& cell : cells)
    if (std::find(names.begin(), names.end(), name(cell)) == names.end())
      names.push_back(name(cell));
  return names;
}

// The cells as a matrix; null where a column does not have a kernel.
struct Grid {
  std::vector<std::string> kernels, columns;
  std::vector<std::vector<const CodeCell*>> cells;
  std::size_t reference = 0;

  std::string difference(std::size_t row, std::size_t column) const {
    const CodeCell *from = cells[row][reference], *to = cells[row][column];
    if (from == nullptr || to == nullptr) return "";
    return from == to ? "reference" : describe_code_change(from->code, to->code);
  }
};

Grid grid_of(const std::vector<CodeCell>& cells) {
  Grid grid{distinct(cells, [](const CodeCell& cell) { return cell.kernel; }),
            distinct(cells, [](const CodeCell& cell) { return cell.column; }),
            {},
            0};
  const auto index = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  grid.cells.assign(grid.kernels.size(),
                    std::vector<const CodeCell*>(grid.columns.size(), nullptr));
  for (const CodeCell& cell : cells) {
    const CodeCell*& place =
        grid.cells[index(grid.kernels, cell.kernel)][index(grid.columns, cell.column)];
    if (place == nullptr) place = &cell;
  }
  return grid;
}

std::string class_of(const CodeCell& cell) {
  return cell.code.text_hash.substr(0, 6);
}

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

std::string as_text(const Grid& grid) {
  std::size_t width = 8;
  for (const std::string& column : grid.columns) width = std::max(width, column.size());
  std::string text =
      fmt::format("against {}; counts of the whole kernel\n", grid.columns[grid.reference]);
  for (std::size_t row = 0; row < grid.kernels.size(); ++row) {
    add_line(text, "\n" + grid.kernels[row]);
    add_line(text, fmt::format("  {:{}} {:6} {:>5} {:>6} {:>5} {:>6} {:>6} {:>6} {:>5} {:>5}  {}",
                               "", width, "class", "instr", "issue", "regs", "shared", "fences",
                               "sleeps", "waits", "loops", "difference"));
    for (std::size_t column = 0; column < grid.columns.size(); ++column) {
      const CodeCell* cell = grid.cells[row][column];
      if (cell == nullptr) {
        add_line(text, fmt::format("  {:{}} -      not in it", grid.columns[column], width));
        continue;
      }
      const Features& all = cell->code.features;
      add_line(text, fmt::format("  {:{}} {:6} {:>5} {:>6} {:>5} {:>6} {:>6} {:>6} {:>5} {:>5}  {}",
                                 cell->column, width, class_of(*cell), all.kernel.instructions,
                                 all.kernel.issue_cycles, all.registers, all.static_shared_bytes,
                                 all.kernel.fences, all.kernel.sleeps, all.kernel.scoreboard_waits,
                                 cell->loops, grid.difference(row, column)));
    }
  }
  return text;
}

std::string as_markdown(const Grid& grid) {
  std::string text = "| kernel |", rule = "|---|";
  for (const std::string& column : grid.columns) text += " " + column + " |", rule += "---|";
  text += "\n" + rule + "\n";
  for (std::size_t row = 0; row < grid.kernels.size(); ++row) {
    text += "| `" + grid.kernels[row] + "` |";
    for (std::size_t column = 0; column < grid.columns.size(); ++column) {
      const CodeCell* cell = grid.cells[row][column];
      if (cell == nullptr) {
        text += " - |";
        continue;
      }
      const std::string difference = grid.difference(row, column);
      text +=
          fmt::format(" `{}` {}/{}{} |", class_of(*cell), cell->code.features.kernel.instructions,
                      cell->code.features.kernel.issue_cycles,
                      difference.empty() ? "" : "; " + difference.substr(0, difference.find(':')));
    }
    text += "\n";
  }
  return text;
}

std::string as_json_text(const Grid& grid) {
  ordered_json rows = ordered_json::array();
  for (std::size_t row = 0; row < grid.kernels.size(); ++row) {
    ordered_json cells = ordered_json::array();
    const CodeCell* from = grid.cells[row][grid.reference];
    for (std::size_t column = 0; column < grid.columns.size(); ++column) {
      const CodeCell* cell = grid.cells[row][column];
      if (cell == nullptr) {
        cells.push_back(nullptr);
        continue;
      }
      cells.push_back(
          {{"column", cell->column},
           {"text_hash", cell->code.text_hash},
           {"code_class", cell->code.code.hash},
           {"change", from == nullptr ? "" : to_string(change_between(from->code, cell->code))},
           {"difference", grid.difference(row, column)},
           {"loops", cell->loops},
           {"features", as_json(cell->code.features)}});
    }
    rows.push_back({{"kernel", grid.kernels[row]}, {"cells", cells}});
  }
  const ordered_json all = {
      {"reference", grid.columns[grid.reference]}, {"columns", grid.columns}, {"rows", rows}};
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

CodeCell code_cell(const ReadKernel& read, int sm, std::string kernel, std::string column) {
  return {std::move(kernel), std::move(column), summarise(sm, read.kernel, read.source, {}),
          read.loops.loops.size()};
}

std::string describe_code_change(const CodeSummary& left, const CodeSummary& right) {
  const Change change = change_between(left, right);
  if (change == Change::data) return data_in_words(left, right);
  if (change != Change::instructions) return to_string(change);
  const std::string opcodes = opcode_changes(left.features.kernel, right.features.kernel);
  return "instructions: " + (opcodes.empty() ? "the same opcodes in another order" : opcodes);
}

Result<std::string> print_code_matrix(const std::vector<CodeCell>& cells,
                                      const std::string& reference, MatrixFormat format) {
  Grid grid = grid_of(cells);
  if (grid.columns.empty()) return fail(Step::usage, "no kernel is left to show");
  if (!reference.empty()) {
    const auto found = std::find(grid.columns.begin(), grid.columns.end(), reference);
    if (found == grid.columns.end())
      return with_hint(fail(Step::usage, "--reference {}: no column of this matrix", reference),
                       nearest_word_hint(reference, grid.columns));
    grid.reference = static_cast<std::size_t>(found - grid.columns.begin());
  }
  switch (format) {
    case MatrixFormat::text: return as_text(grid);
    case MatrixFormat::markdown: return as_markdown(grid);
    case MatrixFormat::json: return as_json_text(grid);
  }
  bug("unknown format");
}

}  // namespace phasebit
