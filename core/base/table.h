// A table as a value, and its forms: text, Markdown, CSV, JSON, HTML.
#pragma once

#include "core/base/error.h"

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::base {

struct Cell {
  std::string text;
  std::optional<double> value;  // the number of the text
  std::optional<double> half_width;
  bool is_count = false;  // JSON has it as an integer

  Cell() = default;
  Cell(std::string shown) : text(std::move(shown)) {}
  Cell(const char* shown) : text(shown) {}
  Cell(std::string shown, std::optional<double> number, std::optional<double> width)
      : text(std::move(shown)), value(number), half_width(width) {}
  template <std::integral Number>
  Cell(Number number)
      : text(std::to_string(number)), value(static_cast<double>(number)), is_count(true) {}
};

struct Column {
  std::string title;
  bool right_aligned = false;  // for numbers
  // In text a longer cell gets a line of its own above the rest of its row; 0: none does.
  std::size_t most_width = 0;
  // In text the words of a longer cell go on in lines below it; 0: they do not.
  std::size_t wraps_at = 0;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  // sentences below it
  // The notes say all that the rows hold: a reader gets the notes, a program the rows.
  bool sentences_only = false;
};

enum class TableFormat { text, markdown, csv, json, html };
// Step::usage with the nearest word.
Result<TableFormat> table_format(std::string_view word);

// CSV and JSON give the numbers of the text, in full. HTML is the table element alone, then a
// paragraph a note.
std::string render(const Table& table, TableFormat format);

// Characters, not bytes: the continuation bytes of UTF-8 take no room.
std::size_t characters_in(const std::string& text);

// One field of a CSV file, quoted when it must be (RFC 4180).
std::string csv_field(const std::string& text);

}  // namespace phasebit::base
