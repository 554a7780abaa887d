#include "analysis/report/data/figures.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct Row {
  double value, half_width;
  const char* text;
};

TEST(Figures, HaveTheDigitsThatTheirIntervalSupports) {
  const Row rows[] = {{12.3456, 0, "12.35 ±0"},         // all rounds alike: hundredths of a cycle
                      {12.3456, 0.004, "12.35 ±0.01"},  // never understated
                      {12.3456, 0.05, "12.35 ±0.05"},  {12.3456, 0.051, "12.35 ±0.06"},
                      {12.3456, 0.1, "12.3 ±0.1"},     {12.3456, 0.5, "12.3 ±0.5"},
                      {12.3456, 0.99, "12.3 ±1.0"},    {12.3456, 1, "12 ±1"},
                      {12.3456, 2.4, "12 ±3"},         {1234.5, 17.2, "1235 ±18"},
                      {-0.001, 0.01, "0.00 ±0.01"},    {-3.21, 0.2, "-3.2 ±0.2"}};
  for (const Row& row : rows)
    EXPECT_EQ(report::data::shown_with_interval(row.value, row.half_width), row.text)
        << row.value << " " << row.half_width;
}

TEST(Figures, PercentsHaveTwoDigits) {
  EXPECT_EQ(report::data::shown_percent(0.0512), "0.05 %");
  EXPECT_EQ(report::data::shown_percent(12), "12.00 %");
}

}  // namespace
}  // namespace phasebit::test
