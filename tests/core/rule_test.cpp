#include "core/isa/read_rule.h"

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
  const auto rules = isa::read_rules(ordered_json::parse(R"([
    {"verbs": ["acquire", "wait"], "require": {"A*": 1}, "cold": {"B": "0..1"}},
    {"verb": "wait", "require": {"A*": 2}, "pass": {"C": 3}, "beside": {"D": 4}, "forbid": ["E"]},
    {"verb": "tail", "role": "producer", "passes": "beside", "require": {"A*": 1}},
    {"verb": "wait", "families": ["ampere"], "require": {"F": 1}},
    {"verb": "wait", "ptxas": "<12.4", "require": {"G": 1}}])"),
                                     "kernel.ptx:3", "hopper", isa::Version{{13, 5}});
  ASSERT_TRUE(rules) << rules.error().text();
  ASSERT_EQ(rules->size(), 3U);
  const isa::VerbRule& wait = (*rules)[1];
  EXPECT_EQ((*rules)[0].verb, "acquire");
  EXPECT_EQ((*rules)[0].require.size(), 2U);
  ASSERT_EQ(wait.require.size(), 4U);
  EXPECT_EQ(wait.require[0].count, CountRange(3));  // counts of one pattern and path are added
  EXPECT_EQ(wait.require[1].path, Path::cold);
  EXPECT_EQ(wait.require[1].count, CountRange(0, 1));
  EXPECT_EQ(wait.require[2].path, Path::pass);
  EXPECT_EQ(wait.require[3].path, Path::beside);
  EXPECT_EQ(wait.forbid, (std::vector<std::string>{"E"}));
  EXPECT_EQ((*rules)[2].passes, isa::Passes::beside);
}

TEST(RuleTest, WhatIsNoRuleIsNamed) {
  const struct {
    const char *table, *error;
  } rows[] = {
      {R"({"require": {"A": 1}})", "spec: head: rules: lacks 'verb'"},
      {R"({"verb": "wait", "requires": {}})",
       "spec: head: rules: no key 'requires' (did you mean 'require'?)"},
      {R"({"verb": "wait", "role": "consumers"})",
       "spec: head: rules: role: no role 'consumers' (did you mean 'consumer'?)"},
      {R"({"verb": "wait", "passes": "besides"})",
       "spec: head: rules: passes: no 'besides' (did you mean 'beside'?)"},
      {R"({"verb": "wait", "cold": {"A": true}})",
       "spec: head: rules: cold: 'A' must be a number or an expression"},
      {R"({"verb": "wait", "require": {"A": "two"}})",
       "spec: head: require: the count of A is a number, or \"1..2\", \"2..\""},
      {R"({"verb": "wait", "forbid": "A"})", "spec: head: rules: forbid: must be an array"},
  };
  for (const auto& row : rows) {
    const auto rules = isa::read_rules(ordered_json::array({ordered_json::parse(row.table)}),
                                       "head", "hopper", isa::Version{{13}});
    ASSERT_FALSE(rules) << row.table;
    EXPECT_EQ(rules.error().text(), row.error);
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
