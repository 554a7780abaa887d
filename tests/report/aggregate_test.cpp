#include "analysis/report/data/aggregate.h"

#include "analysis/report/data/comparison.h"
#include "tests/report/results.h"

#include <random>

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::AaPair;
using report::data::Aggregate;
using report::data::Aggregation;
using report::data::find_variant;
using report::data::Missing;
using results::PointRow;
using results::Sample;

namespace {

TEST(Aggregate, TakesTheMedianOverRepetitionsAndTheHullOfTheirIntervals) {
  const Aggregation all =
      aggregate({measured("ring/a", 40, 0), measured("ring/a", 43, 1), measured("ring/a", 41, 2)});
  ASSERT_EQ(all.points.size(), 1U);
  const Aggregate& one = all.points[0];
  EXPECT_EQ(one.reason.text, "");
  EXPECT_DOUBLE_EQ(one.cycles, 41);
  EXPECT_DOUBLE_EQ(one.interval.low, 39);
  EXPECT_DOUBLE_EQ(one.interval.high, 44);
  EXPECT_DOUBLE_EQ(one.half_width(), 3);
  EXPECT_TRUE(one.interval_reached);
  EXPECT_EQ(one.repetitions, 3);
  EXPECT_EQ(one.rounds, 21);
  EXPECT_NEAR(one.intercept_cycles, 100, 1e-9);
  EXPECT_DOUBLE_EQ(*one.repetition_difference_cycles, 2);  // of 3, 1, 2
  EXPECT_EQ(all.aa.size(), 3U);
}

// polls: 3 and 5 an item, steady in each repetition.
TEST(Aggregate, TakesReadingsOverTheRepetitionsToo) {
  PointRow first = measured("response/a", 40, 0), second = measured("response/a", 42, 1);
  for (PointRow* point : {&first, &second}) {
    point->readings = {{"polls", "polls per item"}};
    const std::uint64_t polls = point == &first ? 3 : 5;
    for (Sample& sample : point->samples) sample.readings = {polls * sample.items};
  }
  second.readings.push_back({"late", "cycles"});  // not in every repetition
  for (Sample& sample : second.samples) sample.readings.push_back(0);
  const Aggregation all = aggregate({first, second});
  const report::data::ReadingFigure* polls = all.points[0].reading("polls");
  ASSERT_NE(polls, nullptr);
  EXPECT_EQ(polls->unit, "polls per item");
  EXPECT_NEAR(polls->value, 4, 1e-9);
  EXPECT_NEAR(polls->interval.low, 3, 1e-9);
  EXPECT_NEAR(polls->half_width(), 1, 1e-9);
  EXPECT_TRUE(polls->interval_reached);
  EXPECT_EQ(all.points[0].reading("late"), nullptr);
  EXPECT_EQ(
      make_figure(results_of({first}), {{"variant", "response/a"}, {"field", "polls"}}).value(),
      "3.00 ±0");
}

// 40 at first, 42 with another start offset, 41 elsewhere: 2 apart, by the start offset.
TEST(Aggregate, SaysHowFarConditionsMoveItAndWhich) {
  PointRow offset = steady("ring/a", 42, 1), elsewhere = steady("ring/a", 41, 2);
  offset.conditions.start_offset = 7;
  elsewhere.conditions.sm = 9;
  const Aggregation all = aggregate({steady("ring/a", 40), offset, elsewhere});
  const Aggregate& one = all.points.at(0);
  EXPECT_DOUBLE_EQ(one.cycles, 41);
  EXPECT_DOUBLE_EQ(one.spread_cycles, 2);
  EXPECT_EQ(one.spread_factor, "start offset");
  EXPECT_TRUE(one.flags.empty());  // a condition is no warning
  EXPECT_TRUE(all.aa.empty());     // and its difference none between equal measurements
}

PointRow bent(const std::string& id, int repetition) {
  PointRow point = steady(id, 99, repetition);
  point.quality.bends = {{"", {40, 40, 217}}};
  return point;
}

TEST(Aggregate, LeavesOutWhatIsNoLine) {
  const Aggregation all =
      aggregate({steady("ring/a", 40), bent("ring/a", 1), steady("ring/a", 42, 2),
                 steady("ring/b", 50), bent("ring/b", 1), bent("ring/b", 2)});
  EXPECT_DOUBLE_EQ(all.points.at(0).cycles, 41);
  EXPECT_EQ(results::words_of(all.points.at(0).flags),
            (std::vector<std::string>{"not_linear in 1 of 3"}));
  EXPECT_EQ(all.points.at(1).reason.text, "not_linear:40.00,40.00,217.00: not_linear in 2 of 3");
}

// Of a reading that bends the cycles may be shown, and the other way round.
TEST(Aggregate, ABentReadingIsNotABentFigure) {
  PointRow point = steady("response/a", 40);
  point.readings = {{"polls", "polls per item"}};
  for (Sample& sample : point.samples) sample.readings = {3ULL * sample.items};
  point.quality.bends = {{"polls", {0, 0, 9}}};
  const Aggregation all = aggregate({point});
  EXPECT_EQ(report::data::figure_of(all.points.at(0)).reason.text, "");
  EXPECT_EQ(report::data::figure_of(all.points.at(0), "polls").reason.text,
            "not_linear:polls:0.00,0.00,9.00");
}

TEST(Aggregate, WhereAClusterRanIsNoWarning) {
  PointRow point = steady("cluster/a", 700);
  point.sms = {1, 3};
  point.quality.throttled = true;
  EXPECT_EQ(results::words_of(aggregate({point}).points[0].flags),
            (std::vector<std::string>{"throttled"}));
}

TEST(Aggregate, OfOneRepetitionHasNoDifference) {
  const Aggregation all = aggregate({steady("ring/a", 40)});
  EXPECT_FALSE(all.points[0].repetition_difference_cycles.has_value());
  EXPECT_TRUE(all.aa.empty());
}

TEST(Aggregate, KeepsKindsDevicesAndTextsApart) {
  PointRow anchor = steady("anchor/fma", 4), modes = steady("ring/a", 41),
           other = steady("ring/a", 42), text = steady("ring/a", 43);
  anchor.kind = results::PointKind::anchor;
  modes.kind = results::PointKind::modes;
  other.device_uuid = "GPU-2";
  text.text_hash = "newer";
  const Aggregation all = aggregate({steady("ring/a", 40), anchor, modes, other, text});
  EXPECT_EQ(all.points.size(), 3U);
  EXPECT_EQ(all.anchors.size(), 1U);
  EXPECT_EQ(all.modes.size(), 1U);
  EXPECT_TRUE(all.aa.empty());
}

TEST(Aggregate, TheNewestTextOfAVariantIsFound) {
  PointRow newer = steady("ring/a", 43);
  newer.text_hash = "a text that sorts first";
  const Aggregation all = aggregate({steady("ring/a", 40), newer});
  EXPECT_DOUBLE_EQ(find_variant(all.points, "ring/a")->cycles, 43);
  EXPECT_EQ(find_variant(all.points, "ring/b"), nullptr);
}

TEST(Aggregate, AnErrorHasAReasonAndNoFigure) {
  const Aggregation all =
      aggregate({steady("ring/a", 40, 0), failed_point("ring/a", Step::launch, "killed", 1)});
  EXPECT_EQ(all.points[0].reason.text, "launch: killed");
  EXPECT_EQ(all.points[0].errors, 1);
  EXPECT_EQ(all.points[0].repetitions, 1);
  EXPECT_EQ(all.points[0].cycles, 0);
}

TEST(Aggregate, ALaterMeasurementMakesUpForAnErrorButNotForAWrongPayload) {
  struct Row {
    Step step;
    const char* reason;
  };
  for (const Row& row : {Row{Step::launch, ""}, Row{Step::gate, ""}, Row{Step::guard, ""},
                         Row{Step::verify, "verify: x"}}) {
    const PointRow error = failed_point("ring/a", row.step, "x");
    EXPECT_EQ(aggregate({error, steady("ring/a", 40)}).points[0].reason.text, row.reason);
    // And an error does not undo a measurement, unless it shows that the code is wrong.
    EXPECT_EQ(aggregate({steady("ring/a", 40), error}).points[0].reason.text, row.reason);
  }
}

TEST(Aggregate, SaysWhenSamplesGiveNoFigure) {
  PointRow point = steady("ring/a", 40);
  point.samples.resize(3);
  EXPECT_EQ(aggregate({point}).points[0].reason.text,
            "a slope needs at least 4 chain lengths a round, not 3");
}

TEST(Aggregate, KnowsUngatedFromFailed) {
  const auto missing = [](const PointRow& row) {
    const Aggregate one = aggregate({row}).points[0];
    EXPECT_EQ(one.verdict, row.verdict);
    return one.reason.what;
  };
  EXPECT_EQ(missing(ungated_point("r", "no rule covers this family")), Missing::ungated);
  EXPECT_EQ(missing(failed_point("r", Step::gate, "not gated: whatever the words")),
            Missing::failed);
  EXPECT_EQ(missing(steady("r", 3)), Missing::nothing);
}

TEST(Aggregate, AMemberOfAMeasuredClassHasItsFigures) {
  const PointRow first = measured("ring/m", 40);
  const Aggregation all =
      aggregate({same_code("ring/a", first), first, same_code("ring/z", first)});
  for (const char* id : {"ring/a", "ring/z"}) {
    const Aggregate* member = find_variant(all.points, id);
    EXPECT_EQ(member->same_as, "ring/m");
    EXPECT_EQ(member->reason.text, "");
    EXPECT_DOUBLE_EQ(member->cycles, 40);
    EXPECT_EQ(member->sass_class, first.sass_class);
  }
  EXPECT_EQ(find_variant(all.points, "ring/m")->same_as, "");
}

TEST(Aggregate, AMemberOfAClassThatWasNotMeasuredSaysSo) {
  const PointRow first = failed_point("ring/m", Step::launch, "killed");
  const PointRow member = same_code("ring/a", steady("ring/m", 40));
  EXPECT_EQ(aggregate({member}).points[0].reason.text,
            "ring/m, which has the same code, was not measured");
  EXPECT_EQ(find_variant(aggregate({first, member}).points, "ring/a")->reason.text,
            "launch: killed");
  PointRow changed = steady("ring/m", 40);
  changed.sass_class = "another";
  EXPECT_EQ(find_variant(aggregate({changed, member}).points, "ring/a")->reason.text,
            "ring/m, which has the same code, was not measured");
}

TEST(AaPairs, AControlIsComparedWithItsClassInTheSameRepetition) {
  const PointRow first = steady("ring/m", 50), second = steady("ring/m", 60, 1);
  PointRow control = control_of(first, 51);
  control.variant_id = "ring/other spelling";
  const Aggregation all = aggregate({first, second, control});
  std::vector<AaPair> controls;
  for (const AaPair& pair : all.aa)
    if (pair.between == AaPair::Between::control) controls.push_back(pair);
  ASSERT_EQ(controls.size(), 1U);
  EXPECT_EQ(controls[0].id, "ring/m");
  EXPECT_EQ(controls[0].other_id, "ring/other spelling");
  EXPECT_NEAR(controls[0].difference_cycles(), 1, 1e-9);
  EXPECT_NEAR(controls[0].difference_percent(), 2, 1e-9);
  // A control is no repetition: the figure is that of the points.
  EXPECT_DOUBLE_EQ(find_variant(all.points, "ring/m")->cycles, 55);
}

// Adding c cycles an item to all samples adds c to every figure, and the order of rows does not
// matter while they are of one text.
TEST(AggregateProperty, ShiftsWithItsSamplesAndIgnoresTheOrderOfRows) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 50; ++trial) {
    const std::uint64_t extra = random() % 100;
    std::vector<PointRow> rows, shifted;
    for (int repetition = 0; repetition < 4; ++repetition) {
      std::vector<std::uint64_t> slopes(8);
      for (auto& slope : slopes) slope = 50 + random() % 10;
      rows.push_back(some_point("ring/a", repetition, slopes));
      for (auto& slope : slopes) slope += extra;
      shifted.push_back(some_point("ring/a", repetition, slopes));
    }
    std::shuffle(shifted.begin(), shifted.end(), random);
    const Aggregate a = aggregate(rows).points[0], b = aggregate(shifted).points[0];
    const auto c = static_cast<double>(extra);
    EXPECT_NEAR(b.cycles, a.cycles + c, 1e-9);
    EXPECT_NEAR(b.interval.low, a.interval.low + c, 1e-9);
    EXPECT_NEAR(b.interval.high, a.interval.high + c, 1e-9);
    EXPECT_NEAR(*b.repetition_difference_cycles, *a.repetition_difference_cycles, 1e-9);
    EXPECT_EQ(b.rounds, a.rounds);
  }
}

// Nanoseconds of somebody else's kernel: neither a row nor an A/A pair.
TEST(Aggregate, LeavesStrangersKernelsOut) {
  results::Results results = results_of({steady("ring/a", 40, 0), steady("ring/a", 40, 1)});
  const Aggregation before =
      report::data::aggregate(results.points, report::data::VariantKeys(results));
  const std::string id = "external/s@01234567/axpy";
  for (const int repetition : {0, 1})
    results.points.push_back(
        steady(id, 1000 * (1 + static_cast<std::uint64_t>(repetition)), repetition));
  results::KeyPool pool;
  results.variants.push_back(pool.row_of(
      {id, "h", {{"probe", "external"}, {"file", "s@01234567"}, {"entry", "axpy"}}}, {}));
  const Aggregation all =
      report::data::aggregate(results.points, report::data::VariantKeys(results));
  ASSERT_EQ(all.points.size(), 1U);
  EXPECT_EQ(all.points[0].id, "ring/a");
  EXPECT_EQ(all.aa.size(), before.aa.size());
  EXPECT_EQ(all.floors.size(), before.floors.size());
  const auto aa = make_table(results, "aa");
  ASSERT_TRUE(aa) << aa.error().text();
  EXPECT_EQ(base::render(*aa, base::TableFormat::csv).find("external"), std::string::npos);
  // Not even where somebody asks for them, nor as a figure of a document.
  const auto pivot = make_table(results, "pivot", {{"rows", "probe"}, {"probe", "external"}});
  EXPECT_FALSE(pivot);
  EXPECT_FALSE(make_figure(results, {{"variant", id}, {"field", "cycles"}}));
  EXPECT_TRUE(make_figure(results, {{"variant", "ring/a"}, {"field", "cycles"}}));
}

}  // namespace
}  // namespace phasebit::test
