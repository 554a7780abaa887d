// results/README.md explains every column of the results files and every verdict.
#include "core/base/file.h"
#include "core/results/flat_columns.h"
#include "core/results/record.h"

#include <regex>
#include <set>

#include <gtest/gtest.h>

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

// What is between backticks in the cells of a table.
std::set<std::string> words_of(const std::string& title) {
  std::set<std::string> words;
  const std::string text = section(title);
  const std::regex word("`([^`]+)`");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at)
    words.insert((*at)[1]);
  return words;
}

// Of the first cells.
std::set<std::string> first_words_of(const std::string& title) {
  std::set<std::string> words;
  const std::string text = section(title);
  const std::regex cell(R"(\n\| ((?:`[^`]+`(?:, )?)+) \|)"), word("`([^`]+)`");
  for (std::sregex_iterator at(text.begin(), text.end(), cell), end; at != end; ++at) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator one(names.begin(), names.end(), word); one != end; ++one)
      words.insert((*one)[1]);
  }
  return words;
}

TEST(Dictionary, HasEveryColumn) {
  const std::set<std::string> explained = words_of("Columns");
  for (const results::Column& column : results::flat_columns())
    EXPECT_EQ(explained.count(column.name), 1U)
        << "results/README.md says nothing of " << column.name;
  for (const char* name : {"axis.NAME", "named", "axis_order", "waits_on", "blank"})
    EXPECT_EQ(explained.count(name), 1U) << name;
}

// Nothing is explained that is not there.
TEST(Dictionary, HasNoOther) {
  std::set<std::string> columns = {"axis.NAME", "named", "axis_order", "waits_on", "blank"};
  for (const results::Column& column : results::flat_columns()) columns.insert(column.name);
  for (const std::string& word : first_words_of("Columns"))
    EXPECT_EQ(columns.count(word), 1U) << word;
}

TEST(Dictionary, HasEveryVerdict) {
  const std::set<std::string> explained = words_of("Verdicts");
  for (int n = 0; n <= static_cast<int>(results::Verdict::failed); ++n) {
    const std::string word = results::to_string(static_cast<results::Verdict>(n));
    EXPECT_EQ(explained.count(word), 1U) << "results/README.md says nothing of " << word;
  }
}

TEST(FlatColumns, AreNamedOnceAndFewAreRequired) {
  std::set<std::string> names;
  for (const results::Column& column : results::flat_columns())
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
}

}  // namespace
}  // namespace phasebit::test
