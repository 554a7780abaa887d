#include "core/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace phasebit::test {

using results::median;
using results::median_interval;
using results::MedianInterval;
using results::precise_enough;
using results::quantile;
using results::Sample;
using results::summarise;
using results::Summary;

namespace {

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({9, 1, 4, 6}), 5);
}

TEST(Quantile, IsLinearBetweenNeighbours) {
  EXPECT_EQ(quantile({3, 1, 2, 4}, 0), 1);
  EXPECT_EQ(quantile({3, 1, 2, 4}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2, 4}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30}, 0.95), 29);  // at 1.9 of 0..2
  EXPECT_EQ(quantile({7}, 0.3), 7);
}

// n and the rank k of the interval (k-th smallest to k-th largest) with at least 95 %: the sign
// test's table of the median, as in textbooks of nonparametric statistics.
struct RankRow {
  int n, k;
};
constexpr RankRow rank_rows[] = {{6, 1},   {7, 1},   {8, 1},   {9, 2},   {10, 2},
                                 {11, 2},  {12, 3},  {15, 4},  {20, 6},  {25, 8},
                                 {30, 10}, {40, 14}, {50, 18}, {100, 40}};

TEST(MedianInterval, UsesTheRanksOfTheSignTestTable) {
  for (const RankRow& row : rank_rows) {
    std::vector<double> values;
    for (int i = row.n; i >= 1; --i) values.push_back(i);
    const MedianInterval found = median_interval(values);
    EXPECT_TRUE(found.reached) << row.n;
    EXPECT_EQ(found.interval.low, row.k) << row.n;
    EXPECT_EQ(found.interval.high, row.n + 1 - row.k) << row.n;
  }
}

TEST(MedianInterval, IsTheWholeRangeBelowSixValues) {
  for (int n = 1; n <= 5; ++n) {
    std::vector<double> values;
    for (int i = 1; i <= n; ++i) values.push_back(i);
    const MedianInterval found = median_interval(values);
    EXPECT_FALSE(found.reached) << n;
    EXPECT_EQ(found.interval.low, 1) << n;
    EXPECT_EQ(found.interval.high, n) << n;
  }
}

// Exact tails in integers: C(n, i) / 2^n by Pascal's triangle, n up to 60.
TEST(MedianInterval, RanksEqualExactBinomialTails) {
  for (int n = 6; n <= 60; ++n) {
    std::vector<unsigned long long> choose(static_cast<size_t>(n) + 1, 0);
    choose[0] = 1;
    for (int row = 1; row <= n; ++row)
      for (int i = row; i >= 1; --i)
        choose[static_cast<size_t>(i)] += choose[static_cast<size_t>(i) - 1];
    unsigned long long tail = 0;
    int k = 0;
    while (40 * (tail + choose[static_cast<size_t>(k)]) <= 1ULL << n)
      tail += choose[static_cast<size_t>(k++)];
    std::vector<double> values;
    for (int i = 1; i <= n; ++i) values.push_back(i);
    EXPECT_EQ(median_interval(values).interval.low, k) << n;
  }
}

TEST(MedianInterval, OfManyValuesFollowsTheNormalApproximation) {
  std::vector<double> values;
  for (int i = 1; i <= 5000; ++i) values.push_back(i);
  const MedianInterval found = median_interval(values);
  // n/2 - 1.96 sqrt(n)/2 = 2430.7
  EXPECT_NEAR(found.interval.low, 2431, 1);
  EXPECT_EQ(found.interval.low + found.interval.high, 5001);
}

TEST(FitLine, ByHand) {
  // x = 1 2 3 4, y = 2 4 5 8: mean 2.5 and 4.75, Sxx = 5, Sxy = 9.5, Syy = 18.75.
  const results::Line line = results::fit_line({{1, 2}, {2, 4}, {3, 5}, {4, 8}});
  EXPECT_DOUBLE_EQ(line.slope, 1.9);
  EXPECT_DOUBLE_EQ(line.intercept, 0);
  // Residuals 0.1, 0.2, -0.7, 0.4: squares 0.7.
  EXPECT_NEAR(line.r2, 1 - 0.7 / 18.75, 1e-12);
  EXPECT_NEAR(line.worst_residual, -0.7, 1e-12);
}

TEST(FitLine, OfEqualCyclesIsFlatAndPerfect) {
  const results::Line line = results::fit_line({{1, 20}, {2, 20}, {3, 20}});
  EXPECT_EQ(line.slope, 0);
  EXPECT_EQ(line.intercept, 20);
  EXPECT_EQ(line.r2, 1);
}

std::vector<Sample> rounds(const std::vector<double>& slopes, std::uint64_t offset = 100) {
  std::vector<Sample> samples;
  for (const double slope : slopes)
    for (const std::uint32_t items : {64U, 128U, 192U, 256U})
      samples.push_back({items, offset + static_cast<std::uint64_t>(std::llround(slope * items))});
  return samples;
}

TEST(Summarise, TakesTheMedianOfTheRoundsSlopes) {
  const auto summary = summarise(rounds({12, 11, 30, 12, 13, 12, 12}));
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->rounds, 7);
  EXPECT_DOUBLE_EQ(summary->cycles, 12);
  EXPECT_TRUE(summary->interval.reached);
  EXPECT_DOUBLE_EQ(summary->interval.interval.low, 11);
  EXPECT_DOUBLE_EQ(summary->interval.interval.high, 30);
  // All rounds share their lengths: the common line's slope is the mean, 102 / 7.
  EXPECT_NEAR(summary->fit.slope, 102.0 / 7, 1e-9);
  EXPECT_NEAR(summary->fit.intercept, 100, 1e-6);
  EXPECT_NEAR(summary->fit.worst_residual, (30 - 102.0 / 7) * 256, 1e-6);
}

// Whole launches: no lengths, no line.
TEST(Summarise, TakesTheMedianOfWholeLaunches) {
  std::vector<results::Sample> samples;
  for (std::uint64_t n = 0; n < 31; ++n) samples.push_back({0, 32'000 + 10 * (n * 7 % 31), {}});
  const auto summary = summarise(samples);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->rounds, 31);
  EXPECT_DOUBLE_EQ(summary->cycles, 32'150);
  // Of 31 values the 10th and the 22nd.
  EXPECT_DOUBLE_EQ(summary->interval.interval.low, 32'090);
  EXPECT_DOUBLE_EQ(summary->interval.interval.high, 32'210);
  samples.push_back({5, 1, {}});
  EXPECT_EQ(summarise(samples).error().message,
            "a sample of 5 items and 0 readings among whole launches");
}

TEST(Summarise, KeepsANegativeSlope) {
  const auto summary = summarise({{1, 90}, {2, 80}, {3, 70}, {4, 60}});
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->cycles, -10);
  EXPECT_FALSE(summary->interval.reached);
}

struct BadRow {
  std::vector<Sample> samples;
  const char* message;
};

TEST(Summarise, RefusesWhatIsNotWholeRounds) {
  const BadRow rows[] = {
      {{}, "store: a slope needs at least 4 chain lengths a round, not 0"},
      {{{8, 1}}, "store: a slope needs at least 4 chain lengths a round, not 1"},
      {{{8, 1}, {16, 2}, {24, 3}, {8, 1}, {16, 2}, {24, 3}},
       "store: a slope needs at least 4 chain lengths a round, not 3"},
      {{{8, 1}, {16, 2}, {24, 3}, {32, 4}, {8, 1}, {16, 2}},
       "store: the last round has 2 of 4 samples"},
      {{{8, 1}, {16, 2}, {24, 3}, {32, 4}, {8, 1}, {16, 2}, {25, 3}, {32, 4}},
       "store: sample 7 has 25 items where round 1 has 24"},
  };
  for (const BadRow& row : rows) {
    const auto summary = summarise(row.samples);
    ASSERT_FALSE(summary) << row.message;
    EXPECT_EQ(summary.error().text(), row.message);
  }
}

TEST(PreciseEnough, IsWithinHalfACycleOrHalfAPercentOfTheMedian) {
  struct Row {
    double cycles, low, high;
    bool reached, enough;
  };
  const Row rows[] = {{10, 9.5, 10.5, true, true},     {10, 9.5, 10.5, false, false},
                      {10, 9.4, 10, true, false},      {10, 10, 10.6, true, false},
                      {1000, 995, 1005, true, true},   {1000, 995, 1006, true, false},
                      {-1000, -1004, -997, true, true}};
  for (const Row& row : rows)
    EXPECT_EQ(precise_enough(row.cycles, {{row.low, row.high}, row.reached}), row.enough)
        << row.cycles << " " << row.low << " " << row.high;
}

TEST(Modes, AreGroupsApartThatHoldATenth) {
  using Values = std::vector<double>;
  struct Row {
    Values values, modes;
  };
  const Row rows[] = {
      {{12, 12.1, 12.2}, {12.1}},                            // one group
      {{12, 12.5}, {12.25}},                                 // a gap of 0.5 is none
      {{12, 12.6}, {12, 12.6}},                              // above it is
      {{1000, 1009, 1020}, {1004.5, 1020}},                  // 1 % of 1000 is 10, of 1009 10.09
      {{20, 10, 20, 10, 10}, {10, 20}},                      // order does not matter
      {{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 99}, {10}},  // 1 of 11 is an outlier
      {{10, 10, 10, 10, 10, 10, 10, 10, 10, 99}, {10, 99}},  // 1 of 10 is a mode
      {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {6}},            // no group holds a tenth
  };
  for (const Row& row : rows) EXPECT_EQ(results::modes(row.values), row.modes);
}

// Two readings: one as the cycles themselves, one that grows by 3 an item in each round.
TEST(Summarise, AReadingIsFittedLikeTheCycles) {
  std::mt19937 random(3);
  std::vector<Sample> samples;
  for (int round = 0; round < 9; ++round)
    for (const std::uint32_t items : {10U, 20U, 30U, 40U}) {
      const std::uint64_t cycles = 500 + 41 * items + random() % 60;
      samples.push_back({items, cycles, {cycles, 7 + 3ULL * items}});
    }
  const Summary summary = summarise(samples).value();
  ASSERT_EQ(summary.readings.size(), 2U);
  EXPECT_DOUBLE_EQ(summary.readings[0].value, summary.cycles);
  EXPECT_DOUBLE_EQ(summary.readings[0].interval.interval.low, summary.interval.interval.low);
  EXPECT_DOUBLE_EQ(summary.readings[0].interval.interval.high, summary.interval.interval.high);
  EXPECT_NEAR(summary.readings[1].value, 3, 1e-12);
  EXPECT_TRUE(summary.readings[1].interval.reached);
  samples[7].readings.pop_back();
  EXPECT_EQ(summarise(samples).error().message, "a sample has 1 readings where the first has 2");
}

TEST(PreciseEnough, AsksForTheCyclesAndEveryReading) {
  Summary summary;
  summary.cycles = 40;
  summary.interval = {{39.6, 40.4}, true};
  EXPECT_TRUE(precise_enough(summary));
  summary.readings = {{2, {{1.6, 2.4}, true}}};
  EXPECT_TRUE(precise_enough(summary));
  summary.readings.push_back({1000, {{994, 1000}, true}});  // 0.6 %
  EXPECT_FALSE(precise_enough(summary));
  summary.readings.back().interval = {{996, 1004}, true};
  EXPECT_TRUE(precise_enough(summary));
  summary.interval = {{39, 40}, true};
  EXPECT_FALSE(precise_enough(summary));
}

// Shifting or scaling all cycles shifts or scales every figure. Cycles are multiples of 4, factors
// small: all sums are exact enough for the tolerance.
TEST(SummariseProperty, IsEquivariantUnderShiftSlopeAndScale) {
  std::mt19937 random(20260102);
  for (int trial = 0; trial < 200; ++trial) {
    const int count = 1 + static_cast<int>(random() % 40);
    std::vector<Sample> samples;
    for (int i = 0; i < count; ++i)
      for (const std::uint32_t items : {16U, 32U, 48U, 64U, 80U})
        samples.push_back({items, 1000 + 20 * items + random() % 50});
    const std::uint64_t shift = random() % 5000, extra = random() % 30, scale = 1 + random() % 7;
    std::vector<Sample> changed = samples;
    for (Sample& sample : changed)
      sample.cycles = scale * sample.cycles + extra * sample.items + shift;
    const auto s = static_cast<double>(scale), e = static_cast<double>(extra);
    const Summary a = summarise(samples).value(), b = summarise(changed).value();
    EXPECT_NEAR(b.cycles, s * a.cycles + e, 1e-8);
    EXPECT_NEAR(b.interval.interval.low, s * a.interval.interval.low + e, 1e-8);
    EXPECT_NEAR(b.interval.interval.high, s * a.interval.interval.high + e, 1e-8);
    EXPECT_NEAR(b.fit.slope, s * a.fit.slope + e, 1e-8);
    EXPECT_NEAR(b.fit.intercept, s * a.fit.intercept + static_cast<double>(shift), 1e-6);
    EXPECT_NEAR(b.fit.worst_residual, s * a.fit.worst_residual, 1e-6);
    EXPECT_LE(a.interval.interval.low, a.cycles);
    EXPECT_GE(a.interval.interval.high, a.cycles);
  }
}

// The interval covers the true median about as often as it says: an independent check by
// simulation.
TEST(MedianIntervalProperty, CoversTheTrueMedianAtLeastNinetyFourOfAHundredTimes) {
  std::mt19937 random(7);
  std::exponential_distribution<double> draw(1.0);
  int covered = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(25);
    for (double& value : values) value = draw(random);
    const results::Interval interval = median_interval(values).interval;
    covered += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
  }
  EXPECT_GE(covered, 94 * trials / 100);
}

// Points of the table of Student's distribution that every textbook has, both sides together.
TEST(StudentP, IsThatOfTheTable) {
  struct Row {
    double t;
    std::size_t degrees;
    double p;
  };
  for (const Row& row :
       {Row{12.706, 1, 0.05}, Row{4.303, 2, 0.05}, Row{2.365, 7, 0.05}, Row{-3.499, 7, 0.01},
        Row{2.262, 9, 0.05}, Row{3.250, 9, 0.01}, Row{2.228, 10, 0.05}, Row{0, 4, 1}})
    EXPECT_NEAR(results::student_p(row.t, row.degrees), row.p, 5e-5) << row.t << " " << row.degrees;
  EXPECT_DOUBLE_EQ(results::student_p(1e9, 7), 0);
}

// 4 x 0.005, 3 x 0.01, 2 x 0.03, and no smaller than the one before.
TEST(Holm, CorrectsInTheirOrder) {
  const std::vector<double> corrected = results::holm({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  ASSERT_EQ(corrected.size(), expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_NEAR(corrected[n], expected[n], 1e-12);
  EXPECT_EQ(results::holm({0.6, 0.7}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(results::holm({}).empty());
}

}  // namespace
}  // namespace phasebit::test
