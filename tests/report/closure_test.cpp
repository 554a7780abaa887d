// Synthetic results whose parts and sums are worked out by hand.
#include "analysis/report/tables/probes/prediction.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;
using report::tables::probes::Prediction;

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

void expect(const std::vector<PointRow>& rows, const std::vector<Expected>& expected) {
  const report::data::ReportData data = data_of(rows);
  const std::vector<Prediction> made = report::tables::probes::predictions(data.aggregation);
  ASSERT_EQ(made.size(), expected.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    SCOPED_TRACE(made[i].kind + ", " + made[i].of->id);
    EXPECT_EQ(made[i].kind, expected[i].kind);
    EXPECT_EQ(made[i].of->id, expected[i].variant);
    EXPECT_EQ(made[i].formula, expected[i].formula);
    EXPECT_DOUBLE_EQ(made[i].predicted.value, expected[i].predicted);
    EXPECT_DOUBLE_EQ(made[i].measured.value, expected[i].measured);
    EXPECT_EQ(made[i].is_open(), expected[i].open);
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
  const report::data::Aggregation all = data_of(rows).aggregation;
  std::vector<Prediction> made = report::tables::probes::predictions(all);
  std::erase_if(made, [](const Prediction& one) { return !one.kind.starts_with("ring"); });
  ASSERT_EQ(made.size(), 4U);
  EXPECT_EQ(made[0].kind, "ring of 1: its hand-off");
  EXPECT_DOUBLE_EQ(made[0].predicted.value, 128);
  EXPECT_DOUBLE_EQ(made[0].percent(), 0);
  EXPECT_EQ(made[1].formula, "max(4 stages 60.00, 1 stage 128.00 / 2)");
  EXPECT_DOUBLE_EQ(made[1].predicted.value, 64);
  EXPECT_EQ(made[2].formula,
            "max(acquire 40.00 + commit 9.00, wait 41.00 + release 11.00, round trip 128.00 / 4)");
  EXPECT_DOUBLE_EQ(made[2].predicted.value, 52);
  EXPECT_DOUBLE_EQ(made[2].residual().value, 8);
  EXPECT_TRUE(made[2].is_open());                 // 8 of 60
  EXPECT_DOUBLE_EQ(made[3].predicted.value, 64);  // 128 / 2
  EXPECT_FALSE(made[3].is_open());                // 6 of 70
}

// A wait spelled otherwise, a part without a figure, a loop that is not subtracted.
TEST(Predictions, NeedEveryPartInTheSameSpelling) {
  std::vector<PointRow> rows;
  add_verb(rows, "/verb=commit/path=completing/reads=completion", 47);
  rows.push_back(steady("verb" + none + "/addressing=unrolled/verb=release", 100));
  add_without_loop(rows, "handoff" + none + "/num_stages=1", 104);
  add_without_loop(rows, "fanin" + none + "/num_stages=1/roles=unified/wait=test_wait", 48);
  rows.push_back(steady("fanin" + none + "/num_stages=1/roles=unified", 60));
  expect(rows, {});
}

TEST(ClosureTable, ShowsWhatIsOpenAndCountsWhatHasNoRow) {
  std::vector<PointRow> rows = some_parts();
  rows.push_back(steady("ring/cta_barrier/none/none", 32));
  const table::Table table =
      report::make_table(data_of(rows), "closure", {{"protocol", "mbarrier"}}).value();
  ASSERT_EQ(table.rows.size(), 4U);
  const std::vector<table::Cell>& verbs = table.rows[1];
  EXPECT_EQ(verbs[2].text, "commit 47.00 + release 45.00");
  EXPECT_DOUBLE_EQ(verbs[5].value.value(), 12);
  EXPECT_EQ(verbs[6].text, "11.5 %");  // 12 of 104
  EXPECT_EQ(verbs[7].text, "open");
  EXPECT_EQ(table.rows[3][7].text, "");
  EXPECT_EQ(table.notes.back(), "1 of 4 rows are open.");
  const table::Table all = report::make_table(data_of(rows), "closure", {}).value();
  EXPECT_EQ(all.notes.back(),
            "1 rings and 0 hand-offs have no row: a part of them was not measured in their "
            "spelling.");
}

}  // namespace
}  // namespace phasebit::test
