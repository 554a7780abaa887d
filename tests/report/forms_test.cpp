#include "analysis/report/data/without_loop.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::Figure;
using report::data::form_costs;
using report::data::longest_loop;
using report::data::longest_loop_and_last;
using report::data::LoopOfSize;
using report::data::Missing;
using report::data::per_operation;

namespace {

// A turn of the loop with so many operations.
LoopOfSize turn(double count, double cycles) {
  LoopOfSize made{count, {}};
  made.cycles.id = fmt::format("x{}", count);
  made.cycles.value = cycles;
  return made;
}

struct LoopCase {
  const char* what;
  std::vector<LoopOfSize> sizes;
  Missing reason;
  double value;
};

TEST(WithoutLoop, ASubtractionIsChecked) {
  const LoopCase rows[] = {
      {"16 each and a loop of 20",
       {turn(4, 84), turn(8, 148), turn(16, 276)},
       Missing::nothing,
       16},
      // 16 and 16.8: a cycle is allowed.
      {"nearly a line", {turn(4, 84), turn(8, 148), turn(16, 282.4)}, Missing::nothing, 198.4 / 12},
      {"16, then 18", {turn(4, 84), turn(8, 148), turn(16, 292)}, Missing::not_separable, 0},
      // 5 % of 100: 104 is allowed, 106 is not.
      {"100, then 104",
       {turn(4, 420), turn(8, 820), turn(16, 1652)},
       Missing::nothing,
       1232.0 / 12},
      {"100, then 106", {turn(4, 420), turn(8, 820), turn(16, 1668)}, Missing::not_separable, 0},
      // The item is longer than with its loop: 4 x 359.25 = 1437 of 1000.
      {"a loop of -437", {turn(4, 1000), turn(8, 2437)}, Missing::not_separable, 0},
      {"a loop of 31", {turn(4, 95), turn(8, 159)}, Missing::not_separable, 0},
      {"two sizes, a loop of 30", {turn(4, 94), turn(8, 158)}, Missing::nothing, 16},
      // Of sizes below four the end of the loop hides behind them.
      {"sizes from four on", {turn(1, 60), turn(4, 84), turn(8, 148)}, Missing::nothing, 16},
      {"one size", {turn(4, 84)}, Missing::unusable, 0},
  };
  for (const LoopCase& row : rows) {
    SCOPED_TRACE(row.what);
    const Figure made = per_operation(row.sizes, longest_loop);
    EXPECT_EQ(made.reason.what, row.reason) << made.reason.text;
    if (row.reason == Missing::nothing) {
      EXPECT_DOUBLE_EQ(made.value, row.value);
    }
  }
  EXPECT_EQ(per_operation({turn(4, 1000), turn(8, 2437)}, longest_loop).reason.text,
            "not separable from the loop: 359.25 from 4 to 8 cycles, in a loop of -437.0");
  EXPECT_EQ(per_operation({turn(4, 95), turn(8, 159)}, longest_loop_and_last).reason.text, "");
}

TEST(WithoutLoop, ACostInTheShadowOfTheBranchIsHidden) {
  const LoopCase rows[] = {
      {"nothing grows", {turn(4, 23), turn(8, 23), turn(16, 23)}, Missing::hidden, 0},
      {"a cycle each", {turn(4, 23), turn(8, 27), turn(16, 35)}, Missing::hidden, 0},
      // 13 cycles hide the first four: 0, then 6 each.
      {"not from four to eight", {turn(4, 23), turn(8, 23), turn(16, 71)}, Missing::hidden, 0},
      {"two cycles each", {turn(4, 27), turn(8, 35), turn(16, 51)}, Missing::nothing, 2},
      // Nothing is left of the turn in which it could hide.
      {"a cycle each, and no loop", {turn(4, 4), turn(8, 8), turn(16, 16)}, Missing::nothing, 1},
  };
  for (const LoopCase& row : rows) {
    SCOPED_TRACE(row.what);
    const Figure made = per_operation(row.sizes, longest_loop);
    EXPECT_EQ(made.reason.what, row.reason) << made.reason.text;
    if (row.reason == Missing::nothing) {
      EXPECT_DOUBLE_EQ(made.value, row.value);
    }
  }
}

TEST(WithoutLoop, TwoSizesAreFlagged) {
  const auto words = [](const Figure& figure) { return results::words_of(figure.flags); };
  EXPECT_EQ(words(per_operation({turn(4, 84), turn(8, 148)}, longest_loop)),
            std::vector<std::string>{"two sizes"});
  EXPECT_TRUE(
      words(per_operation({turn(4, 84), turn(8, 148), turn(16, 276)}, longest_loop)).empty());
}

constexpr const char* arrive = "form/none/none/none/form=mbarrier.arrive#001/path=pending";

TEST(FormCosts, AHalfIsNoFigure) {
  const auto costs = form_costs(data_of({measured(arrive, 100)}).aggregation.points);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_NE(costs[0].isolated.reason.text, "");
  const auto known =
      report::data::measured_forms(data_of({measured(arrive, 100)}).aggregation.points);
  EXPECT_NE(known.at("mbarrier.arrive#001"), "");
}

}  // namespace
}  // namespace phasebit::test
