// A table as a value, and its forms.
#pragma once

#include "core/base/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit {

struct Cell {
  std::string text;
  std::optional<double> value;  // the number behind the text
  std::optional<double> half_width;
};

// A cell without a number behind it.
Cell text_cell(std::string text);

struct Column {
  std::string title;
  bool right_aligned = false;  // for numbers
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  // sentences below it
  // The notes say all that the rows hold: a reader gets the notes, a program the rows.
  bool sentences_only = false;
};

enum class TableFormat { markdown, text, csv, json };
// Step::usage with the nearest word.
Result<TableFormat> table_format(std::string_view word);

// CSV and JSON give the numbers behind the text, in full.
std::string render(const Table& table, TableFormat format);

}  // namespace phasebit
