#include "gen/space/variants.h"

#include "core/base/hash.h"
#include "tests/gen/expansion.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using space::Expansion;

namespace {

using Pruned = std::vector<std::pair<std::string, int>>;

TEST(Expand, ABaselineAloneIsOneVariant) {
  const Expansion expansion = expand_one(mbarrier_baseline);
  EXPECT_EQ(ids(expansion), (Words{"ring/mbarrier/none/none"}));
  EXPECT_EQ(expansion.pruned, Pruned{});
  const launch::VariantKey& key = expansion.variants.front();
  EXPECT_EQ(key.hash, base::short_hash("ring/mbarrier/none/none"));
  const std::vector<std::pair<std::string, std::string>> axes = {{"probe", "ring"},
                                                                 {"protocol", "mbarrier"},
                                                                 {"mover", "none"},
                                                                 {"work", "none"},
                                                                 {"num_stages", "4"},
                                                                 {"granularity", "warp"},
                                                                 {"placement", "contiguous"},
                                                                 {"delay", "0"},
                                                                 {"wait", "try_wait"},
                                                                 {"hint_ns", "none"},
                                                                 {"warm_up", "on"}};
  EXPECT_EQ(key.axes, axes);
}

TEST(Expand, IdsHaveCommonAxesThenThoseOfProtocolMoverWorkProbe) {
  const Expansion expansion = expand_one(
      "baseline = { warm_up = \"off\", work_amount = 1, payload_bytes = 64, hint_ns = \"100\", "
      "delay = 10, num_stages = 2, probe = \"ring\", protocol = \"mbarrier\", "
      "mover = \"st_shared\", work = \"fma\" }\n");
  EXPECT_EQ(ids(expansion), (Words{"ring/mbarrier/st_shared/fma/num_stages=2/delay=10/hint_ns=100/"
                                   "payload_bytes=64/work_amount=1/warm_up=off"}));
}

TEST(Expand, CrossVariesTheFirstAxisSlowest) {
  const Expansion expansion = expand_one(std::string(mbarrier_baseline) +
                                         "cross = { wait = [\"try_wait\", \"test_wait\"], "
                                         "stages = \"1,4\" }\n");
  EXPECT_EQ(ids(expansion),
            (Words{"ring/mbarrier/none/none/num_stages=1", "ring/mbarrier/none/none",
                   "ring/mbarrier/none/none/num_stages=1/wait=test_wait",
                   "ring/mbarrier/none/none/wait=test_wait"}));
}

TEST(Expand, OnceAroundTakesTheBaselineFirstAndNoPointTwice) {
  const Expansion expansion = expand_one(std::string(mbarrier_baseline) +
                                         "once_around = { stages = [1, 4, 8], wait = \"all\" }\n");
  EXPECT_EQ(ids(expansion),
            (Words{"ring/mbarrier/none/none", "ring/mbarrier/none/none/num_stages=1",
                   "ring/mbarrier/none/none/num_stages=8", "ring/mbarrier/none/none/wait=spin",
                   "ring/mbarrier/none/none/wait=test_wait"}));
  // `all` holds flag's sleep too, which mbarrier does not have.
  EXPECT_EQ(expansion.pruned, (Pruned{{"mbarrier has no wait=sleep", 1}}));
}

TEST(Expand, OnceAroundGoesRoundEveryCombinationOfCross) {
  const Expansion expansion =
      expand_one(std::string(mbarrier_baseline) +
                 "once_around = { delay = [10] }\ncross = { stages = [1, 2] }\n");
  EXPECT_EQ(ids(expansion), (Words{"ring/mbarrier/none/none/num_stages=1",
                                   "ring/mbarrier/none/none/num_stages=1/delay=10",
                                   "ring/mbarrier/none/none/num_stages=2",
                                   "ring/mbarrier/none/none/num_stages=2/delay=10"}));
}

TEST(Expand, PairsVaryTwoAxesAtATime) {
  const Expansion expansion =
      expand_one(std::string(mbarrier_baseline) +
                 "pairs = { stages = [1], delay = [10], wait = [\"spin\"] }\n");
  const std::string root = "ring/mbarrier/none/none";
  EXPECT_EQ(ids(expansion), (Words{root, root + "/num_stages=1", root + "/num_stages=1/delay=10",
                                   root + "/num_stages=1/wait=spin", root + "/delay=10",
                                   root + "/delay=10/wait=spin", root + "/wait=spin"}));
}

TEST(Expand, CountsPrunedPointsByTheFirstReason) {
  // Stages 1..32 by two units: warp prunes 17..32 (16); parity prunes 9..32 (24) by the first rule.
  const Expansion expansion = expand_one(std::string(mbarrier_baseline) +
                                         "cross = { granularity = \"all\", stages = \"1:32\" }\n");
  EXPECT_EQ(expansion.variants.size(), 16U + 8U);
  EXPECT_EQ(expansion.pruned, (Pruned{{"{num_stages} stages are over 16", 16},
                                      {"even and odd lanes: {num_stages} stages are over 8", 24}}));
  EXPECT_EQ(space::describe(expansion),
            "24 variants\n"
            "40 points pruned:\n"
            "      16  {num_stages} stages are over 16\n"
            "      24  even and odd lanes: {num_stages} stages are over 8\n");
}

TEST(Expand, CountsVariedValuesThatHaveNoMeaning) {
  // 2 units x 2 placements x 2 waits x 3 hints = 24. Parity with interleaved: 6. Of the other 18,
  // test_wait with a hint: 3 (warp or parity with a placement that may be) x 2 = 6.
  const Expansion expansion =
      expand_one(std::string(mbarrier_baseline) +
                 "cross = { granularity = \"all\", placement = \"all\", "
                 "wait = [\"try_wait\", \"test_wait\"], hint_ns = \"all\" }\n");
  EXPECT_EQ(expansion.variants.size(), 12U);
  EXPECT_EQ(expansion.pruned,
            (Pruned{{"hint_ns has a meaning only where wait == 'try_wait'", 6},
                    {"placement has a meaning only where granularity == 'warp'", 6}}));
}

TEST(Expand, CountsAxesThatTheComponentDoesNotHave) {
  const Expansion expansion = expand_one(
      "baseline = { probe = \"ring\", mover = \"none\", work = \"none\" }\n"
      "cross = { protocol = \"all\", wait = [\"try_wait\", \"sleep\"], stages = [1, 2], "
      "payload_bytes = [512, 1024] }\n");
  // payload_bytes = 512, the default of a mover that is not chosen, is not a value: 12 points are
  // left, and 12 are pruned for 1024, but flag has no try_wait (2 x 2) and mbarrier no sleep (2 x
  // 2), which are found first, and cta has no wait, whose default try_wait is not a value (sleep: 2
  // x 2).
  EXPECT_EQ(
      ids(expansion),
      (Words{"ring/cta/none/none/num_stages=1", "ring/cta/none/none/num_stages=2",
             "ring/flag/none/none/num_stages=1/wait=sleep",
             "ring/flag/none/none/num_stages=2/wait=sleep", "ring/mbarrier/none/none/num_stages=1",
             "ring/mbarrier/none/none/num_stages=2"}));
  EXPECT_EQ(expansion.pruned,
            (Pruned{{"payload_bytes has a meaning only where mover == 'st_shared'", 6},
                    {"wait has a meaning only where protocol in {'flag', 'mbarrier'}", 4},
                    {"flag has no wait=try_wait", 4},
                    {"mbarrier has no wait=sleep", 4}}));
}

TEST(Expand, BaselineValuesFallBackWhereTheyHaveNoMeaning) {
  const Expansion expansion = expand_one(
      "baseline = { probe = \"ring\", protocol = \"mbarrier\", mover = \"st_shared\", "
      "work = \"none\", wait = \"try_wait\", hint_ns = \"100\", payload_bytes = 64, "
      "placement = \"interleaved\" }\n"
      "once_around = { protocol = \"all\", granularity = [\"even_odd_lanes\"], wait = "
      "[\"test_wait\"], "
      "mover = [\"none\"] }\n");
  EXPECT_EQ(
      ids(expansion),
      (Words{"ring/mbarrier/st_shared/none/placement=interleaved/hint_ns=100/payload_bytes=64",
             "ring/cta/st_shared/none/placement=interleaved/payload_bytes=64",
             "ring/flag/st_shared/none/placement=interleaved/payload_bytes=64",
             "ring/mbarrier/st_shared/none/granularity=even_odd_lanes/hint_ns=100/payload_bytes=64",
             "ring/mbarrier/st_shared/none/placement=interleaved/wait=test_wait/"
             "payload_bytes=64",
             "ring/mbarrier/none/none/placement=interleaved/hint_ns=100"}));
  EXPECT_EQ(expansion.pruned, Pruned{});
}

TEST(Expand, BlocksAreUnitedAndTheirConditionsCounted) {
  const std::string block = "[[sweep.block]]\n" + std::string(mbarrier_baseline);
  const auto expansion = expand_blocks(
      load_fixture(), block + "cross = { stages = \"1:4\" }\nwhen = \"num_stages % 2 == 1\"\n" +
                          block +
                          "cross = { stages = \"2:5,2,17\" }\nwhen = \"num_stages != 5\"\n"
                          "reason = \"five\"\n");
  ASSERT_TRUE(expansion) << expansion.error().text();
  const std::string root = "ring/mbarrier/none/none";
  EXPECT_EQ(ids(*expansion),
            (Words{root + "/num_stages=1", root + "/num_stages=3", root + "/num_stages=2", root}));
  EXPECT_EQ(expansion->pruned, (Pruned{{"outside the block: not (num_stages % 2 == 1)", 2},
                                       {"five", 1},
                                       {"{num_stages} stages are over 16", 1}}));
}

TEST(Overrides, ReplaceWhatTheBlockSaysOfTheAxis) {
  const std::string block = std::string(mbarrier_baseline) +
                            "cross = { stages = [1, 2], delay = [0] }\n"
                            "once_around = { wait = [\"spin\"] }\n";
  const std::string root = "ring/mbarrier/none/none";
  EXPECT_EQ(ids(expand_one(block, {"stages=8"})),
            (Words{root + "/num_stages=8", root + "/num_stages=8/wait=spin"}));
  // wait is no longer varied once around but crossed, and faster than the block's own axes.
  EXPECT_EQ(ids(expand_one(block, {"wait=try_wait,test_wait"})),
            (Words{root + "/num_stages=1", root + "/num_stages=1/wait=test_wait",
                   root + "/num_stages=2", root + "/num_stages=2/wait=test_wait"}));
  EXPECT_EQ(ids(expand_one(block, {"protocol=cta", "wait=try_wait"})),
            (Words{"ring/cta/none/none/num_stages=1", "ring/cta/none/none/num_stages=2"}));
}

struct VariantsRefusal {
  Words overrides;
  const char* message;
};

TEST(Overrides, AreRefusedWithTheirText) {
  const space::Catalogue catalogue = load_fixture();
  const VariantsRefusal rows[] = {
      {{"stages=1", "num_stages=2"}, "-a num_stages=2: axis 'num_stages' is already given"},
      {{"stgaes=1"}, "-a stgaes=1: no axis 'stgaes' (did you mean 'stages'?)"},
  };
  for (const VariantsRefusal& row : rows) {
    const auto expansion = expand_blocks(
        catalogue, std::string("[[sweep.block]]\n") + mbarrier_baseline, row.overrides);
    ASSERT_FALSE(expansion);
    EXPECT_EQ(expansion.error().message, std::string("usage: ") + row.message);
  }
}

TEST(Expand, WantsEveryLeadingAxis) {
  const auto expansion =
      expand_blocks(load_fixture(),
                    "[[sweep.block]]\nbaseline = { probe = \"ring\", work = \"none\" }\n"
                    "cross = { protocol = \"all\" }\n");
  ASSERT_FALSE(expansion);
  EXPECT_EQ(expansion.error().message, "spec: s.toml:3: baseline: names no mover");
}

}  // namespace
}  // namespace phasebit::test
