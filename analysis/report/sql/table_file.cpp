#include "analysis/report/sql/table_file.h"

#include "core/base/text.h"
#include "core/base/toml.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace phasebit::report::sql {

using base::TomlReader;
using base::TomlValue;

namespace {

constexpr const char* varied_legend =
    " ± is how far the 95 % interval reaches from the median over repetitions that differ in start "
    "offset, SM, sub-partitions and where the code lies.";

constexpr std::string_view head_begin = "/*\n", head_end = "\n*/\n";

TableArgument read_argument(TomlReader& head, const std::string& name, const TomlValue& value,
                            Status& status) {
  TomlReader reader(
      head.file(), value, "argument " + name,
      {"words", "default", "needed", "percent", "least", "axis", "one_of", "query", "values"},
      status);
  TableArgument argument;
  argument.name = name;
  argument.words = reader.text_or("words", "");
  argument.otherwise = reader.text_or("default", "");
  argument.is_needed = reader.truth_or("needed", false);
  argument.is_percent = reader.truth_or("percent", false);
  argument.least = static_cast<int>(reader.number_or("least", 0));
  argument.query = reader.text_or("query", "");
  argument.values = reader.text_or("values", "");
  argument.is_axis = reader.truth_or("axis", false);
  argument.one_of = reader.words("one_of");
  return argument;
}

void read_arguments(TomlReader& head, TableFile& table, Status& status) {
  const TomlValue* arguments = head.table("arguments");
  if (arguments == nullptr) return;
  for (size_t n = 0; n < arguments->keys.size(); ++n) {
    const std::string& name = arguments->keys[n];
    if (name == "axes")
      table.takes_axes = arguments->items[n].number != 0;
    else
      table.arguments.push_back(read_argument(head, name, arguments->items[n], status));
  }
}

void read_pairs(TomlReader& head, std::string_view key,
                std::vector<std::pair<std::string, std::string>>& pairs) {
  const TomlValue* value = head.table(key);
  if (value == nullptr) return;
  for (size_t n = 0; n < value->keys.size(); ++n)
    pairs.emplace_back(value->keys[n], value->items[n].text);
}

void read_head(TomlReader& head, TableFile& table, Status& status) {
  table.doc = head.text("doc");
  table.legend = head.text_or("legend", "");
  table.hint = head.text_or("hint", "");
  table.none = head.text_or("none", "no measured variant is in this table");
  table.probe = head.text_or("probe", "");
  table.runs = head.text_or("runs", "");
  table.all_gpus = head.truth_or("all_gpus", false);
  if (head.truth_or("varied", false)) table.legend += varied_legend;
  table.may_be_empty = head.truth_or("may_be_empty", false);
  table.sentences = head.truth_or("sentences", false);
  table.rows = head.words("rows");
  table.across = head.words("across");
  table.every_column = head.truth_or("every_column", false);
  table.absent = head.text_or("absent", "");
  read_arguments(head, table, status);
  read_pairs(head, "where", table.where);
  read_pairs(head, "instead", table.instead);
}

}  // namespace

const TableArgument* TableFile::argument(const std::string& wanted) const {
  const auto at = std::find_if(arguments.begin(), arguments.end(),
                               [&](const TableArgument& one) { return one.name == wanted; });
  return at == arguments.end() ? nullptr : &*at;
}

std::string TableFile::argument_words() const {
  std::vector<std::string> words;
  for (const TableArgument& one : arguments)
    words.push_back(fmt::format(
        "{}={}", one.name,
        one.one_of.empty() ? one.words : fmt::format("{}", fmt::join(one.one_of, "|"))));
  if (takes_axes) words.emplace_back("axis=value");
  return fmt::format("{}", fmt::join(words, " "));
}

Result<TableFile> parse_table(std::string_view text, const std::string& file) {
  const size_t end = text.find(head_end);
  if (!text.starts_with(head_begin) || end == std::string_view::npos)
    return with_hint(fail(Step::spec, "{}:1: a table begins with its head", file),
                     "/*, lines of TOML with doc = \"...\", and */, each on a line of its own");
  // The line of /* keeps the lines of the head what they are in the file.
  const std::string toml = "\n" + std::string(text.substr(head_begin.size(), end - 3)) + "\n";
  PHASEBIT_TRY_ASSIGN(value, base::parse_toml(toml, file));
  Status status;
  TomlReader head(
      file, value, "table",
      {"doc", "legend", "hint", "none", "probe", "runs", "all_gpus", "may_be_empty", "varied",
       "sentences", "rows", "where", "across", "every_column", "absent", "instead", "arguments"},
      status);
  TableFile table;
  table.name = fs::path(file).stem().string();
  table.file = file;
  read_head(head, table, status);
  if (!status) return tl::unexpected<Error>(status.error());
  table.sql = text.substr(end + head_end.size());
  table.sql_line =
      1 + static_cast<int>(std::count(
              text.begin(), text.end() - static_cast<std::ptrdiff_t>(table.sql.size()), '\n'));
  return table;
}

Result<std::vector<TableFile>> read_tables(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& file : fs::directory_iterator(folder, missing))
    if (file.path().extension() == ".sql") files.push_back(file.path());
  if (missing)
    return fail(Step::io, "cannot read the tables in {}: {}", folder.string(), missing.message());
  std::sort(files.begin(), files.end());
  std::vector<TableFile> tables;
  for (const fs::path& file : files) {
    PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
    PHASEBIT_TRY_ASSIGN(table, parse_table(text, file.string()));
    tables.push_back(std::move(table));
  }
  return tables;
}

Result<TableFile> read_table(const fs::path& folder, const std::string& name) {
  const fs::path file = name.ends_with(".sql") ? fs::path(name) : folder / (name + ".sql");
  std::error_code ignored;
  if (name.ends_with(".sql") || fs::exists(file, ignored)) {
    PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
    return parse_table(text, file.string());
  }
  PHASEBIT_TRY_ASSIGN(tables, read_tables(folder));
  std::vector<std::string> names;
  for (const TableFile& table : tables) names.push_back(table.name);
  return with_hint(fail(Step::usage, "no table '{}'", name), base::nearest_word_hint(name, names));
}

}  // namespace phasebit::report::sql
