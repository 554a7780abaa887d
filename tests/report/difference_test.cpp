#include "analysis/report/data/comparison.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::Aggregation;
using report::data::change_percent;
using report::data::difference;
using report::data::Figure;
using report::data::figure_cell;
using report::data::figure_of;
using report::data::find_variant;

namespace {

Figure given(double value, double half_width, const char* id = "a") {
  Figure figure;
  figure.id = id;
  figure.value = value;
  figure.half_width = half_width;
  figure.repetitions = 3;
  return figure;
}

struct DifferenceRow {
  Figure larger, smaller;
  double divisor, value, half_width;
};

TEST(Difference, IsThatOfTheValuesAndTheSumOfTheHalfWidths) {
  const DifferenceRow rows[] = {
      {given(640, 2), given(320, 1), 16, 20, 3.0 / 16},  // sizes 32 and 16 of one verb
      {given(51, 0), given(40, 0), 1, 11, 0},
      {given(40, 0.5), given(40.25, 0.25), 1, -0.25, 0.75},  // a negative one is kept
      {given(10, 1), given(20, 1), -1, 10, 2},               // a width is never negative
  };
  for (const DifferenceRow& row : rows) {
    const Figure out = difference(row.larger, row.smaller, row.divisor);
    EXPECT_EQ(out.reason.text, "");
    EXPECT_DOUBLE_EQ(out.value, row.value);
    EXPECT_DOUBLE_EQ(out.half_width, row.half_width);
  }
}

// measured(): the interval of seven rounds is a cycle to each side.
TEST(Difference, OfStoredFiguresSaysWhatBothAreMadeOf) {
  results::PointRow flagged = measured("verb/u=32", 640, 1);
  flagged.quality.throttled = true;
  const Aggregation all = aggregate({measured("verb/u=16", 320), measured("verb/u=32", 640, 0),
                                     flagged, measured("verb/u=16", 322, 1)});
  const Figure sixteen = figure_of(find_variant(all.points, "verb/u=16"), "verb/u=16");
  const Figure both = difference(figure_of(*find_variant(all.points, "verb/u=32")), sixteen, 16);
  EXPECT_EQ(both.id, "verb/u=32 - verb/u=16");
  EXPECT_DOUBLE_EQ(sixteen.half_width, 2);  // 319 to 323 around 321
  EXPECT_DOUBLE_EQ(both.value, (640.0 - 321.0) / 16);
  EXPECT_DOUBLE_EQ(both.half_width, 3.0 / 16);
  EXPECT_EQ(both.repetitions, 2);
  EXPECT_TRUE(both.interval_reached);
  EXPECT_EQ(results::words_of(both.flags), (std::vector<std::string>{"throttled"}));
}

TEST(Difference, WithAPartThatWasNotMeasuredHasItsReason) {
  const Aggregation all = aggregate({steady("a", 40), ungated_point("b", "no rule")});
  const Figure a = figure_of(*find_variant(all.points, "a"));
  const Figure b = figure_of(*find_variant(all.points, "b"));
  EXPECT_EQ(difference(a, b).reason.text, "gate: not gated: no rule");
  EXPECT_EQ(difference(b, a).reason.text, "gate: not gated: no rule");
  EXPECT_EQ(difference(a, figure_of(nullptr, "c")).reason.text, "not measured");
  EXPECT_EQ(change_percent(figure_of(nullptr, "c"), a).reason.text, "not measured");
}

TEST(Difference, CanBeOfAReading) {
  const Aggregation all = aggregate({some_reading_point("response/a"), steady("b", 40)});
  const Figure polls = figure_of(*find_variant(all.points, "response/a"), "polls");
  EXPECT_NEAR(polls.value, 3, 1e-9);
  EXPECT_NEAR(difference(polls, polls).value, 0, 1e-9);
  EXPECT_EQ(figure_of(*find_variant(all.points, "b"), "polls").reason.text,
            "it has no reading 'polls'");
}

TEST(Difference, CanBeTakenOfDifferences) {
  const Figure loaded = difference(given(900, 4), given(500, 2), 8);
  const Figure isolated = difference(given(640, 1), given(320, 1), 8);
  const Figure out = difference(loaded, isolated);
  EXPECT_DOUBLE_EQ(out.value, 10);  // 50 - 40
  EXPECT_DOUBLE_EQ(out.half_width, 1);
}

TEST(ChangePercent, IsAsWideAsTheEndsOfBothAllow) {
  const Figure out = change_percent(given(110, 2), given(100, 1));
  EXPECT_DOUBLE_EQ(out.value, 10);
  EXPECT_NEAR(out.half_width, 100 * (112.0 - 99.0) / 99.0 - 10, 1e-9);  // the farther side
  EXPECT_EQ(change_percent(given(1, 0), given(0, 0, "base")).reason.text,
            "base may be nothing, so nothing is a share of it");
}

TEST(FigureCell, ShowsTheValueOrTheStepAndNotesTheRestOnce) {
  std::vector<std::string> notes;
  EXPECT_EQ(figure_cell(given(12.345, 0.05), notes).text, "12.35 ±0.05");
  EXPECT_TRUE(notes.empty());
  Figure odd = given(12, 1, "x");
  odd.flags = {{results::Flag::Kind::throttled}, {results::Flag::Kind::modes}};
  odd.interval_reached = false;
  EXPECT_EQ(figure_cell(odd, notes).text, "12 ±1 †");
  Figure failed = given(0, 0, "y");
  failed.reason =
      report::data::reason_of(results::Verdict::refused, {Step::gate, "expected 1 of A, found 2"});
  for (int time = 0; time < 2; ++time) EXPECT_EQ(figure_cell(failed, notes).text, "failed: gate");
  failed.reason = report::data::not_measured();
  EXPECT_EQ(figure_cell(failed, notes).text, "—");
  EXPECT_EQ(notes,
            (std::vector<std::string>{"† x: throttled, modes.",
                                      "† x: too few rounds for an interval, the range is shown.",
                                      "y: gate: expected 1 of A, found 2.", "y: not measured."}));
}

}  // namespace
}  // namespace phasebit::test
