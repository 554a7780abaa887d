// Streams whose ns per item are given.
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using image::KeyAxes;
using record::Results;

namespace {

KeyAxes key(const char* protocol, const char* mover, const char* sms, const char* tile,
            const char* stages) {
  return {{"probe", "stream"},     {"protocol", protocol}, {"mover", mover},   {"work", "none"},
          {"num_stages", stages},  {"producers", "1"},     {"consumers", "4"}, {"ctas_per_sm", "2"},
          {"payload_bytes", tile}, {"sms", sms},           {"resident", "hbm"}};
}

// On all 132 SMs plain loads bring 132 x 2 x 16384 bytes in 1000 ns; the copies in 1081.
Results streams() {
  Results results{{some_device()}, {some_run()}, {}};
  results.points = {steady("plain", 1000), steady("copies", 1081), steady("one", 200)};
  results.variants = {variant_with("plain", key("none", "ld_global", "every", "16384", "1")),
                      variant_with("copies", key("mbarrier_bulk", "bulk", "every", "16384", "4")),
                      variant_with("one", key("mbarrier_bulk", "bulk", "1", "4096", "8"))};
  return results;
}

TEST(StreamTable, GivesBytesASecondAndTheShareOfPlainLoads) {
  const table::Table table = make_table(streams(), "stream").value();
  ASSERT_EQ(table.rows.size(), 3U);
  const auto cell = [&](size_t row, size_t column) { return table.rows[row][column]; };
  // 4325376 bytes in 1000 ns.
  EXPECT_DOUBLE_EQ(*cell(0, 9).value, 4325.376);
  EXPECT_EQ(cell(0, 10).text, "1.000");
  EXPECT_EQ(cell(0, 11).text, "1.000");
  EXPECT_EQ(cell(0, 8).text, "");  // no copy was measured alone
  EXPECT_EQ(cell(0, 3).text, "4 warps");
  EXPECT_EQ(cell(0, 7).text, "32768");
  EXPECT_EQ(cell(1, 1).text, "132");
  EXPECT_EQ(cell(1, 7).text, "131072");  // 2 CTAs x 4 stages x 16384 bytes
  EXPECT_EQ(cell(1, 11).text, "0.925");  // 1000 / 1081
  // One SM, without plain loads beside it: 2 x 4096 bytes in 200 ns.
  EXPECT_EQ(cell(2, 1).text, "1");
  EXPECT_DOUBLE_EQ(*cell(2, 9).value, 40.96);
  EXPECT_EQ(cell(2, 10).text, "1.000");
  EXPECT_EQ(cell(2, 11).text, "");
}

TEST(StreamTable, ShowsTheStateOfTheGpuWhileItRan) {
  Results results = streams();
  results.points[0].state = {1755, 2619, 640};
  results.points[0].quality.throttled = true;
  const table::Table table = make_table(results, "stream").value();
  EXPECT_EQ(table.rows[0][12].text, "1980");  // achieved, see some_point
  EXPECT_EQ(table.rows[0][13].text, "2619");
  EXPECT_EQ(table.rows[0][14].text, "640");
  EXPECT_EQ(table.rows[1][13].text, "");
}

// One copy of 16 KiB alone takes 990 cycles at 1979.9 MHz: 500 ns. 8 stages of 2 CTAs on 132 SMs,
// or 4, have 132 x 2 x 4 x 16384 bytes under way: 34603 GB/s.
TEST(StreamTable, HoldsBytesInFlightAgainstTheLatencyOfOneCopy) {
  Results results = streams();
  results.points.push_back(steady("alone", 990));
  results.variants.push_back(variant_with("alone", {{"probe", "issue"},
                                                    {"protocol", "mbarrier_bulk"},
                                                    {"mover", "bulk"},
                                                    {"work", "none"},
                                                    {"num_stages", "1"},
                                                    {"payload_bytes", "16384"},
                                                    {"resident", "hbm"}}));
  const table::Table table = make_table(results, "stream").value();
  EXPECT_NEAR(*table.rows[1][8].value, 132 * 131072 / (990 / 1.9799), 1);
  EXPECT_EQ(table.rows[2][8].text, "");  // tiles of 4 KiB were not copied alone
}

TEST(StreamTable, KeepsTheFastestOfEachMover) {
  Results results = streams();
  results.points.push_back(steady("slower", 1200));
  results.variants.push_back(
      variant_with("slower", key("mbarrier_bulk", "bulk", "every", "16384", "2")));
  const auto table = make_table(results, "stream", {{"most", "1"}}).value();
  ASSERT_EQ(table.rows.size(), 3U);
  for (const auto& row : table.rows) EXPECT_NE(row.back().text, "slower");
  const auto error = make_table(results, "stream", {{"most", "some"}});
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().text(), "usage: most=some (a whole number, 1 or more)");
}

TEST(StreamTable, RefusesWhatWasNotMeasured) {
  const auto error = make_table(streams(), "stream", {{"sms", "7"}});
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().text(),
            "usage: no measured variant of the probe stream has sms=7 (one of: 1, every)");
}

}  // namespace
}  // namespace phasebit::test
