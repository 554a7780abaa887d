#include "core/base/toml.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// Each message names file, line and column, shows the line and says what to write.
TEST(Toml, SaysWhatIsWrongInItsOwnWords) {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"a = 1\nx = [1, 2",
       "spec: f.toml:2:10: `x = [1, 2`: the file ends in the middle of it (close the text, the "
       "list or the table)"},
      {"x 3\n", "spec: f.toml:1:3: `x 3`: a key without `=` (write KEY = VALUE, a text in quotes)"},
      {"x = 1\nx = 2\n",
       "spec: f.toml:2:5: `x = 2`: duplicate key (a key or a table is written once)"},
      {"x =\n",
       "spec: f.toml:1:4: `x =`: a value is missing (a text in quotes, a number, true, false or "
       "[...])"},
      {"\na = \"\u00e9\" # \u00e9\nb = \u00e9\n",
       "spec: f.toml:3:5: `b = \u00e9`: this is not TOML (write KEY = VALUE, a text in quotes, "
       "[table] or [[list]])"},
      {"[ =]\n",
       "spec: f.toml:1:3: `[ =]`: this is not TOML (write KEY = VALUE, a text in quotes, [table] "
       "or "
       "[[list]])"},
      {"x = [5\"\u00e9, 2]\n",
       "spec: f.toml:1:7: `x = [5\"\u00e9, 2]`: this is not TOML (write KEY = VALUE, a text in "
       "quotes, [table] or [[list]])"},
      {"a = 1\nb = [ [], }\n",
       "spec: f.toml:2:11: `b = [ [], }`: this is not TOML (write KEY = VALUE, a text in quotes, "
       "[table] or [[list]])"},
      {"  = 3\n",
       "spec: f.toml:1:3: `= 3`: this is not TOML (write KEY = VALUE, a text in quotes, [table] or "
       "[[list]])"},
  };
  for (const auto& row : rows) {
    const auto read = base::parse_toml(row.text, "f.toml");
    ASSERT_FALSE(read) << row.text;
    EXPECT_EQ(read.error().text(), row.message);
  }
}

// What is refused before toml++ sees it is not a part of these.
TEST(Toml, ReadsTextsListsAndHeadersAsTheManualHasThem) {
  const auto read = base::parse_toml(
      "\ufeffa = \"\u00e9 \\\" \u00e9\" # \u00e9 \"\n"
      "b = \"\"\"\u00e9 \"\" \\\"\"\"\u00e9 [\n[ =\"\"\"\"\"\n"
      "c = '\u00e9\\'\nd = '''\n[ = ''\u00e9'''\n"
      "e = [\n[ 1,\n2 ], # ]\n[\"]\", '[']\n]\n"
      "[ f . \"\u00e9\" ]\n[[ 'g]' ]]\n[-h]\n[1]\n",
      "f.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->find("a")->text, "\u00e9 \" \u00e9");
  EXPECT_EQ(read->find("b")->text, "\u00e9 \"\" \"\"\"\u00e9 [\n[ =\"\"");
  EXPECT_EQ(read->find("d")->text, "[ = ''\u00e9");
  EXPECT_EQ(read->find("e")->items.size(), 2U);
  EXPECT_NE(read->find("f")->find("\u00e9"), nullptr);
  EXPECT_NE(read->find("g]"), nullptr);
  EXPECT_NE(read->find("-h"), nullptr);
}

}  // namespace
}  // namespace phasebit::test
