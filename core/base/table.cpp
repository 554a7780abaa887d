#include "core/base/table.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

namespace phasebit::base {

std::size_t characters_in(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

namespace {

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string space(width - std::min(width, characters_in(text)), ' ');
  return right ? space + text : text + space;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string one_line(const std::string& text) {
  return replaced(text, "\n", " ");
}

std::string markdown_cell(const std::string& text) {
  return replaced(one_line(text), "|", "\\|");
}

// Text of all cells, the titles first.
std::vector<std::vector<std::string>> grid(const Table& table,
                                           std::string (*cell_text)(const std::string&)) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(cell_text(column.title));
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (const Cell& cell : row) lines.back().push_back(cell_text(cell.text));
  }
  return lines;
}

bool stands_alone(const Column& column, const std::string& text) {
  return column.most_width > 0 && characters_in(text) > column.most_width;
}

std::vector<size_t> widths_of(const Table& table,
                              const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths(lines[0].size(), 3);
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      if (!stands_alone(table.columns[i], line[i]))
        widths[i] = std::max(widths[i], characters_in(line[i]));
  return widths;
}

// The words of a cell in lines of at most so many characters, where it has no longer word.
std::vector<std::string> wrapped(const std::string& text, size_t width) {
  if (width == 0) return {text};
  std::vector<std::string> lines(1);
  for (const std::string_view word : split(text, ' ')) {
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (characters_in(line) + 1 + characters_in(std::string(word)) <= width)
      line += fmt::format(" {}", word);
    else
      lines.emplace_back(word);
  }
  return lines;
}

// The lines of a text table: a row of the grid is as many as its longest wrapped cell.
std::vector<std::vector<std::string>> wrapped(const Table& table,
                                              const std::vector<std::vector<std::string>>& grid) {
  std::vector<std::vector<std::string>> lines;
  for (const auto& row : grid) {
    const size_t first = lines.size();
    for (size_t j = 0; j < row.size(); ++j) {
      const std::vector<std::string> cell = wrapped(row[j], table.columns[j].wraps_at);
      if (lines.size() < first + cell.size())
        lines.resize(first + cell.size(), std::vector<std::string>(row.size()));
      for (size_t i = 0; i < cell.size(); ++i) lines[first + i][j] = cell[i];
    }
  }
  return lines;
}

std::string notes_of(const Table& table) {
  std::string text;
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

std::string markdown(const Table& table) {
  const auto lines = grid(table, markdown_cell);
  const auto widths = widths_of(table, lines);
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    text += "|";
    for (size_t j = 0; j < lines[i].size(); ++j)
      text += " " + padded(lines[i][j], widths[j], table.columns[j].right_aligned) + " |";
    text += "\n";
    if (i != 0) continue;
    text += "|";
    for (size_t j = 0; j < widths.size(); ++j)
      text += std::string(widths[j] + 1, '-') + (table.columns[j].right_aligned ? ":|" : "-|");
    text += "\n";
  }
  return table.notes.empty() ? text : text + "\n" + notes_of(table);
}

std::string plain(const Table& table) {
  const auto lines = wrapped(table, grid(table, one_line));
  const auto widths = widths_of(table, lines);
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (size_t j = 0; j < line.size(); ++j) {
      const bool alone = stands_alone(table.columns[j], line[j]);
      if (alone) text += line[j] + "\n";
      out += (j == 0 ? "" : "  ") +
             padded(alone ? "" : line[j], widths[j], table.columns[j].right_aligned);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text + notes_of(table);
}

// Whether any cell of a column has an interval.
bool has_intervals(const Table& table, size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].half_width.has_value(); });
}

std::string csv(const Table& table) {
  std::string text;
  for (size_t j = 0; j < table.columns.size(); ++j) {
    text += (j == 0 ? "" : ",") + csv_field(table.columns[j].title);
    if (has_intervals(table, j)) text += "," + csv_field(table.columns[j].title + " half width");
  }
  text += "\n";
  for (const auto& row : table.rows) {
    for (size_t j = 0; j < row.size(); ++j) {
      const Cell& cell = row[j];
      text += j == 0 ? "" : ",";
      text += cell.value ? fmt::format("{}", *cell.value) : csv_field(cell.text);
      if (has_intervals(table, j))
        text += cell.half_width ? fmt::format(",{}", *cell.half_width) : ",";
    }
    text += "\n";
  }
  return text;
}

std::string json(const Table& table) {
  using nlohmann::ordered_json;
  ordered_json rows = ordered_json::array();
  for (const auto& row : table.rows) {
    ordered_json object = ordered_json::object();
    for (size_t j = 0; j < row.size(); ++j) {
      const Cell& cell = row[j];
      ordered_json& out = object[table.columns[j].title];
      if (cell.half_width)
        out = {{"value", *cell.value}, {"half_width", *cell.half_width}};
      else if (cell.value && cell.is_count)
        out = static_cast<std::int64_t>(*cell.value);
      else if (cell.value)
        out = *cell.value;
      else
        out = cell.text;
    }
    rows.push_back(std::move(object));
  }
  const ordered_json whole = {{"rows", std::move(rows)}, {"notes", table.notes}};
  return whole.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string escaped(const std::string& text) {
  return replaced(replaced(replaced(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
}

std::string html(const Table& table) {
  std::string text = "<table>\n";
  const auto lines = grid(table, escaped);
  for (size_t i = 0; i < lines.size(); ++i) {
    const char* tag = i == 0 ? "th" : "td";
    text += "<tr>";
    for (size_t j = 0; j < lines[i].size(); ++j)
      text += fmt::format("<{}{}>{}</{}>", tag,
                          table.columns[j].right_aligned ? " style=\"text-align: right\"" : "",
                          lines[i][j], tag);
    text += "</tr>\n";
  }
  text += "</table>\n";
  for (const std::string& note : table.notes) text += "<p>" + escaped(note) + "</p>\n";
  return text;
}

constexpr std::array<std::pair<std::string_view, TableFormat>, 5> formats = {
    {{"text", TableFormat::text},
     {"markdown", TableFormat::markdown},
     {"csv", TableFormat::csv},
     {"json", TableFormat::json},
     {"html", TableFormat::html}}};

}  // namespace

Result<TableFormat> table_format(std::string_view word) {
  std::vector<std::string> words;
  for (const auto& [name, format] : formats) {
    if (word == name) return format;
    words.emplace_back(name);
  }
  return with_hint(fail(Step::usage, "--format {}: no such format", word),
                   base::nearest_word_hint(word, words));
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return "\"" + replaced(text, "\"", "\"\"") + "\"";
}

std::string render(const Table& table, TableFormat format) {
  switch (format) {
    case TableFormat::markdown: return table.sentences_only ? notes_of(table) : markdown(table);
    case TableFormat::text: return table.sentences_only ? notes_of(table) : plain(table);
    case TableFormat::csv: return csv(table);
    case TableFormat::json: return json(table);
    case TableFormat::html: return html(table);
  }
  bug("unknown table format");
}

}  // namespace phasebit::base
