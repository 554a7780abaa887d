// The rules that a head holds.
#include "core/ptx/head/head.h"
#include "tests/ptx/heads.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using isa::Version;
using ptx::head::gate_of;

namespace {

using test::lines_of;
using test::small_head;

// A rule counts where its family and its ptxas are those of the image.
TEST(Head, RulesAreNarrowedToFamilyAndPtxas) {
  ptx::head::Head head;
  head.covers = {{"mine", {"hopper", "ada"}, ">=11.8"}};
  head.rules = {{{"wait", "consumer", {{"SYNCS*", 1}}, {}}, {"hopper"}, {}},
                {{"wait", "consumer", {{"SYNCS*", 2}}, {"BAR*"}}, {}, ">=12.4"},
                {{"*", "", {}, {"LDL*"}}, {}, {}}};
  const auto spec = gate_of(head, "hopper", Version{{13, 5}});
  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->known);
  ASSERT_EQ(spec->verbs.size(), 1U);
  ASSERT_EQ(spec->verbs[0].require.size(), 1U);
  EXPECT_EQ(spec->verbs[0].require[0].count.low, 3);
  EXPECT_EQ(spec->forbid_everywhere, std::vector<std::string>{"LDL*"});
  EXPECT_TRUE(gate_of(head, "ada", Version{{12, 0}})->verbs.empty());
  EXPECT_EQ(gate_of(head, "turing", Version{{13, 5}})->why_unknown,
            "mine declares no SASS for turing");
  EXPECT_EQ(gate_of(head, "ada", Version{{11, 7}})->why_unknown,
            "mine declares no SASS for ptxas 11.7");
}

// Counts of every path, ranges, passes and what is not exhaustive come back, and are refused where
// they are none.
TEST(Head, RulesComeBackAsTheyWere) {
  const std::string rules =
      "//@\n//@ [rules]\n//@ exhaustive = false\n//@ verbs = [\n"
      "//@   { verb = \"tail\", passes = \"beside\", cold = { \"SYNCS*\" = \"0..1\" }, beside = { "
      "\"DEPBAR*\" = \"2..\" } },\n"
      "//@   { verb = \"*\", require = { \"MEMBAR*\" = 1 } },\n//@ ]\n";
  const auto head = ptx::head::read_head(lines_of(small_head + rules, 1), "t.ptx");
  ASSERT_TRUE(head) << head.error().text();
  EXPECT_TRUE(ptx::head::write_head(*head).ends_with(rules)) << ptx::head::write_head(*head);
  const auto spec = gate_of(*head, "hopper", Version{{13, 5}});
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->exhaustive_for, "");
  ASSERT_EQ(spec->verbs.size(), 2U);
  EXPECT_EQ(spec->verbs[0].passes, isa::Passes::beside);
  EXPECT_EQ(spec->verbs[0].require[0].path, isa::Path::cold);
  EXPECT_EQ(spec->verbs[0].require[0].count, isa::CountRange(0, 1));
  EXPECT_EQ(spec->verbs[1].verb, isa::any_verb);
  std::string wrong = small_head + rules;
  wrong.replace(wrong.find("0..1"), 4, "1-2");
  EXPECT_EQ(
      ptx::head::read_head(lines_of(wrong, 1), "t.ptx").error().text(),
      "spec: t.ptx:13: cold: 'SYNCS*': '1-2' is not a count (a number, or \"1..2\", \"2..\")");
}

}  // namespace
}  // namespace phasebit::test
