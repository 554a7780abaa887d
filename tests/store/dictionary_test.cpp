// results/README.md explains every column of the results files and every flag of a row.
#include "core/store/export.h"
#include "core/store/json/columns.h"
#include "core/store/json/flag_words.h"
#include "core/store/json/lines.h"
#include "tests/store/rows.h"

#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {
namespace {

std::string source_text(const char* path) {
  auto text = base::read_file(base::source_root() / path);
  EXPECT_TRUE(text) << text.error().text();
  return text.value_or("");
}

std::string section(const std::string& title) {
  const std::string text = source_text("results/README.md");
  const size_t begin = text.find("\n## " + title + "\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

// What stands between backticks in the cells of a table.
std::set<std::string> words_of(const std::string& title) {
  std::set<std::string> words;
  const std::string text = section(title);
  const std::regex word("`([^`]+)`");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at)
    words.insert((*at)[1]);
  return words;
}

// Every key of the objects and every column of the lists.
void add_keys(const nlohmann::json& line, std::set<std::string>& keys) {
  for (const auto& [key, value] : line.items()) keys.insert(key);
}

TEST(Dictionary, HasEveryColumnOfAResultsFile) {
  std::set<std::string> columns;
  const auto lists = nlohmann::json::parse(store::json::json_columns);
  for (const auto& [kind, names] : lists.items())
    for (const auto& name : names) columns.insert(name.get<std::string>());
  const std::string text = store::json::to_json_lines(
      {{test::some_device()}, {test::some_run()}, {test::some_point("ring/a")}});
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const auto parsed = nlohmann::json::parse(line);
    const bool named = parsed.is_object() && (parsed.contains("type") || parsed.contains("kind") ||
                                              parsed.contains("point"));
    if (named) add_keys(parsed, columns);
  }
  columns.erase("type");
  EXPECT_GT(columns.size(), 40U);
  const auto explained = words_of("Columns of NAME.jsonl");
  for (const std::string& column : columns)
    EXPECT_EQ(explained.count(column), 1U) << "results/README.md says nothing of " << column;
}

TEST(Dictionary, HasEveryColumnOfTheCsv) {
  const std::string text = store::to_csv({});
  std::istringstream header(text.substr(0, text.find('\n')));
  const auto explained = words_of("Columns of the CSV");
  int columns = 0;
  for (std::string column; std::getline(header, column, ','); ++columns)
    EXPECT_EQ(explained.count(column), 1U) << "results/README.md says nothing of " << column;
  EXPECT_GT(columns, 30);
}

// All that a row can say, as files and tables write it.
TEST(Dictionary, HasEveryFlag) {
  record::PointRow row = some_point("ring/a");
  row.conditions = {{0, 0}, 7, 208, 1, 3};
  row.sms = {4, 5, 12};
  row.state = {1980, 3201, 645};
  row.same_as = "VARIANT";
  row.quality = {true,  "none", false, {"", "NAME"}, true, {{"", {10, 10.02, 517.5}}},
                 false, false,  true,  true};
  std::vector<std::string> flags = store::json::flag_words_of(row);
  flags.emplace_back("gate_by_rules_file");
  EXPECT_EQ(flags.size(), 18U);
  const auto explained = words_of("Flags");
  for (const std::string& flag : flags)
    EXPECT_EQ(explained.count(flag), 1U) << "results/README.md says nothing of " << flag;
}

}  // namespace
}  // namespace phasebit::test
