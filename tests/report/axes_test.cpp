#include "analysis/report/data/axes.h"

#include "analysis/report/sql/text.h"
#include "tests/report/results.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::VariantKeys;

namespace {

using test::axes_of;

TEST(VariantAxes, AreThoseOfTheKeyAndElseTheDefaultsOfTheCatalogue) {
  const report::data::VariantAxes axes =
      axes_of("ring/mbarrier/st_shared/none/wait=test_wait/num_stages=8/x=a=b");
  EXPECT_EQ(axes.value("probe"), "ring");
  EXPECT_EQ(axes.value("mover"), "st_shared");
  EXPECT_EQ(axes.value("wait"), "test_wait");
  EXPECT_EQ(axes.value("num_stages"), "8");
  EXPECT_EQ(axes.value("x"), "a=b");
  EXPECT_EQ(axes.value("arrival"), "warp");  // its default
  EXPECT_EQ(axes.value("no such axis"), "");
  EXPECT_EQ(axes.default_of("wait"), "try_wait");
  EXPECT_TRUE(axes.names("wait"));
  EXPECT_FALSE(axes.names("arrival"));
  EXPECT_TRUE(axes.has("arrival"));
  EXPECT_FALSE(axes.has("delay_cycles"));  // of another probe
  EXPECT_EQ(axes.value("delay_cycles"), "0");
  EXPECT_EQ(axes_of("anchor/fma").value("anchor"), "fma");
  EXPECT_EQ(axes.stratum(), "ring/mbarrier");
}

// The catalogue of the results does not have what is done to a text: a further flag of ptxas is
// known by that.
TEST(VariantAxes, AreAsDeclaredUnlessSomethingWasDoneToThem) {
  const std::pair<const char*, bool> rows[] = {{"ring/mbarrier/m/w/wait=test_wait", true},
                                               {"ring/mbarrier/m/w/llvm=22.1.8/llvm_opt=1", true},
                                               {"ring/mbarrier/m/w/file=mine@1/spin=tight", true},
                                               {"ring/mbarrier/m/w/tuned=x", false},
                                               {"ring/mbarrier/m/w/snippet.wait=w@1", false},
                                               {"ring/mbarrier/m/w/opt_level=1", false},
                                               {"ring/mbarrier/m/w/padding=16", false},
                                               {"ring/mbarrier/m/w/reg_usage=10", false}};
  for (const auto& [id, declared] : rows) EXPECT_EQ(axes_of(id).is_as_declared(), declared) << id;
}

// The display id does not matter: a key without its id gives the same.
TEST(VariantAxes, DoNotComeFromTheId) {
  results::VariantRow row =
      axes_of("ring/mbarrier/st_shared/none/hint_ns=20/producers=4").variant();
  row.id = "any name";
  const results::Results results = {{}, {}, {}, {row}, test::results_of({}).catalogue};
  const report::data::VariantAxes axes = VariantKeys(results).of("any name");
  EXPECT_EQ(axes.warp_layout(), "4 x 1 warps");
  EXPECT_EQ(axes.value("hint_ns"), "20");
}

TEST(WarpLayout, NamesUnitsPlacementAndSharing) {
  const std::pair<const char*, const char*> rows[] = {
      {"ring/p/m/w", "1 x 1 warps"},
      {"ring/p/m/w/producers=4/consumers=2", "4 x 2 warps"},
      {"ring/p/m/w/granularity=warpgroup/consumers=2", "1 x 2 warpgroups"},
      {"ring/p/m/w/granularity=producer_warp", "1 warp x 1 warpgroup"},
      {"ring/p/m/w/granularity=producer_warp/consumers=2/sharing=round_robin",
       "1 warp x 2 warpgroups, round_robin"},
      {"ring/p/m/w/granularity=even_odd_lanes", "1 x 1 even/odd lanes"},
      {"ring/p/m/w/roles=unified/producers=8/consumers=8", "8 unified warps"},
      {"ring/p/m/w/producers=2/consumers=2/placement=interleaved", "2 x 2 warps, interleaved"},
      {"ring/p/m/w/producers=2/consumers=2/sharing=round_robin", "2 x 2 warps, round_robin"}};
  for (const auto& [id, layout] : rows) EXPECT_EQ(axes_of(id).warp_layout(), layout) << id;
}

TEST(WaitedOn, NamesInstructionOperandHintAndBackOff) {
  const std::pair<const char*, const char*> rows[] = {
      {"ring/mbarrier/m/w", "try_wait"},
      {"ring/mbarrier/m/w/wait=test_wait", "test_wait"},
      {"ring/mbarrier/m/w/hint_ns=1000", "try_wait, hint 1000 ns"},
      {"ring/mbarrier/m/w/wait=test_wait/backoff_ns=20", "test_wait, back-off 20 ns"},
      {"ring/mbarrier/m/w/operand=state", "try_wait by state"},
      {"ring/cta_barrier/m/w", "barrier"}};
  for (const auto& [id, text] : rows) EXPECT_EQ(axes_of(id).waited_on(), text) << id;
}

bool axes_before(const std::string& first, const std::string& a, const std::string& b) {
  return report::sql::place_of(first, a) < report::sql::place_of(first, b);
}

TEST(PlaceOf, PutsTheDefaultFirstThenNumbersBySize) {
  std::vector<std::string> stages = {"16", "2", "4", "8", "1"};
  std::sort(stages.begin(), stages.end(),
            [](const std::string& a, const std::string& b) { return axes_before("4", a, b); });
  EXPECT_EQ(stages, (std::vector<std::string>{"4", "1", "2", "8", "16"}));
  EXPECT_TRUE(axes_before("try_wait", "try_wait", "test_wait"));
  EXPECT_TRUE(axes_before("", "cta_barrier", "mbarrier"));
}

TEST(DefaultOf, CanDifferBetweenProbes) {
  EXPECT_EQ(axes_of("form/none/none/none").default_of("path"), "plain");
  EXPECT_EQ(axes_of("verb/mbarrier/none/none").default_of("path"), "ready");
}

// Patterns as templates write them.
TEST(WaitedOn, FillsThePatternOfTheCatalogue) {
  const auto keys = [](const std::string& pattern) {
    results::Results results;
    results.catalogue.protocols["p"].waits_on = pattern;
    results.catalogue.axes["a"].default_value = "0";
    const auto defaults = std::make_shared<const launch::KeyAxes>(
        launch::KeyAxes{{"protocol", "p"}, {"a", "0"}, {"b", "1"}});
    results.variants = {{"v", "", defaults, {{"b", "2"}}}};
    return VariantKeys(results).of("v");
  };
  const std::pair<const char*, const char*> rows[] = {{"barrier", "barrier"},
                                                      {"{b}", "2"},
                                                      {"{a!} of {b}", "0 of 2"},
                                                      {"{a}[, b {b}]", "0, b 2"},
                                                      {"{b}[, a {a}]", "2"},
                                                      {"[{b}]", "2"},
                                                      {"x[{a} and {b}]y", "x0 and 2y"},
                                                      {"", ""}};
  for (const auto& [pattern, text] : rows) EXPECT_EQ(keys(pattern).waited_on(), text) << pattern;
  EXPECT_EQ(keys("{a!} of {b}[{c}]").axes_of_column("waited_on"),
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(VariantKeys().of("x").waited_on(), "");
}

}  // namespace
}  // namespace phasebit::test
