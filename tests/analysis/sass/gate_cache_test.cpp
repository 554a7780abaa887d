#include "analysis/gate/gate.h"

#include <functional>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using gate::gate_key;
using gate::hash_of;
using isa::GateSpec;
using launch::SourceLine;

namespace {

GateSpec spec() {
  GateSpec made;
  made.known = true;
  made.items_per_iteration = {{"consumer", 1}, {"producer", 2}};
  made.verbs = {{"wait", "consumer", {{"SYNCS*", 2}}, {"BAR*"}}, {"commit", "", {}, {}}};
  made.forbid_everywhere = {"LDL*", "STL*"};
  return made;
}

launch::SourceMap source() {
  return {{"a.ptx", 1, "wait", "consumer", true}, {"b.ptx", 2, "commit", "producer", true}};
}

// Every change makes another key: what is kept under the first is not found by the second.
TEST(GateCache, KeysKnowEverythingThatDecides) {
  const std::vector<std::function<void(GateSpec&)>> rules = {
      [](GateSpec&) {},
      [](GateSpec& one) { one.known = false; },
      [](GateSpec& one) { one.why_unknown = "x"; },
      [](GateSpec& one) { one.items_per_iteration["consumer"] = 3; },
      [](GateSpec& one) { one.items_beside["consumer"] = 1; },
      [](GateSpec& one) { one.items_per_iteration.erase("consumer"); },
      [](GateSpec& one) { one.verbs[0].verb = "acquire"; },
      [](GateSpec& one) { one.verbs[0].role = ""; },
      [](GateSpec& one) { one.verbs[0].require[0].pattern = "SYNCS.*"; },
      [](GateSpec& one) { one.verbs[0].require[0].count = 1; },
      [](GateSpec& one) { one.verbs[0].require.clear(); },
      [](GateSpec& one) { std::swap(one.verbs[0].forbid, one.verbs[1].forbid); },
      [](GateSpec& one) { one.verbs.pop_back(); },
      [](GateSpec& one) { one.forbid_everywhere = {"LDL*STL*"}; }};
  std::set<std::string> keys;
  for (const auto& change : rules) {
    GateSpec changed = spec();
    change(changed);
    EXPECT_TRUE(keys.insert(gate_key(hash_of(source()), changed, "13.5.37")).second);
  }
  EXPECT_TRUE(keys.insert(gate_key(hash_of(source()), spec(), "13.4.92")).second);
  const std::vector<std::function<void(SourceLine&)>> lines = {
      [](SourceLine& one) { one.file = "c.ptx"; }, [](SourceLine& one) { one.line = 7; },
      [](SourceLine& one) { one.verb = ""; }, [](SourceLine& one) { one.role = "both"; },
      [](SourceLine& one) { one.of_templates = false; }};
  for (const auto& change : lines) {
    launch::SourceMap changed = source();
    change(changed[1]);
    EXPECT_TRUE(keys.insert(gate_key(hash_of(changed), spec(), "13.5.37")).second);
  }
}

TEST(GateCache, OutcomesComeBackAsTheyWere) {
  const gate::GateOutput output{
      {launch::GateVerdict::failed, "a\tb\nc \"d\""},
      {{"wait", "consumer", {{"SYNCS", 2}, {"BRA", 1}}, {{"NOP", 3}}, {{"EXIT", 1}}},
       {"commit", "", {}, {}, {}}},
      "0123"};
  const std::string text = gate::outcome_as_text(output);
  EXPECT_EQ(text.find_first_of("\t\n"), std::string::npos);
  const auto again = gate::outcome_from_text(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->result.verdict, launch::GateVerdict::failed);
  EXPECT_EQ(again->result.reason, output.result.reason);
  EXPECT_EQ(again->text_hash, "0123");
  EXPECT_EQ(gate::outcome_as_text(*again), text);
  ASSERT_EQ(again->census.size(), 2U);
  EXPECT_EQ(again->census[0].hot, output.census[0].hot);
  EXPECT_EQ(again->census[0].cold, output.census[0].cold);
  EXPECT_EQ(again->census[0].beside, output.census[0].beside);
  for (const char* bad :
       {"", "[]", "{}", "[3,\"\",[],\"\"]", "[0,\"\",[[1]],\"\"]", "[0,1,[],\"\"]"})
    EXPECT_FALSE(gate::outcome_from_text(bad)) << bad;
}

}  // namespace
}  // namespace phasebit::test
