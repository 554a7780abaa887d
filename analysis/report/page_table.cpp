#include "analysis/report/page_table.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace phasebit::report {

namespace {

std::string title_word(std::string title) {
  std::replace(title.begin(), title.end(), ' ', '_');
  return title;
}

Status hide_column(base::Table& table, const std::string& word) {
  std::vector<std::string> titles;
  for (const base::Column& column : table.columns) titles.push_back(title_word(column.title));
  const auto found = std::find(titles.begin(), titles.end(), word);
  if (found == titles.end())
    return with_hint(fail(Step::usage, "hide={}: the table has no such column", word),
                     base::nearest_word_hint(word, titles));
  const auto at = found - titles.begin();
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
  return {};
}

// "moved by padding (4.00)" and "modes: 1 stage, 8 stages": the flag, and the number after it,
// which differs from row to row. Which of the row's columns have it is in the whole table.
std::pair<std::string, std::optional<double>> flag_and_number(const std::string& part) {
  std::string flag = part.substr(0, part.find(": "));
  // "not_linear:wake:119.49,118.25": the segments are the row's own.
  const std::size_t colon = flag.rfind(':');
  if (colon != std::string::npos &&
      flag.find_first_not_of("0123456789.,-", colon + 1) == std::string::npos)
    flag.resize(colon);
  const std::size_t open = flag.rfind(" (");
  if (open == std::string::npos || flag.back() != ')') return {flag, std::nullopt};
  double number = 0;
  const char *begin = flag.data() + open + 2, *end = flag.data() + flag.size() - 1;
  if (std::from_chars(begin, end, number).ptr != end) return {flag, std::nullopt};
  return {flag.substr(0, open), number};
}

// "modes; moved by padding (4.00), SM (1.00)": three flags.
std::vector<std::string> flags_of(const std::string& text) {
  const std::string moved = "moved by ";
  std::vector<std::string> flags;
  for (std::string_view part : base::split(text, ';')) {
    if (part.substr(0, 1) == " ") part.remove_prefix(1);
    if (part.substr(0, moved.size()) != moved) {
      if (!part.empty()) flags.emplace_back(part);
      continue;
    }
    for (std::string_view factor : base::split(part.substr(moved.size()), ','))
      flags.push_back(moved + std::string(factor.substr(factor.substr(0, 1) == " " ? 1 : 0)));
  }
  return flags;
}

// a to z, then a1 to z1.
std::string letter_of(std::size_t n) {
  return static_cast<char>('a' + n % 26) + (n < 26 ? "" : std::to_string(n / 26));
}

// `a`, `b`, ... in the order in which a reader meets them, with what they mean as notes.
void letter_flags(base::Table& table) {
  if (table.columns.empty() || table.columns.back().title != "flags") return;
  std::vector<std::pair<std::string, std::optional<double>>> flags;
  for (auto& row : table.rows) {
    std::string letters;
    for (const std::string& part : flags_of(row.back().text)) {
      const auto [flag, number] = flag_and_number(part);
      auto known = std::find_if(flags.begin(), flags.end(),
                                [&flag = flag](const auto& one) { return one.first == flag; });
      if (known == flags.end()) known = flags.insert(known, {flag, number});
      if (number) known->second = std::max(known->second.value_or(*number), *number);
      const auto n = known - flags.begin();
      const std::string letter = letter_of(static_cast<std::size_t>(n));
      if ((" " + letters + " ").find(" " + letter + " ") == std::string::npos)
        letters += (letters.empty() ? "" : " ") + letter;
    }
    row.back() = letters;
  }
  std::string note;
  for (std::size_t n = 0; n < flags.size(); ++n) {
    const auto& [flag, number] = flags[n];
    note += fmt::format("{}{}: {}{}", n == 0 ? "Flags: " : "; ", letter_of(n), flag,
                        number ? fmt::format(" (at most {:.2f})", *number) : "");
  }
  if (!note.empty()) table.notes.push_back(note + ".");
}

std::size_t width_of(const base::Table& table, std::size_t column) {
  std::size_t width = base::characters_in(table.columns[column].title);
  for (const auto& row : table.rows) width = std::max(width, base::characters_in(row[column].text));
  return width;
}

// In Markdown: "| cell | cell |".
std::size_t width_of(const base::Table& table) {
  std::size_t width = 1;
  for (std::size_t n = 0; n < table.columns.size(); ++n) width += width_of(table, n) + 3;
  return width;
}

// The legend and two reasons why there is no figure; the others are of the same kind.
void keep_few_notes(base::Table& table, const std::string& command) {
  constexpr std::size_t few = 3;
  if (table.notes.size() <= few) return;
  const std::size_t more = table.notes.size() - few;
  table.notes.resize(few);
  table.notes.push_back(fmt::format("{} more notes: `{}`.", more, command));
}

// Where the table is too wide for a page, the texts of its widest column move below it.
void number_long_texts(base::Table& table) {
  constexpr std::size_t page = 120, long_text = 24;
  std::vector<std::string> texts;
  while (width_of(table) > page) {
    std::size_t widest = 0, most = 0;
    for (std::size_t n = 0; n < table.columns.size(); ++n) {
      if (table.columns[n].title == "flags") continue;
      std::size_t longest = 0;
      for (const auto& row : table.rows)
        longest = std::max(longest, base::characters_in(row[n].text));
      if (longest > most) most = longest, widest = n;
    }
    if (most <= long_text) break;
    for (auto& row : table.rows) {
      std::string& text = row[widest].text;
      if (base::characters_in(text) <= long_text) continue;
      auto known = std::find(texts.begin(), texts.end(), text);
      if (known == texts.end()) known = texts.insert(known, text);
      text = fmt::format("({})", known - texts.begin() + 1);
    }
  }
  for (std::size_t n = 0; n < texts.size(); ++n)
    table.notes.push_back(fmt::format("({}) {}", n + 1, texts[n]));
}

}  // namespace

Result<base::Table> page_table(base::Table table, const PageShape& shape) {
  for (const std::string& word : shape.hide) PHASEBIT_TRY(hide_column(table, word));
  keep_few_notes(table, shape.command);
  const std::size_t rows = table.rows.size();
  if (shape.first != 0 && rows > shape.first) {
    table.rows.resize(shape.first);
    table.notes.push_back(
        fmt::format("{} of {} rows; all: `{}`.", shape.first, rows, shape.command));
  }
  letter_flags(table);
  number_long_texts(table);
  return table;
}

}  // namespace phasebit::report
