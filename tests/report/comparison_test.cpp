#include "analysis/report/data/comparison.h"

#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::Aggregation;
using report::data::compare;
using report::data::Comparison;
using report::data::floor_of;
using report::data::percent_cell;
using results::PointRow;

namespace {

constexpr const char* before = "ring/mbarrier/st_shared/none";
constexpr const char* after = "ring/mbarrier/st_shared/none/ptxas=12.4.131";

// Two figures, and a pair of measurements of one code that differ by `floor`.
Aggregation two(const PointRow& first, const PointRow& second, std::uint64_t floor) {
  const PointRow other = steady("ring/mbarrier/st_shared/none/num_stages=8", 50);
  return aggregate({first, second, other, control_of(other, 50 + floor)});
}

struct ComparisonRow {
  const char* what;
  std::uint64_t after_cycles, floor;
  const char* verdict;
};

TEST(Compare, ADifferenceMustExceedTheFloor) {
  const ComparisonRow rows[] = {
      {"equal", 100, 0, "SAME"},        {"above half a cycle, no floor", 101, 0, "slower"},
      {"at the floor", 102, 2, "SAME"}, {"above", 103, 2, "slower"},
      {"below", 97, 2, "faster"},       {"at the floor, faster", 98, 2, "SAME"},
  };
  for (const ComparisonRow& row : rows) {
    SCOPED_TRACE(row.what);
    const Comparison made = compare(
        two(steady(before, 100), steady(after, row.after_cycles), row.floor), before, after);
    EXPECT_EQ(made.verdict, row.verdict);
    EXPECT_EQ(made.is_step(), std::string(row.verdict) != "SAME");
    EXPECT_DOUBLE_EQ(made.floor, std::max(0.5, static_cast<double>(row.floor)));
    EXPECT_DOUBLE_EQ(made.difference.value, static_cast<double>(row.after_cycles) - 100);
  }
}

// Both intervals are one cycle wide on each side, so that of the difference is two.
TEST(Compare, ADifferenceMustExceedItsHalfWidth) {
  const Comparison inside =
      compare(two(measured(before, 100), measured(after, 102), 0), before, after);
  EXPECT_DOUBLE_EQ(inside.difference.half_width, 2);
  EXPECT_EQ(inside.verdict, "AMBIGUOUS (floor 2.00)");
  EXPECT_EQ(compare(two(measured(before, 100), measured(after, 103), 0), before, after).verdict,
            "slower");
}

TEST(Compare, SaysWhatIsMissing) {
  const Comparison alone =
      compare(aggregate({steady(before, 100), steady(after, 200)}), before, after);
  EXPECT_EQ(alone.verdict, "AMBIGUOUS (no A/A control)");
  EXPECT_FALSE(alone.is_step());
  EXPECT_DOUBLE_EQ(alone.floor, 0.5);
  const Aggregation failed = two(steady(before, 100), failed_point(after, Step::launch, "died"), 1);
  EXPECT_EQ(compare(failed, before, after).verdict, "no figure");
  EXPECT_EQ(compare(failed, before, after).difference.reason.text, "launch: died");
  EXPECT_EQ(compare(failed, before, "ring/flag/none/none").verdict, "no figure");
  EXPECT_EQ(compare(failed, before, "ring/flag/none/none").after.reason.text, "not measured");
}

// `count` variants of a stratum, each with a control that differs by `cycles`.
void add_pairs(std::vector<PointRow>& points, const std::string& stratum, int count,
               std::uint64_t cycles) {
  for (int i = 1; i <= count; ++i) {
    points.push_back(steady(fmt::format("{}/none/none/num_stages={}", stratum, i), 100));
    points.push_back(control_of(points.back(), 100 + cycles));
  }
}

TEST(NoiseFloor, IsThatOfTheStratumFromTwentyPairsOn) {
  std::vector<PointRow> points;
  add_pairs(points, "ring/mbarrier", 20, 5);
  add_pairs(points, "handoff/mbarrier", 20, 1);
  add_pairs(points, "ring/flag", 19, 1);
  const Aggregation nineteen = aggregate(points);
  EXPECT_DOUBLE_EQ(floor_of(nineteen, test::axes_of(before).stratum()).cycles, 5);
  EXPECT_DOUBLE_EQ(
      floor_of(nineteen, test::axes_of("handoff/mbarrier/none/none/num_stages=1").stratum()).cycles,
      1);
  // Of all 59, a third differ by 5.
  EXPECT_DOUBLE_EQ(floor_of(nineteen, test::axes_of("ring/flag/none/none").stratum()).cycles, 5);
  EXPECT_DOUBLE_EQ(floor_of(nineteen, test::axes_of("ring/unknown/none/none").stratum()).cycles, 5);
  points.push_back(steady("ring/flag/none/none/num_stages=20", 100));
  points.push_back(control_of(points.back(), 101));
  EXPECT_DOUBLE_EQ(
      floor_of(aggregate(points), test::axes_of("ring/flag/none/none").stratum()).cycles, 1);
}

TEST(NoiseFloor, IsNothingWithoutPairs) {
  EXPECT_DOUBLE_EQ(
      floor_of(aggregate({steady(before, 100)}), test::axes_of(before).stratum()).cycles, 0);
}

TEST(Cells, OfAComparison) {
  Comparison made;
  made.before.value = 160;
  made.difference.value = -1.25;
  made.difference.half_width = 0.01;
  EXPECT_EQ(report::data::difference_cell(made.difference).text, "-1.25 ±0.01");
  EXPECT_EQ(percent_cell(made).text, "-0.8 %");  // 1.25 of 160 is 0.78 %
  made.difference.value = 8;
  EXPECT_EQ(percent_cell(made).text, "+5.0 %");
  made.before.value = 0;
  EXPECT_EQ(percent_cell(made).text, "");
  made.difference.reason = report::data::not_measured();
  EXPECT_EQ(report::data::difference_cell(made.difference).text, "");
}

}  // namespace
}  // namespace phasebit::test
