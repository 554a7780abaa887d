// Synthetic results whose parts and sums are worked out by hand.
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;

namespace {

const std::string none = "/mbarrier/none/none";

// A verb of `cycles`: four and eight copies of it beside 7 cycles of anything.
void add_verb(std::vector<PointRow>& rows, const std::string& spelled, std::uint64_t cycles) {
  const std::string id = "verb" + none + "/addressing=unrolled";
  rows.push_back(steady(id + spelled, 4 * cycles + 7));
  rows.push_back(steady(id + "/num_stages=8" + spelled, 8 * cycles + 7));
}

// Once with its loop of 24 cycles, then 4 and 8 in a row: `cycles` without it.
void add_without_loop(std::vector<PointRow>& rows, const std::string& id, std::uint64_t cycles) {
  rows.push_back(steady(id, cycles + 24));
  rows.push_back(steady(id + "/unroll=4", cycles + 6));
  rows.push_back(steady(id + "/unroll=8", cycles + 3));
}

PointRow wake_of(std::uint64_t cycles) {
  PointRow point = steady("response" + none + "/num_stages=1/counting=off/clock=behind", 300);
  point.readings = {{"wake", "cycles from commit to wake-up"}};
  for (record::Sample& sample : point.samples) sample.readings = {cycles * sample.items};
  return point;
}

std::vector<PointRow> some_parts() {
  std::vector<PointRow> rows = {wake_of(55)};
  add_verb(rows, "/verb=commit/path=completing/reads=completion", 47);
  add_verb(rows, "/verb=release/path=completing/reads=completion", 45);
  add_verb(rows, "/verb=commit/path=completing", 9);
  add_verb(rows, "/verb=release/path=completing", 11);
  add_verb(rows, "", 41);  // a wait whose phase is there
  add_verb(rows, "/verb=acquire", 40);
  add_without_loop(rows, "handoff" + none + "/num_stages=1", 104);
  add_without_loop(rows, "fanin" + none + "/num_stages=1/roles=unified", 48);
  add_without_loop(rows, "fanin" + none + "/num_stages=1/roles=unified/producers=2/consumers=2",
                   50);
  return rows;
}

struct Expected {
  const char *kind, *variant, *formula;
  double predicted, measured;
  bool open;
};

void expect(const std::vector<PointRow>& rows, const std::vector<Expected>& expected,
            const report::data::TableArguments& arguments = {}) {
  const auto table = make_table(rows, "closure", arguments);
  ASSERT_TRUE(table) << table.error().text();
  ASSERT_EQ(table->rows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::vector<table::Cell>& row = table->rows[i];
    SCOPED_TRACE(row[0].text + ", " + row[1].text);
    EXPECT_EQ(row[0].text, expected[i].kind);
    EXPECT_EQ(row[1].text, expected[i].variant);
    EXPECT_EQ(row[2].text, expected[i].formula);
    EXPECT_DOUBLE_EQ(row[3].value.value(), expected[i].predicted);
    EXPECT_DOUBLE_EQ(row[4].value.value(), expected[i].measured);
    EXPECT_DOUBLE_EQ(row[5].value.value(), expected[i].measured - expected[i].predicted);
    EXPECT_EQ(row[7].text, expected[i].open ? "open" : "");
  }
}

TEST(Predictions, OfAHandOffAreMadeOfVerbsOfTheWakeUpAndOfMeetings) {
  const char *trip = "handoff/mbarrier/none/none/num_stages=1",
             *phase = "fanin/mbarrier/none/none/num_stages=1/roles=unified";
  expect(some_parts(),
         {{"hand-off with its loop: the wake-up", trip,
           "commit 9.00 + release 11.00 + 2 x wake-up 55.00", 130, 128, false},
          {"hand-off: its verbs", trip, "commit 47.00 + release 45.00", 92, 104, true},
          {"hand-off: two meetings", trip, "2 x fan-in 50.00", 100, 104, false},
          {"meeting: its verb", phase, "commit 47.00", 47, 48, false}});
}

// A round trip with its loop is 128: two stages leave 64, four 32, which the roles do not reach.
TEST(Predictions, OfARingAreTheSlowestOfItsRolesAndTheRoundTrip) {
  std::vector<PointRow> rows = some_parts();
  rows.push_back(steady("ring" + none + "/num_stages=1", 128));
  rows.push_back(steady("ring" + none + "/num_stages=2", 70));
  rows.push_back(steady("ring" + none, 60));  // 4 stages
  const char *one = "ring/mbarrier/none/none/num_stages=1",
             *two = "ring/mbarrier/none/none/num_stages=2", *four = "ring/mbarrier/none/none";
  expect(rows,
         {{"ring of 1: its hand-off", one, "round trip 128.00", 128, 128, false},
          {"ring: its own ends", two, "max(4 stages 60.00, 1 stage 128.00 / 2)", 64, 70, false},
          {"ring: its verbs", four,
           "max(acquire 40.00 + commit 9.00, wait 41.00 + release 11.00, round trip 128.00 / 4)",
           52, 60, true},
          {"ring: its verbs", two,
           "max(acquire 40.00 + commit 9.00, wait 41.00 + release 11.00, round trip 128.00 / 2)",
           64, 70, false}},
         {{"probe", "ring"}});
}

// A wait spelled otherwise, a part without a figure, a loop that is not subtracted.
TEST(Predictions, NeedEveryPartInTheSameSpelling) {
  std::vector<PointRow> rows;
  add_verb(rows, "/verb=commit/path=completing/reads=completion", 47);
  rows.push_back(steady("verb" + none + "/addressing=unrolled/verb=release", 100));
  add_without_loop(rows, "handoff" + none + "/num_stages=1", 104);
  add_without_loop(rows, "fanin" + none + "/num_stages=1/roles=unified/wait=test_wait", 48);
  rows.push_back(steady("fanin" + none + "/num_stages=1/roles=unified", 60));
  EXPECT_EQ(
      text_of(make_table(rows, "closure")),
      "usage: no measured variant is in this table (it is made from sweeps of specs/core.toml "
      "and specs/probes.toml)");
}

TEST(ClosureTable, ShowsWhatIsOpenAndCountsWhatHasNoRow) {
  std::vector<PointRow> rows = some_parts();
  rows.push_back(steady("ring/cta_barrier/none/none", 32));
  const table::Table table = make_table(rows, "closure", {{"protocol", "mbarrier"}}).value();
  ASSERT_EQ(table.rows.size(), 4U);
  const std::vector<table::Cell>& verbs = table.rows[1];
  EXPECT_EQ(verbs[2].text, "commit 47.00 + release 45.00");
  EXPECT_DOUBLE_EQ(verbs[5].value.value(), 12);
  EXPECT_EQ(verbs[6].text, "11.5 %");  // 12 of 104
  EXPECT_EQ(verbs[7].text, "open");
  EXPECT_EQ(table.rows[3][7].text, "");
  EXPECT_EQ(table.notes.back(), "1 of 4 rows are open.");
  const table::Table all = make_table(rows, "closure").value();
  EXPECT_EQ(all.notes.back(),
            "1 rings and 0 hand-offs have no row: a part of them was not measured in their "
            "spelling.");
}

}  // namespace
}  // namespace phasebit::test
