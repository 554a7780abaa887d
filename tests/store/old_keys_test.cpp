#include "core/store/old_keys.h"

#include "core/base/hash.h"
#include "core/image/renamed.h"
#include "core/store/load.h"
#include "tests/store/rows.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using image::KeyAxes;
using record::Results;
using record::VariantRow;
using store::import_keys;
using store::OldKeys;

namespace {

constexpr const char* small_file = R"(
[defaults]
wait = "try_wait"
[[component]]
kind = "common"
name = ""
axes = ["num_stages=4", "unit=warp"]
[[component]]
kind = "protocol"
name = "mbarrier"
axes = ["wait=try_wait"]
[[component]]
kind = "probe"
name = "form"
axes = ["num_stages=1"]
[protocol.mbarrier]
waits_on = "{wait}"
blank = ["unit"]
)";

TEST(OldKeys, AreWholeAndInOrder) {
  record::KeyPool pool;
  const OldKeys old = OldKeys::parse(small_file, "a.toml").value();
  const VariantRow row = old.key_of("ring/mbarrier/none/none/wait=test_wait/ptxas=12.4", "h", pool);
  EXPECT_EQ(row.axes(), (KeyAxes{{"probe", "ring"},
                                 {"protocol", "mbarrier"},
                                 {"mover", "none"},
                                 {"work", "none"},
                                 {"num_stages", "4"},
                                 {"unit", "warp"},
                                 {"wait", "test_wait"},
                                 {"ptxas", "12.4"}}));
  EXPECT_EQ(row.named, (KeyAxes{{"wait", "test_wait"}, {"ptxas", "12.4"}}));
  EXPECT_EQ(row.id, "ring/mbarrier/none/none/wait=test_wait/ptxas=12.4");
  EXPECT_EQ(row.hash, "h");
  const VariantRow other = old.key_of("ring/mbarrier/none/none", "i", pool);
  EXPECT_EQ(row.defaults, other.defaults);  // shared
  EXPECT_EQ(old.key_of("anchor/bar_sync/warps=1", "j", pool).axes(),
            (KeyAxes{{"probe", "anchor"}, {"anchor", "bar_sync/warps=1"}}));
  EXPECT_EQ(old.catalogue().axes.at("num_stages").default_value, "4");
  EXPECT_EQ(old.catalogue().axes.at("form.num_stages").default_value, "1");
  EXPECT_EQ(old.catalogue().protocols.at("mbarrier").blank, std::vector<std::string>{"unit"});
}

// Old names map to new ones as data: in keys, ids and the flags that name ids, and in rows whose
// keys are whole already.
TEST(OldKeys, HaveTheNamesOfToday) {
  const OldKeys old = OldKeys::parse(small_file, "a.toml").value();
  const std::string from = "ring/mbarrier/none/none/unit=parity";
  const std::string to = "ring/mbarrier/none/none/granularity=even_odd_lanes";
  for (const bool whole : {false, true}) {
    Results results = {{some_device()}, {some_run()}, {some_point(from), some_point("ring/x")}};
    results.points[1].flags = {"throttled", std::string(record::same_class_prefix) + from};
    results.catalogue.axes["unit"] = {"warp", ""};
    const auto defaults = std::make_shared<const KeyAxes>(KeyAxes{{"probe", "ring"},
                                                                  {"protocol", "mbarrier"},
                                                                  {"mover", "none"},
                                                                  {"work", "none"},
                                                                  {"unit", "warp"}});
    if (whole) results.variants = {{from, "h", defaults, {{"unit", "parity"}}}};
    import_keys(results, old);
    EXPECT_EQ(results.points[0].variant_id, to);
    EXPECT_EQ(results.points[0].variant_hash, base::short_hash(to));
    EXPECT_EQ(results.points[1].flags[1], std::string(record::same_class_prefix) + to);
    EXPECT_EQ(results.variants[0].value("granularity"), "even_odd_lanes");
    EXPECT_EQ(results.variants[0].find("unit"), nullptr);
    EXPECT_EQ(results.catalogue.axes.count("unit"), 0U);
    EXPECT_EQ(results.catalogue.axes.count("granularity"), 1U);
  }
}

// Each kind of name that changed, in an id and in the key that it is made of.
TEST(OldKeys, ComponentsAndValuesHaveTheNamesOfTodayToo) {
  const std::pair<const char*, const char*> ids[] = {
      {"neighbour/mbarrier/none/none/num_stages=1/neighbour_work=mma/bystanders=4",
       "interference/mbarrier/none/none/num_stages=1/victim_work=mma/victims=4"},
      {"word/none/none/none/word_layout=v1", "barrier_word/none/none/none/word_layout=v1"},
      {"ring/word/none/none", "ring/word/none/none"},  // no probe
      {"form/none/none/none/form=a#001/chain=latency/lanes=warp",
       "form/none/none/none/form=a#001/measure=latency/lanes=warp"},
      {"form/none/none/none/chain=issue", "form/none/none/none/measure=throughput"},
      {"ring/mbarrier/none/none/operand=parity/sharing=turns",
       "ring/mbarrier/none/none/operand=parity/sharing=round_robin"},
      {"ring/mbarrier/st_shared/none/tuned=deferred_fold",
       "ring/mbarrier/st_shared/none/tuned=deferred_checksum"},
      {"anchor/fold_32", "anchor/checksum_32"},
      {"anchor/bar_sync/warps=1", "anchor/bar_sync/warps=1"},
      {"fold_32", "fold_32"}};  // a hash has no parts
  const OldKeys old = OldKeys::load().value();
  for (const auto& [before, today] : ids) {
    EXPECT_EQ(image::id_today(before), today);
    Results results = {{some_device()}, {some_run()}, {some_point(before)}};
    import_keys(results, old);
    EXPECT_EQ(results.points[0].variant_id, today);
    for (const auto& [axis, value] : results.variants[0].axes()) {
      EXPECT_EQ(image::axis_today(axis), axis) << before;
      EXPECT_EQ(image::value_today(axis, value), value) << before;
    }
  }
}

// A default of one component's own is its default under the name of today.
TEST(OldKeys, FactsHaveTheNamesOfToday) {
  Results results;
  results.catalogue.axes = {{"chain", {"issue", ""}}, {"neighbour.unit", {"parity", "x"}}};
  import_keys(results, OldKeys::load().value());
  EXPECT_EQ(results.catalogue.axes.at("measure").default_value, "throughput");
  EXPECT_EQ(results.catalogue.axes.at("interference.granularity").default_value, "even_odd_lanes");
  EXPECT_EQ(results.catalogue.axes.size(), 2U);
}

TEST(OldKeys, SayWhatIsWrongInTheirFile) {
  EXPECT_EQ(OldKeys::parse("a = 1", "a.toml").error().text(), "store: a.toml: no [[component]]");
  EXPECT_EQ(OldKeys::parse("[[component]]\nname = \"x\"", "a.toml").error().text(),
            "store: a.toml:1: a component without kind and name");
  EXPECT_EQ(OldKeys::parse("\n[", "a.toml").error().message.rfind("a.toml:2: ", 0), 0U);
}

// The committed file: what a plain id left out, by hand from the templates of its commit.
TEST(OldKeys, TheCommittedFileGivesEveryAxis) {
  record::KeyPool pool;
  const OldKeys old = OldKeys::load().value();
  const VariantRow row = old.key_of("verb/mbarrier/none/none/verb=commit", "h", pool);
  const std::pair<const char*, const char*> axes[] = {
      {"num_stages", "4"}, {"unit", "warp"},  {"wait", "try_wait"}, {"hint_ns", "none"},
      {"layout", "v0"},    {"path", "ready"}, {"verb", "commit"},   {"load", "none"}};
  for (const auto& [axis, value] : axes) EXPECT_EQ(row.value(axis), value) << axis;
  EXPECT_EQ(row.find("payload_bytes"), nullptr);  // of the movers
  EXPECT_EQ(old.key_of("ring/mbarrier/st_shared/none", "h", pool).value("payload_bytes"), "512");
  EXPECT_EQ(old.key_of("form/none/none/none", "h", pool).value("path"), "plain");
}

}  // namespace
}  // namespace phasebit::test
