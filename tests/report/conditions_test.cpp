#include "analysis/report/data/conditions.h"

#include "analysis/report/data/comparison.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::Aggregate;
using report::data::Aggregation;
using report::data::compare;
using report::data::Comparison;
using report::data::difference;
using report::data::Figure;
using report::data::figure_cell;
using report::data::figure_of;
using report::data::find_variant;
using report::data::Missing;
using report::data::paired;
using report::data::Paired;
using results::PointRow;

namespace {

constexpr const char* one = "handoff/mbarrier/none/none/num_stages=1/wait=test_wait";
constexpr const char* other = "handoff/mbarrier/none/none/num_stages=1";

// The conditions of repetitions 0 to 9, as docs/measuring.md has them.
PointRow under(const std::string& id, double cycles, int repetition) {
  PointRow row = steady_at(id, cycles, repetition);
  results::Conditions& at = row.conditions;
  at = {};
  if (repetition == 1 || repetition == 2) at.start_offset = static_cast<std::uint32_t>(repetition);
  if (repetition == 3) at.sm = 66;
  if (repetition == 4) at.first_warp = 1;
  if (repetition >= 5 && repetition <= 7) at.padding = 16 * repetition;
  if (repetition >= 8) at.gap_after = 1, at.gap_warps = 3;
  if (repetition == 9) at.padding = 144;
  return row;
}

std::vector<PointRow> rows_under(const std::string& id, const std::vector<double>& cycles) {
  std::vector<PointRow> rows;
  for (const double value : cycles) rows.push_back(under(id, value, static_cast<int>(rows.size())));
  return rows;
}

std::string cell_of(const std::vector<double>& cycles) {
  std::vector<std::string> notes;
  const Aggregation all = aggregate(rows_under(one, cycles));
  std::string text = figure_cell(figure_of(all.points.at(0)), notes).text;
  EXPECT_TRUE(notes.empty());
  return text;
}

TEST(Groups, AreShownWithTheirConditions) {
  // A poll that sleeps and always hits, but where the sides start apart.
  EXPECT_EQ(cell_of({152, 64880, 64881, 152, 152, 151, 154, 152}),
            "152 (6 of 8) | 64880.5 (2: start offset)");
  EXPECT_EQ(cell_of({129, 129, 129, 129, 129, 105, 129, 129}),
            "129.00 (7 of 8) | 105.00 (1: padding)");
  EXPECT_EQ(cell_of({20, 30, 30, 40, 30, 30, 30, 40}),
            "30.00 (5 of 8) | 40.00 (2: SM, padding) | 20.00 (1: base)");
}

struct GapCase {
  const char* what;
  double apart;  // of one condition of eight
  const char* cell;
};

TEST(Groups, AreApartByACycleFivePercentAndThreeWidths) {
  const GapCase rows[] = {{"a cycle of ten", 11, "10 ±1"},
                          {"more than a cycle, 5 % of it and three widths of 0", 11.5,
                           "10.00 (7 of 8) | 11.50 (1: padding)"}};
  for (const GapCase& row : rows) {
    SCOPED_TRACE(row.what);
    EXPECT_EQ(cell_of({10, 10, 10, 10, 10, row.apart, 10, 10}), row.cell);
  }
  // 5 % of 400 are 20; a width of 10 keeps what is 30 away.
  EXPECT_EQ(cell_of({400, 400, 400, 400, 400, 420, 400, 400}), "400 ±20");
  EXPECT_EQ(cell_of({400, 410, 400, 400, 400, 440, 400, 400}), "400 ±40");
}

TEST(Groups, OneThatIsTooWideIsARange) {
  // Neighbours 8 apart, 40 in all: above a fifth of 120.
  EXPECT_EQ(cell_of({100, 108, 116, 124, 132, 140, 116, 124}), "100 to 140");
  EXPECT_EQ(cell_of({3, 3.5, 4, 4.5, 3, 3, 3, 3}), "3.0 to 4.5");
  EXPECT_EQ(cell_of({3, 3.5, 3.75, 4, 3, 3, 3, 3}), "3 ±1");
}

TEST(Figures, ComeFromRepetitionsWithTheRolesWhereTheLaunchPutsThem) {
  const Aggregation all = aggregate(rows_under(one, {50, 50, 50, 50, 50, 50, 50, 50, 57, 58}));
  EXPECT_EQ(all.points.size(), 1U);
  EXPECT_DOUBLE_EQ(all.points[0].cycles, 50);
  EXPECT_DOUBLE_EQ(all.points[0].spread_cycles, 0);
  EXPECT_EQ(all.points[0].repetitions, 8);
  ASSERT_EQ(all.together.size(), 1U);
  EXPECT_DOUBLE_EQ(all.together[0].cycles, 57.5);
  EXPECT_EQ(all.together[0].repetitions, 2);
  // Of the two the base is the one that both have: no pairs, and the difference of the figures.
  const Figure more = difference(figure_of(all.together[0]), figure_of(all.points[0]));
  EXPECT_DOUBLE_EQ(more.value, 7.5);
}

Aggregation conditions_two(std::vector<PointRow> rows, const std::vector<PointRow>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  const PointRow control = steady("ring/mbarrier/st_shared/none/num_stages=8", 50);
  rows.insert(rows.end(), {control, control_of(control, 50)});
  return aggregate(rows);
}

TEST(Pairs, OneOddConditionDoesNotSwallowTheOthers) {
  const Aggregation all = conditions_two(rows_under(other, {106, 106, 106, 106, 106, 106, 106}),
                                         rows_under(one, {129, 129, 129, 129, 105, 129, 129}));
  const Comparison made = compare(all, other, one);
  EXPECT_EQ(made.verdict, "slower");
  EXPECT_DOUBLE_EQ(made.pairs.median, 23);
  EXPECT_DOUBLE_EQ(made.pairs.lowest, -1);
  EXPECT_DOUBLE_EQ(made.pairs.highest, 23);
  EXPECT_DOUBLE_EQ(made.floor, 0.5);
  EXPECT_EQ(pairs_text(made), "6 of 7");
  std::vector<std::string> notes;
  EXPECT_EQ(figure_cell(made.difference, notes).text, "23.00 (6 of 7) | -1.00 (1: sub-partition)");
}

TEST(Pairs, WhatMovesBothIsInNoDifference) {
  // A padding that costs either 20 cycles.
  const Comparison made =
      compare(conditions_two(rows_under(other, {100, 100, 100, 100, 100, 120, 100}),
                             rows_under(one, {103, 103, 103, 103, 103, 123, 103})),
              other, one);
  EXPECT_EQ(made.verdict, "slower");
  EXPECT_DOUBLE_EQ(made.floor, 0.5);
  EXPECT_EQ(made.difference.reason.text, "");
  EXPECT_DOUBLE_EQ(made.difference.value, 3);
  EXPECT_DOUBLE_EQ(made.difference.half_width, 0);
}

struct ScatterCase {
  const char* what;
  std::vector<double> differences;
  double floor;
  const char* verdict;
};

// Eight pairs; the median's distances in order, the sixth of which is the floor.
TEST(Pairs, AVerdictNeedsThreeQuartersOfTheConditions) {
  const ScatterCase rows[] = {
      {"six of eight", {4, 4, 4, 4, 4, 4, -4, -4}, 0.5, "slower"},
      {"five of eight", {4, 4, 4, 4, 4, -4, -4, -4}, 8, "AMBIGUOUS (floor 8.00)"},
      {"half and half", {0, 0, 0, 0, 10, 10, 10, 10}, 5, "AMBIGUOUS (floor 5.00)"},
      {"all, unequal", {-2, -3, -4, -5, -6, -7, -8, -9}, 2.5, "faster"},
      {"half a cycle", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, 0.5, "SAME"},
  };
  for (const ScatterCase& row : rows) {
    SCOPED_TRACE(row.what);
    std::vector<double> after;
    for (const double apart : row.differences) after.push_back(100 + apart);
    const Comparison made = compare(
        conditions_two(rows_under(other, std::vector<double>(8, 100)), rows_under(one, after)),
        other, one);
    EXPECT_DOUBLE_EQ(made.floor, row.floor);
    EXPECT_EQ(made.verdict, row.verdict);
  }
}

TEST(Pairs, AreFoundByConditionNotByNumber) {
  std::vector<PointRow> moved = rows_under(one, {110, 130, 110});
  moved[1].repetition = 6;
  const Aggregation all = aggregate([&] {
    std::vector<PointRow> rows = rows_under(other, {100, 120, 100});
    rows.insert(rows.end(), moved.begin(), moved.end());
    return rows;
  }());
  const Paired made = paired(figure_of(*find_variant(all.points, other)),
                             figure_of(*find_variant(all.points, one)));
  ASSERT_EQ(made.pairs.size(), 3U);
  EXPECT_DOUBLE_EQ(made.lowest, 10);
  EXPECT_DOUBLE_EQ(made.highest, 10);
}

TEST(Pairs, AreOfOneRunWhereOneMeasuredBoth) {
  const auto of_run = [](const char* run, std::vector<PointRow> rows) {
    for (PointRow& row : rows) row.run_id = run;
    return rows;
  };
  // The second run has measured `one` anew.
  std::vector<PointRow> rows = of_run("run-1", rows_under(other, {100, 100, 100}));
  for (const auto& [run, cycles] : {std::pair("run-1", 110.0), {"run-2", 118.0}})
    for (const PointRow& row : of_run(run, rows_under(one, {cycles, cycles, cycles})))
      rows.push_back(row);
  const auto pairs_of = [&] {
    const Aggregation all = aggregate(rows);
    EXPECT_DOUBLE_EQ(find_variant(all.points, one)->cycles, 118);  // a figure alone: the newest
    return paired(figure_of(*find_variant(all.points, other)),
                  figure_of(*find_variant(all.points, one)));
  };
  EXPECT_DOUBLE_EQ(pairs_of().highest, 10);
  EXPECT_EQ(pairs_of().across_runs(), 0U);
  // Of no common run: the newest of each.
  for (PointRow& row : rows)
    if (row.variant_id == other) row.run_id = "run-3";
  EXPECT_DOUBLE_EQ(pairs_of().lowest, 18);
  EXPECT_EQ(pairs_of().across_runs(), 3U);
}

TEST(Pairs, AreOfOneGpuAndOfTwoConditionsAtLeast) {
  std::vector<PointRow> elsewhere = rows_under(one, {110, 110, 110});
  for (PointRow& row : elsewhere) row.device_uuid = "GPU-2";
  const auto pairs_of = [](const std::vector<PointRow>& a, const std::vector<PointRow>& b) {
    return paired(figure_of(aggregate(a).points.at(0)), figure_of(aggregate(b).points.at(0)))
        .pairs.size();
  };
  EXPECT_EQ(pairs_of(rows_under(other, {100, 100, 100}), elsewhere), 0U);
  EXPECT_EQ(pairs_of(rows_under(other, {100, 100, 100}), rows_under(one, {110})), 0U);
  EXPECT_EQ(pairs_of(rows_under(other, {100, 100, 100}), rows_under(one, {110, 110})), 2U);
  // By another relation than a difference: a bound of 0.5 * before.
  const Paired half = paired(figure_of(aggregate(rows_under(other, {100, 120})).points.at(0)),
                             figure_of(aggregate(rows_under(one, {49, 59})).points.at(0)),
                             [](double before, double after) { return 0.5 * before - after; });
  EXPECT_DOUBLE_EQ(half.median, 1);
}

// Unpaired the spread of either counts: 4 of the one.
TEST(Pairs, WithoutThemTheSpreadIsTheFloor) {
  std::vector<PointRow> elsewhere = rows_under(one, {129, 129, 129, 125});
  for (PointRow& row : elsewhere) row.conditions.padding += 512;
  const Comparison made =
      compare(conditions_two(rows_under(other, {124, 124, 124, 124}), elsewhere), other, one);
  EXPECT_EQ(pairs_text(made), "unpaired");
  EXPECT_DOUBLE_EQ(made.floor, 4);
  EXPECT_EQ(made.verdict, "slower");
}

TEST(Pairs, NoValueAndNoPairsIsNoFigure) {
  const Comparison made =
      compare(conditions_two(rows_under(other, {100}), rows_under(one, {50, 90})), other, one);
  EXPECT_EQ(made.verdict, "no figure");
  EXPECT_EQ(pairs_text(made), "");
  EXPECT_EQ(made.difference.reason.text,
            std::string(one) + " has several values: 50.00 (1 of 2) | 90.00 (1: start offset)");
}

}  // namespace
}  // namespace phasebit::test
