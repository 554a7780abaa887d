#include "core/isa/read_rule.h"

#include <tuple>

#include <gtest/gtest.h>

namespace phasebit::test {

using isa::count_opcodes;
using isa::CountRange;
using isa::parse_count;
using isa::Path;
using isa::read_rule_line;

namespace {

using nlohmann::ordered_json;

TEST(RuleTest, ACountIsANumberOrARange) {
  EXPECT_EQ(parse_count("0"), CountRange(0));
  EXPECT_EQ(parse_count("12"), CountRange(12));
  EXPECT_EQ(parse_count("1..2"), CountRange(1, 2));
  EXPECT_EQ(parse_count("2.."), CountRange(2, INT_MAX));
  for (const char* none : {"", "-1", "x", "1 ", "2..1", "..2", "1...2", "1..x"})
    EXPECT_EQ(parse_count(none), std::nullopt) << none;
}

TEST(RuleTest, PatternsFitWholeOpcodes) {
  const isa::OpcodeCounts counts = {{"SYNCS.PHASECHK.TRANS64", 1},
                                    {"SYNCS.PHASECHK.TRANS64.TRYWAIT", 2},
                                    {"USYNCS.ARRIVE.TRANS64.ACT0", 4}};
  EXPECT_EQ(count_opcodes(counts, "SYNCS*"), 3);
  EXPECT_EQ(count_opcodes(counts, "*SYNCS*"), 7);
  EXPECT_EQ(count_opcodes(counts, "*SYNCS.PHASECHK.TRANS64"), 1);
  EXPECT_EQ(count_opcodes(counts, "SYNCS"), 0);
  EXPECT_EQ(isa::list_opcodes({}), "none");
}

TEST(RuleTest, ATableSaysWhatIsCountedWhere) {
  const auto rule = isa::read_rule(ordered_json::parse(R"({"verbs": ["acquire", "wait"],
    "role": "producer", "families": ["ampere"], "ptxas": "<12.4", "passes": "beside",
    "require": {"A*": 2}, "cold": {"B": "0..1"}, "pass": {"C": 3}, "beside": {"D": 4},
    "forbid": ["E"]})"));
  ASSERT_TRUE(rule) << rule.error().message;
  EXPECT_EQ(rule->verbs, (std::vector<std::string>{"acquire", "wait"}));
  EXPECT_EQ(rule->role, "producer");
  EXPECT_EQ(rule->families, std::vector<std::string>{"ampere"});
  EXPECT_EQ(rule->ptxas, "<12.4");
  EXPECT_EQ(rule->passes, isa::Passes::beside);
  EXPECT_EQ(rule->forbid, std::vector<std::string>{"E"});
  const std::vector<std::tuple<Path, std::string, std::string>> expected = {
      {Path::hot, "A*", "2"},
      {Path::cold, "B", "0..1"},
      {Path::pass, "C", "3"},
      {Path::beside, "D", "4"}};
  std::vector<std::tuple<Path, std::string, std::string>> counts;
  for (const auto& [path, pattern, count] : rule->counts) counts.emplace_back(path, pattern, count);
  EXPECT_EQ(counts, expected);
}

TEST(RuleTest, CountsOfOnePatternAndPathAreAdded) {
  isa::VerbRule rule;
  isa::add_count(rule, {"A*", CountRange(1), Path::hot});
  isa::add_count(rule, {"A*", CountRange(2), Path::hot});
  isa::add_count(rule, {"A*", CountRange(4), Path::cold});
  ASSERT_EQ(rule.require.size(), 2U);
  EXPECT_EQ(rule.require[0].count, CountRange(3));
  EXPECT_EQ(rule.require[1].count, CountRange(4));
}

TEST(RuleTest, WhatIsNoRuleIsNamed) {
  const struct {
    const char *table, *key, *message, *hint;
  } rows[] = {
      {R"({"require": {"A": 1}})", "", "lacks 'verb'", ""},
      {R"({"verb": "wait", "role": "consumers"})", "role", "no role 'consumers'",
       "did you mean 'consumer'?"},
      {R"({"verb": "wait", "passes": "besides"})", "passes", "no 'besides'",
       "did you mean 'beside'?"},
      {R"({"verb": "wait", "cold": {"A": true}})", "cold", "'A' must be a number or an expression",
       ""},
      {R"({"verb": "wait", "forbid": "A"})", "forbid", "must be an array", ""},
  };
  for (const auto& row : rows) {
    const auto rule = isa::read_rule(ordered_json::parse(row.table));
    ASSERT_FALSE(rule) << row.table;
    EXPECT_EQ(rule.error().key, row.key);
    EXPECT_EQ(rule.error().message, row.message);
    EXPECT_EQ(rule.error().hint, row.hint);
  }
}

TEST(RuleTest, ALineSaysTheSame) {
  isa::VerbRule rule;
  EXPECT_TRUE(read_rule_line("expect", " SYNCS* = 2", rule).value());
  EXPECT_TRUE(read_rule_line("cold", "SYNCS* = 1..2", rule).value());
  EXPECT_TRUE(read_rule_line("forbid", " NANOSLEEP* ", rule).value());
  EXPECT_FALSE(read_rule_line("note", "SYNCS* = 2", rule).value());
  EXPECT_FALSE(read_rule_line("expect", "SYNCS*", rule));
  ASSERT_EQ(rule.require.size(), 2U);
  EXPECT_EQ(rule.require[1].count, CountRange(1, 2));
  EXPECT_EQ(rule.forbid, (std::vector<std::string>{"NANOSLEEP*"}));
}

}  // namespace
}  // namespace phasebit::test
