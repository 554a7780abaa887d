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
       "spec: f.toml:2:5: `x = 2`: stands there twice (a key or a table is written once)"},
      {"x =\n",
       "spec: f.toml:1:4: `x =`: a value is missing (a text in quotes, a number, true, false or "
       "[...])"},
      {"  = 3\n",
       "spec: f.toml:1:3: `= 3`: this is no TOML (write KEY = VALUE, a text in quotes, [table] or "
       "[[list]])"},
  };
  for (const auto& row : rows) {
    const auto read = base::parse_toml(row.text, "f.toml");
    ASSERT_FALSE(read) << row.text;
    EXPECT_EQ(read.error().text(), row.message);
  }
}

}  // namespace
}  // namespace phasebit::test
