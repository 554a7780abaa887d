// Whether the slopes of a chain's segments make a line.
#include "core/results/statistics.h"

#include <cmath>

#include <gtest/gtest.h>

namespace phasebit::test {

using results::is_linear;
using results::Sample;
using results::segments_of;

namespace {

// Rounds of 100, 200, 300 and 400 items whose segments have these slopes.
std::vector<Sample> rounds_with(const std::vector<std::vector<double>>& rounds) {
  std::vector<Sample> samples;
  for (const auto& slopes : rounds) {
    double cycles = 50;
    samples.push_back({100, 50});
    for (std::size_t n = 0; n < slopes.size(); ++n) {
      cycles += 100 * slopes[n];
      samples.push_back({static_cast<std::uint32_t>(200 + 100 * n),
                         static_cast<std::uint64_t>(std::llround(cycles))});
    }
  }
  return samples;
}

struct LineRow {
  const char* what;
  std::vector<std::vector<double>> rounds;
  bool linear;
};

TEST(Segments, SayWhetherALineIsALine) {
  const std::vector<std::vector<double>> eight(8, {40, 40, 40});
  std::vector<LineRow> rows = {
      {"a line", eight, true},
      {"1 % is within", std::vector<std::vector<double>>(8, {40, 40, 40.4}), true},
      {"2 % is not", std::vector<std::vector<double>>(8, {40, 40, 40.8}), false},
      {"a time-out", std::vector<std::vector<double>>(8, {10, 10, 88}), false},
      {"a start-up", std::vector<std::vector<double>>(8, {60, 40, 40}), false},
      {"counts of an item of a cycle", std::vector<std::vector<double>>(8, {1, 1, 1.03}), true}};
  // Noise of 5 % around a line, to both sides: no bend.
  rows.push_back({"noise",
                  {{40, 40, 42},
                   {42, 40, 40},
                   {40, 40, 42},
                   {42, 40, 40},
                   {41, 40, 41},
                   {40, 40, 42},
                   {42, 40, 40},
                   {41, 41, 41}},
                  true});
  for (const LineRow& row : rows) {
    const auto segments = segments_of(rounds_with(row.rounds));
    ASSERT_TRUE(segments) << row.what;
    EXPECT_EQ(is_linear(*segments), row.linear) << row.what;
  }
  EXPECT_EQ(segments_of(rounds_with(rows[3].rounds))->slopes, (std::vector<double>{10, 10, 88}));
}

TEST(Segments, OfAReadingAreItsOwn) {
  auto samples = rounds_with(std::vector<std::vector<double>>(8, {40, 40, 40}));
  for (Sample& sample : samples)
    sample.readings = {3ULL * sample.items, sample.items > 300 ? 5ULL * sample.items : 0ULL};
  EXPECT_TRUE(is_linear(*segments_of(samples, 0)));
  EXPECT_FALSE(is_linear(*segments_of(samples, 1)));
}

}  // namespace
}  // namespace phasebit::test
