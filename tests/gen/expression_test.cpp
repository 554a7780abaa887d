#include "gen/space/expression.h"

#include <limits>

#include <gtest/gtest.h>

namespace phasebit::test {

using space::Expression;
using space::ValueKind;

namespace {

// wait is try_wait, protocol is mbarrier, num_stages is 8, units is 3, empty has no meaning.
struct Point {
  space::Vocabulary vocabulary;
  space::Values values;

  Point() {
    add_word("protocol", {"cta_barrier", "mbarrier", "named_barrier"}, "mbarrier");
    add_word("wait", {"test_wait", "try_wait"}, "try_wait");
    add_word("mover", {"none", "st_shared"}, "");
    add_number("num_stages", 8);
    add_number("units", 3);
    add_number("zero", 0);
    add_number("huge", std::numeric_limits<std::int64_t>::max());
    add_number("lowest", std::numeric_limits<std::int64_t>::min());
  }
  void add_word(const char* name, const std::vector<std::string>& words, const char* word) {
    const int slot = vocabulary.add_name(name, ValueKind::word);
    for (const std::string& known : words) vocabulary.add_word(slot, known);
    values.push_back(vocabulary.word_id(word));
  }
  void add_number(const char* name, std::int64_t number) {
    vocabulary.add_name(name, ValueKind::number);
    values.push_back(number);
  }
};

struct Condition {
  const char* text;
  bool holds;
};

// By hand, for the point above.
constexpr Condition conditions[] = {
    {"wait == 'try_wait'", true},
    {"wait == \"test_wait\"", false},
    {"'try_wait' == wait", true},
    {"wait != 'try_wait'", false},
    {"wait == 'try_wait' and num_stages % 2 == 0", true},
    {"wait == 'try_wait' and num_stages % 3 == 0", false},
    {"wait == 'test_wait' or num_stages % 3 == 2", true},
    {"protocol in {'mbarrier', 'cta_barrier'}", true},
    {"protocol in {'named_barrier'}", false},
    {"protocol not in {'named_barrier', 'cta_barrier'}", true},
    {"num_stages in {1, 2, 4, 8}", true},
    {"num_stages + 1 in {1, 2, 4, 8}", false},
    {"mover == ''", true},  // the axis has no meaning for the point
    {"mover == 'none'", false},
    {"not wait == 'test_wait'", true},
    {"not not (num_stages > 8)", false},
    {"num_stages >= 8", true},
    {"num_stages > 8", false},
    {"num_stages <= 8", true},
    {"num_stages < 8", false},
    {"8<num_stages or 8 < num_stages+1", true},
    // `and` binds tighter than `or`: true or (.. and false).
    {"units == 3 or units == 4 and units == 5", true},
    {"(units == 3 or units == 4) and units == 5", false},
    // `not` binds tighter than `and`.
    {"not units == 4 and units == 3", true},
    {"not (units == 4 and units == 3)", true},
    {"not (units == 3 and num_stages == 8)", false},
    // The right side is asked only where the left leaves it open.
    {"zero != 0 and num_stages / zero == 1", false},
    {"zero == 0 or num_stages / zero == 1", true},
    {"(num_stages if wait == 'try_wait' else units) == 8", true},
};

TEST(Conditions, HoldAsByHand) {
  const Point point;
  for (const Condition& row : conditions) {
    SCOPED_TRACE(row.text);
    const auto compiled = Expression::compile(row.text, point.vocabulary, ValueKind::truth);
    ASSERT_TRUE(compiled) << compiled.error().text();
    EXPECT_EQ(compiled->holds(point.values).value(), row.holds);
    EXPECT_EQ(compiled->text(), row.text);
  }
}

struct Sum {
  const char* text;
  std::int64_t number;
};

constexpr Sum sums[] = {
    {"42", 42},
    {"num_stages", 8},
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"num_stages - 1 - 2", 5},  // from the left
    {"num_stages / 2 * 2", 8},
    {"100 / num_stages / 2", 6},  // 12 / 2
    {"num_stages % 3", 2},
    {"7 / 2", 3},
    {"-7 / 2", -3},  // towards zero
    {"-7 % 2", -1},
    {"-num_stages + 1", -7},
    {"--units", 3},
    {"2 - -3", 5},
    {"num_stages * 4096 / 512", 64},
    {"1 if units == 3 else 2", 1},
    {"1 if units == 4 else 2 if units == 3 else 3", 2},
    {"lowest % -1", 0},
};

TEST(Numbers, AreAsByHand) {
  const Point point;
  for (const Sum& row : sums) {
    SCOPED_TRACE(row.text);
    const auto compiled = Expression::compile(row.text, point.vocabulary, ValueKind::number);
    ASSERT_TRUE(compiled) << compiled.error().text();
    EXPECT_EQ(compiled->number(point.values).value(), row.number);
  }
}

struct Failure {
  const char* text;
  const char* message;
};

constexpr Failure evaluation_failures[] = {
    {"num_stages / zero", "spec: 'num_stages / zero' divides by zero"},
    {"num_stages % zero", "spec: 'num_stages % zero' divides by zero"},
    {"huge + 1", "spec: 'huge + 1' overflows"},
    {"-2 - huge", "spec: '-2 - huge' overflows"},
    {"huge * 2", "spec: 'huge * 2' overflows"},
    {"-lowest", "spec: '-lowest' overflows"},
    {"lowest / -1", "spec: 'lowest / -1' overflows"},
};

TEST(Numbers, FailWithTheExpression) {
  const Point point;
  for (const Failure& row : evaluation_failures) {
    SCOPED_TRACE(row.text);
    const auto compiled = Expression::compile(row.text, point.vocabulary, ValueKind::number);
    ASSERT_TRUE(compiled) << compiled.error().text();
    const auto number = compiled->number(point.values);
    ASSERT_FALSE(number);
    EXPECT_EQ(number.error().text(), row.message);
  }
}

constexpr Failure compile_failures[] = {
    {"", "spec: column 1: ends where a name, number or quoted word is due"},
    {"  ", "spec: column 3: ends where a name, number or quoted word is due"},
    {"num_stagse == 1", "spec: column 1: no axis 'num_stagse' (did you mean 'num_stages'?)"},
    {"units == 1 and wiat == 'x'", "spec: column 16: no axis 'wiat' (did you mean 'wait'?)"},
    {"wait == 'tri_wait'", "spec: column 9: wait is never 'tri_wait' (did you mean 'try_wait'?)"},
    {"wait == 'mbarrier'",
     "spec: column 9: wait is never 'mbarrier' (one of: test_wait, try_wait)"},
    {"wait in {'try_wait', 'spin'}",
     "spec: column 22: wait is never 'spin' (one of: test_wait, try_wait)"},
    {"'try_wait' == 'try_wait'", "spec: column 15: 'try_wait' is not compared with an axis"},
    {"wait == 3", "spec: column 9: a number where a word is due"},
    {"num_stages == '3'", "spec: column 15: a word where a number is due"},
    {"wait < 'x'", "spec: column 1: a word where a number is due"},
    {"wait + 1 == 2", "spec: column 1: a word where a number is due"},
    {"num_stages", "spec: column 1: a number where a condition is due"},
    {"num_stages and units == 3", "spec: column 1: a number where a condition is due"},
    {"not units", "spec: column 5: a number where a condition is due"},
    {"1 < units < 4", "spec: column 11: '<' where an operator or the end is due"},
    {"units == 3 units", "spec: column 12: 'units' where an operator or the end is due"},
    {"(units == 3", "spec: column 12: ends where ')' is due"},
    {"units in 3", "spec: column 10: '3' where '{' is due"},
    {"units in {3 4}", "spec: column 13: '4' where ',' or '}' is due"},
    {"units in {}", "spec: column 11: '}' where a name, number or quoted word is due"},
    {"units not 3", "spec: column 11: '3' where 'in' is due"},
    {"units == 3 if wait == 'try_wait'", "spec: column 33: ends where 'else' is due"},
    {"wait == ('try_wait' if units == 3 else 'test_wait')",
     "spec: column 10: a word where a number is due"},
    {"units = 3", "spec: column 7: '=' has no meaning"},
    {"wait == 'try_wait", "spec: column 9: a word without its closing quote"},
    {"units == 99999999999999999999", "spec: column 10: 99999999999999999999 is too large"},
};

TEST(Compile, SaysWhereAndWhatIsWrong) {
  const Point point;
  for (const Failure& row : compile_failures) {
    SCOPED_TRACE(row.text);
    const auto compiled = Expression::compile(row.text, point.vocabulary, ValueKind::truth);
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().text(), row.message);
  }
}

TEST(Compile, RefusesWhatWouldExhaustTheStack) {
  const Point point;
  const std::string nested = std::string(100000, '(') + "1" + std::string(100000, ')');
  const auto compiled = Expression::compile(nested, point.vocabulary, ValueKind::number);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().text(), "spec: column 1001: more than 1000 names, numbers and signs");
}

TEST(Slots, AreThoseOfTheNamesEachOnce) {
  const Point point;
  const auto compiled = Expression::compile("units in {1} and wait == 'try_wait' and units != 2",
                                            point.vocabulary, ValueKind::truth);
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->slots(), (std::vector<int>{1, 4}));  // wait, units
}

}  // namespace
}  // namespace phasebit::test
