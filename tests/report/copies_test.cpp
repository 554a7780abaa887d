// Copies whose cycles a tile are given.
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using image::KeyAxes;
using record::Results;

namespace {

void add(Results& results, const std::string& id, double cycles, const KeyAxes& more) {
  record::PointRow point = steady_at(id, cycles);
  point.megahertz = 2000;
  results.points.push_back(std::move(point));
  KeyAxes axes = {{"probe", "issue"}, {"protocol", "mbarrier_bulk"}, {"work", "none"}};
  axes.insert(axes.end(), more.begin(), more.end());
  results.variants.push_back(variant_with(id, std::move(axes)));
}

KeyAxes bulk(const char* place, const char* tile, const char* stages) {
  return {{"mover", "bulk"}, {"resident", place}, {"payload_bytes", tile}, {"num_stages", stages}};
}

// At 2 GHz: a copy of 4 KiB alone 400 cycles, which are 200 ns; two at once one every 100 ns, four
// one every 80 ns.
Results copies() {
  Results results{{some_device()}, {some_run()}, {}};
  add(results, "alone", 400, bulk("l2", "4096", "1"));
  add(results, "two", 200, bulk("l2", "4096", "2"));
  add(results, "four", 160, bulk("l2", "4096", "4"));
  add(results, "far", 1200, bulk("hbm", "4096", "1"));
  add(results, "tensor", 440,
      {{"mover", "bulk_tensor"},
       {"swizzle", "128B"},
       {"resident", "l2"},
       {"payload_bytes", "4096"},
       {"num_stages", "1"}});
  return results;
}

TEST(CopiesTable, GivesLatencyAndRateByBytesInFlight) {
  const auto table = make_table(copies(), "copies").value();
  ASSERT_EQ(table.rows.size(), 3U);
  const auto text = [&](size_t row, size_t column) { return table.rows[row][column].text; };
  EXPECT_EQ(text(0, 0) + " " + text(0, 1) + " " + text(0, 2), "L2 bulk -");
  EXPECT_EQ(text(1, 1) + " " + text(1, 2), "bulk_tensor 128B");
  EXPECT_EQ(text(2, 0), "memory");
  EXPECT_EQ(text(0, 4), "400");
  EXPECT_EQ(text(0, 5), "200");
  EXPECT_EQ(text(0, 6), "");                                // 1 KiB: less than a tile
  EXPECT_DOUBLE_EQ(*table.rows[0][8].value, 4096.0 / 200);  // 4 KiB in flight
  EXPECT_DOUBLE_EQ(*table.rows[0][9].value, 4096.0 / 100);  // 8 KiB
  EXPECT_DOUBLE_EQ(*table.rows[0][10].value, 4096.0 / 80);  // 16 KiB
  EXPECT_DOUBLE_EQ(*table.rows[0][14].value, 4096 * 2.5);   // 200 ns at 4096 bytes in 80 ns
  EXPECT_EQ(text(2, 5), "600");
}

TEST(CopiesTable, ShowsRowsOfAValue) {
  const auto table = make_table(copies(), "copies", {{"resident", "hbm"}}).value();
  ASSERT_EQ(table.rows.size(), 1U);
  const auto error = make_table(copies(), "copies", {{"swizzle", "64B"}});
  EXPECT_EQ(text_of(error),
            "usage: no measured variant of the probe issue has swizzle=64B (one of: -, 128B)");
}

}  // namespace
}  // namespace phasebit::test
