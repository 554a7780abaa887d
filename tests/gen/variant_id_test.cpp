#include "gen/space/point.h"
#include "tests/gen/expansion.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using space::Catalogue;
using space::parse_variant;

namespace {

// An axis that comes later, wherever it is, changes no id that was there before it.
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
  const space::Expansion expansion = expand_one(
      "baseline = { probe = \"ring\" }\ncross = { protocol = \"all\", mover = \"all\", "
      "work = \"all\", wait = \"all\", hint_ns = \"all\", granularity = \"all\", placement = "
      "\"all\" }\n");
  ASSERT_GT(expansion.variants.size(), 30U);
  for (const launch::VariantKey& variant : expansion.variants) {
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
      {"ring/cta/none/none/num_stages=9/granularity=even_odd_lanes",
       "pruned: even and odd lanes: 9 stages are over 8"},
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
  space::Expansion expansion;
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
  const auto key = space::make_key(load_fixture(), {{"probe", "ring"}, {"mover", "none"}});
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().text(), "spec: no protocol");
}

TEST(PointOf, RefusesAKeyOfAnotherCatalogue) {
  const Catalogue catalogue = load_fixture();
  launch::VariantKey key = parse_variant(catalogue, "ring/flag/none/none").value();
  key.axes.emplace_back("layuot", "v0");
  EXPECT_EQ(space::point_of(catalogue, key).error().message,
            "ring/flag/none/none: no axis 'layuot'");
}

}  // namespace
}  // namespace phasebit::test
