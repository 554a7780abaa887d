#include "analysis/report/data/history.h"

#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::find_steps;
using report::data::History;
using report::data::history_of;
using results::PointRow;

namespace {

std::string history_ring(const std::string& rest) {
  return "ring/mbarrier/st_shared/none" + rest;
}

std::vector<std::string> versions_of(const report::data::TextHistory& text) {
  std::vector<std::string> all;
  for (const report::data::VersionFigure& one : text.versions) all.push_back(one.ptxas);
  return all;
}

using Words = std::vector<std::string>;

// By letter 12.10 comes before 12.9. some_run's ptxas is 13.5.37, which the id leaves out.
TEST(History, OrdersVersionsByNumber) {
  const History history = history_of(
      data_of({steady(history_ring(""), 100), steady(history_ring("/ptxas=12.10.5"), 110),
               steady(history_ring("/ptxas=12.9.86"), 120)}));
  ASSERT_EQ(history.texts.size(), 1U);
  EXPECT_EQ(history.texts[0].text_id, history_ring(""));
  EXPECT_EQ(versions_of(history.texts[0]), (Words{"12.9.86", "12.10.5", "13.5.37"}));
  const report::data::VersionFigure& newest = history.texts[0].versions[2];
  EXPECT_EQ(newest.id, history_ring(""));
  EXPECT_DOUBLE_EQ(newest.figure.value, 100);
  EXPECT_EQ(newest.text_hash, "text " + history_ring(""));
}

TEST(History, TheDefaultVersionIsThatOfTheRun) {
  results::Results results =
      results_of({steady(history_ring(""), 100), steady(history_ring("/ptxas=12.9.86"), 120)});
  results.runs[0].ptxas = "12.6.85";
  const History history = history_of(*report::data::report_data(test::with_keys(results)));
  ASSERT_EQ(history.texts.size(), 1U);
  EXPECT_EQ(versions_of(history.texts[0]), (Words{"12.6.85", "12.9.86"}));
}

// Flags behind the version belong to the text: -O1 has a history of its own.
TEST(History, KeepsTheOtherAxesOfPtxas) {
  const History history = history_of(
      data_of({steady(history_ring(""), 100), steady(history_ring("/ptxas=12.4.131"), 90),
               steady(history_ring("/opt_level=1"), 300),
               steady(history_ring("/ptxas=12.4.131/opt_level=1"), 310)}));
  ASSERT_EQ(history.texts.size(), 2U);
  EXPECT_EQ(history.texts[1].text_id, history_ring("/opt_level=1"));
  EXPECT_EQ(versions_of(history.texts[1]), (Words{"12.4.131", "13.5.37"}));
  EXPECT_EQ(history.texts[1].versions[0].id, history_ring("/ptxas=12.4.131/opt_level=1"));
  EXPECT_DOUBLE_EQ(history.texts[1].versions[0].figure.value, 310);
}

// The same variant on another day, with one version alone, at five times the cycles.
TEST(History, RunsWithOneVersionDoNotCount) {
  PointRow other_day = steady(history_ring(""), 500);
  PointRow only_there = steady(history_ring("/num_stages=8"), 50);
  other_day.run_id = only_there.run_id = "run-2";
  results::Results results =
      results_of({steady(history_ring(""), 100), steady(history_ring("/ptxas=12.4.131"), 90),
                  other_day, only_there, steady(history_ring("/num_stages=2"), 70)});
  results.runs.push_back(some_run("run-2"));
  const History history = history_of(*report::data::report_data(test::with_keys(results)));
  ASSERT_EQ(history.texts.size(), 1U);  // num_stages=2 was measured by one version
  EXPECT_DOUBLE_EQ(history.texts[0].versions[1].figure.value, 100);
  EXPECT_DOUBLE_EQ(history.texts[0].versions[1].figure.half_width, 0);
}

// 12.4: 100, 12.5: none, 12.6: 110, 13.5: 110. A second text does not change. Two measurements of
// one code differ by 4.
std::vector<PointRow> history_some_points() {
  const PointRow quiet = steady(history_ring("/num_stages=8"), 50);
  return {steady(history_ring("/ptxas=12.4.131"), 100),
          failed_point(history_ring("/ptxas=12.5.82"), Step::gate,
                       "the SASS is not the intended one: x"),
          steady(history_ring("/ptxas=12.6.85"), 110),
          steady(history_ring(""), 110),
          quiet,
          control_of(quiet, 54),
          steady(history_ring("/num_stages=8/ptxas=12.4.131"), 54)};
}

TEST(Steps, PassOverAVersionWithoutAFigure) {
  const History history = history_of(data_of(history_some_points()));
  const std::vector<report::data::VersionStep> steps = find_steps(history);
  ASSERT_EQ(steps.size(), 1U);  // 54 and 50 differ by no more than the floor
  EXPECT_EQ(steps[0].text->text_id, history_ring(""));
  EXPECT_EQ(steps[0].from->ptxas, "12.4.131");
  EXPECT_EQ(steps[0].to->ptxas, "12.6.85");
  EXPECT_EQ(steps[0].comparison.verdict, "slower");
  EXPECT_DOUBLE_EQ(steps[0].comparison.floor, 4);
  EXPECT_DOUBLE_EQ(steps[0].comparison.difference.value, 10);
  const report::data::TextHistory& text = history.texts[0];
  EXPECT_EQ(text.versions[1].text_hash, "");
  EXPECT_EQ(text.versions[1].figure.reason.text, "gate: the SASS is not the intended one: x");
}

TEST(Steps, NeedMoreThanTheirHalfWidth) {
  const PointRow quiet = steady(history_ring("/num_stages=8"), 50);
  for (const auto& [cycles, count] : {std::pair{102U, 0U}, std::pair{103U, 1U}}) {
    const History history =
        history_of(data_of({measured(history_ring("/ptxas=12.4.131"), 100),
                            measured(history_ring(""), cycles), quiet, control_of(quiet, 50)}));
    EXPECT_EQ(find_steps(history).size(), count) << cycles;
  }
}

TEST(Steps, OfAShareOfTheFigureBefore) {
  const History history = history_of(data_of(history_some_points()));
  EXPECT_EQ(find_steps(history, 10).size(), 1U);  // 10 of 100
  EXPECT_EQ(find_steps(history, 10.5).size(), 0U);
}

}  // namespace
}  // namespace phasebit::test
