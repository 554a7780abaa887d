#include "gen/variants.h"

#include "core/base/hash.h"
#include "tests/gen/fixture.h"

#include <gtest/gtest.h>

namespace phasebit {
namespace {

using Words = std::vector<std::string>;
using Pruned = std::vector<std::pair<std::string, int>>;

constexpr const char* mbarrier_baseline =
    "baseline = { probe = \"ring\", protocol = \"mbarrier\", mover = \"none\", work = \"none\" }\n";

Words ids(const Expansion& expansion) {
  Words all;
  for (const VariantKey& key : expansion.variants) all.push_back(key.id);
  return all;
}

// The sweep "s" of these blocks.
Result<Expansion> expand_blocks(const Catalogue& catalogue, const std::string& blocks,
                                const Words& overrides = {}) {
  Folder folder;
  folder.write("s.toml", "[[sweep]]\nname = \"s\"\n" + blocks);
  PHASEBIT_TRY_ASSIGN(spec, load_spec(folder.path() / "s.toml", catalogue));
  return expand(catalogue, spec, "s", overrides).map_error([&](Error error) {
    return Error{Step::spec, folder.text(error), {}};
  });
}

Expansion expand_one(const std::string& block, const Words& overrides = {}) {
  auto expansion = expand_blocks(load_fixture(), "[[sweep.block]]\n" + block, overrides);
  if (!expansion) bug(expansion.error().text());
  return std::move(*expansion);
}

TEST(Expand, ABaselineAloneIsOneVariant) {
  const Expansion expansion = expand_one(mbarrier_baseline);
  EXPECT_EQ(ids(expansion), (Words{"ring/mbarrier/none/none"}));
  EXPECT_EQ(expansion.pruned, Pruned{});
  const VariantKey& key = expansion.variants.front();
  EXPECT_EQ(key.hash, short_hash("ring/mbarrier/none/none"));
  const std::vector<std::pair<std::string, std::string>> axes = {{"probe", "ring"},
                                                                 {"protocol", "mbarrier"},
                                                                 {"mover", "none"},
                                                                 {"work", "none"},
                                                                 {"num_stages", "4"},
                                                                 {"unit", "warp"},
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
                                         "cross = { unit = \"all\", stages = \"1:32\" }\n");
  EXPECT_EQ(expansion.variants.size(), 16U + 8U);
  EXPECT_EQ(expansion.pruned, (Pruned{{"{num_stages} stages are over 16", 16},
                                      {"thread parity: {num_stages} stages are over 8", 24}}));
  EXPECT_EQ(describe(expansion),
            "24 variants\n"
            "40 points pruned:\n"
            "      16  {num_stages} stages are over 16\n"
            "      24  thread parity: {num_stages} stages are over 8\n");
}

TEST(Expand, CountsVariedValuesThatHaveNoMeaning) {
  // 2 units x 2 placements x 2 waits x 3 hints = 24. Parity with interleaved: 6. Of the other 18,
  // test_wait with a hint: 3 (warp or parity with a placement that may be) x 2 = 6.
  const Expansion expansion =
      expand_one(std::string(mbarrier_baseline) +
                 "cross = { unit = \"all\", placement = \"all\", "
                 "wait = [\"try_wait\", \"test_wait\"], hint_ns = \"all\" }\n");
  EXPECT_EQ(expansion.variants.size(), 12U);
  EXPECT_EQ(expansion.pruned, (Pruned{{"hint_ns has a meaning only where wait == 'try_wait'", 6},
                                      {"placement has a meaning only where unit == 'warp'", 6}}));
}

TEST(Expand, CountsAxesThatTheComponentDoesNotHave) {
  const Expansion expansion = expand_one(
      "baseline = { probe = \"ring\", mover = \"none\", work = \"none\" }\n"
      "cross = { protocol = \"all\", wait = [\"try_wait\", \"sleep\"], stages = [1, 2], "
      "payload_bytes = [512, 1024] }\n");
  // payload_bytes = 512, the default of a mover that is not chosen, is no value: 12 points are
  // left, and 12 are pruned for 1024, but flag has no try_wait (2 x 2) and mbarrier no sleep (2 x
  // 2), which are found first, and cta has no wait, whose default try_wait is no value (sleep: 2 x
  // 2).
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
      "once_around = { protocol = \"all\", unit = [\"parity\"], wait = [\"test_wait\"], "
      "mover = [\"none\"] }\n");
  EXPECT_EQ(
      ids(expansion),
      (Words{"ring/mbarrier/st_shared/none/placement=interleaved/hint_ns=100/payload_bytes=64",
             "ring/cta/st_shared/none/placement=interleaved/payload_bytes=64",
             "ring/flag/st_shared/none/placement=interleaved/payload_bytes=64",
             "ring/mbarrier/st_shared/none/unit=parity/hint_ns=100/payload_bytes=64",
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

struct Refusal {
  Words overrides;
  const char* message;
};

TEST(Overrides, AreRefusedWithTheirText) {
  const Catalogue catalogue = load_fixture();
  const Refusal rows[] = {
      {{"stages=1", "num_stages=2"}, "-a num_stages=2: axis 'num_stages' is already given"},
      {{"stgaes=1"}, "-a stgaes=1: no axis 'stgaes' (did you mean 'stages'?)"},
  };
  for (const Refusal& row : rows) {
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

// An axis that comes later, wherever it stands, changes no id that was there before it.
TEST(Ids, StayWhenAnAxisWithADefaultIsAdded) {
  Folder folder;
  folder.copy_fixture();
  folder.write("axes.toml", folder.read("axes.toml") +
                                "\n[[axis]]\nname = \"fence\"\nvalues = [\"on\", \"off\"]\n"
                                "default = \"off\"\n");
  std::string protocol = folder.read("protocols/mbarrier/protocol.toml");
  protocol.insert(protocol.find("[[axis]]"),
                  "[[axis]]\nname = \"layout\"\nvalues = [\"v0\", \"v1\"]\ndefault = \"v0\"\n\n");
  folder.write("protocols/mbarrier/protocol.toml", protocol);
  const auto changed = Catalogue::load(folder.path());
  ASSERT_TRUE(changed) << changed.error().text();
  const std::string blocks = "[[sweep.block]]\n" + std::string(mbarrier_baseline) +
                             "cross = { stages = \"1:16\", wait = \"all\", delay = \"all\" }\n";
  const auto before = expand_blocks(load_fixture(), blocks);
  const auto after = expand_blocks(*changed, blocks);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->variants.size(), 16U * 3U * 3U);
  EXPECT_EQ(ids(*before), ids(*after));
  for (size_t i = 0; i < before->variants.size(); ++i) {
    EXPECT_EQ(before->variants[i].hash, after->variants[i].hash);
    EXPECT_EQ(after->variants[i].value("fence"), "off");
    EXPECT_EQ(after->variants[i].value("layout"), "v0");
  }
}

TEST(ParseVariant, ReadsEveryIdBack) {
  const Catalogue catalogue = load_fixture();
  const Expansion expansion = expand_one(
      "baseline = { probe = \"ring\" }\ncross = { protocol = \"all\", mover = \"all\", "
      "work = \"all\", wait = \"all\", hint_ns = \"all\", unit = \"all\", placement = \"all\" }\n");
  ASSERT_GT(expansion.variants.size(), 30U);
  for (const VariantKey& variant : expansion.variants) {
    const auto key = parse_variant(catalogue, variant.id);
    ASSERT_TRUE(key) << key.error().text();
    EXPECT_EQ(key->id, variant.id);
    EXPECT_EQ(key->hash, variant.hash);
    EXPECT_EQ(key->axes, variant.axes);
  }
}

TEST(ParseVariant, OrdersTheAxesAndDropsDefaults) {
  const auto key =
      parse_variant(load_fixture(), "ring/mbarrier/none/none/wait=spin/delay=0/stages=2");
  ASSERT_TRUE(key) << key.error().text();
  EXPECT_EQ(key->id, "ring/mbarrier/none/none/num_stages=2/wait=spin");
}

TEST(ParseVariant, SaysWhatIsWrong) {
  const Catalogue catalogue = load_fixture();
  const std::pair<const char*, const char*> rows[] = {
      {"ring", "not the id of a variant (probe/protocol/mover/work, then /axis=value)"},
      {"ring/cta/none", "not the id of a variant (probe/protocol/mover/work, then /axis=value)"},
      {"ring/cta/none/stages=2/none",
       "not the id of a variant (probe/protocol/mover/work, then /axis=value)"},
      {"ring/cta/none/none/",
       "not the id of a variant (probe/protocol/mover/work, then /axis=value)"},
      {"rnig/cta/none/none", "probe: no value 'rnig' (did you mean 'ring'?)"},
      {"ring/cta/none/none/stgaes=2", "no axis 'stgaes' (did you mean 'stages'?)"},
      {"ring/cta/none/none/stages=2/num_stages=2", "axis 'num_stages' twice"},
      {"ring/cta/none/none/num_stages=33", "num_stages: no value '33' (a whole number in 1..32)"},
      {"ring/cta/none/none/num_stages=20", "pruned: 20 stages are over 16"},
      {"ring/cta/none/none/num_stages=9/unit=parity", "pruned: thread parity: 9 stages are over 8"},
      {"handoff/cta/none/none", "pruned: handoff: one slot"},
      {"ring/cta/none/none/wait=sleep",
       "pruned: wait has a meaning only where protocol in {'flag', 'mbarrier'}"},
      {"ring/mbarrier/none/none/wait=spin/hint_ns=0",
       "pruned: hint_ns has a meaning only where wait == 'try_wait'"},
  };
  for (const auto& [id, message] : rows) {
    SCOPED_TRACE(id);
    const auto key = parse_variant(catalogue, id);
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().text(), fmt::format("usage: {}: {}", id, message));
  }
}

TEST(ParseVariant, FindsHashesInASweep) {
  const Catalogue catalogue = load_fixture();
  Expansion expansion;
  for (const char* hash : {"abcd00000001", "abcd00000002", "ef0100000003"})
    expansion.variants.push_back({fmt::format("id{}", hash), hash, {}});
  EXPECT_EQ(parse_variant(catalogue, "ef01", &expansion)->hash, "ef0100000003");
  EXPECT_EQ(parse_variant(catalogue, "abcd00000002", &expansion)->hash, "abcd00000002");
  EXPECT_EQ(parse_variant(catalogue, "abcd", &expansion).error().text(),
            "usage: abcd: the hash of 2 variants, idabcd00000001 and idabcd00000002 among them");
  EXPECT_EQ(parse_variant(catalogue, "0123", &expansion).error().text(),
            "usage: 0123: no variant has this hash (a hash is looked up in one sweep; an id needs "
            "none)");
}

TEST(MakeKey, WantsTheLeadingAxes) {
  const auto key = make_key(load_fixture(), {{"probe", "ring"}, {"mover", "none"}});
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().text(), "spec: no protocol");
}

TEST(PtxId, LeavesOutAxesThatDoNotChangeThePtx) {
  const Catalogue catalogue = load_fixture();
  const auto key =
      parse_variant(catalogue, "ring/flag/none/fma/num_stages=2/delay=100/work_amount=8");
  ASSERT_TRUE(key) << key.error().text();
  EXPECT_EQ(ptx_id(catalogue, *key).value(), "ring/flag/none/fma/num_stages=2");
}

TEST(PointOf, RefusesAKeyOfAnotherCatalogue) {
  const Catalogue catalogue = load_fixture();
  VariantKey key = parse_variant(catalogue, "ring/flag/none/none").value();
  key.axes.emplace_back("layuot", "v0");
  EXPECT_EQ(point_of(catalogue, key).error().message, "ring/flag/none/none: no axis 'layuot'");
}

}  // namespace
}  // namespace phasebit
