// Rings that feed tensor cores, whose cycles an item are given.
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using image::KeyAxes;
using record::Results;

namespace {

void add(Results& results, const std::string& id, double cycles, const char* protocol,
         const char* mover, const char* stages, const KeyAxes& more = {},
         const char* probe = "ring") {
  results.points.push_back(steady_at(id, cycles));
  KeyAxes axes = {{"probe", probe},   {"protocol", protocol}, {"mover", mover},
                  {"work", "wgmma"},  {"num_stages", stages}, {"granularity", "warpgroup"},
                  {"consumers", "2"}, {"producers", "1"},     {"payload_bytes", "49152"},
                  {"tile_n", "256"},  {"items_a_phase", "1"}, {"in_flight", "0"}};
  axes.insert(axes.end(), more.begin(), more.end());
  results.variants.push_back(variant_with(id, std::move(axes)));
}

// 49152 bytes are 384 rows of 128: 256 of B, 128 of A. A ceiling of 1024 cycles, and a slower one.
Results products() {
  Results results{{some_device()}, {some_run()}, {}};
  image::CatalogueFacts& facts = results.catalogue;
  facts.protocols["none"].waits_on = "-";
  facts.protocols["mbarrier_bulk"].waits_on = "barrier";
  add(results, "ceiling", 1024, "none", "prefilled", "2");
  add(results, "slow ceiling", 1030, "none", "prefilled", "4");
  add(results, "one", 2048, "mbarrier_bulk", "bulk", "1");
  add(results, "two", 1280, "mbarrier_bulk", "bulk", "2");
  add(results, "two, slower", 1300, "mbarrier_bulk", "bulk", "2", {{"arrival", "thread"}});
  // ns of a grid, not cycles of a ring.
  add(results, "stream", 700, "mbarrier_bulk", "bulk", "2", {}, "stream");
  return results;
}

TEST(ProductsTable, GivesShareOfTheCeilingByStages) {
  const auto table = make_table(products(), "products").value();
  ASSERT_EQ(table.rows.size(), 1U);
  const auto text = [&](size_t column) { return table.rows[0][column].text; };
  EXPECT_EQ(text(0), "wgmma");
  EXPECT_EQ(text(1), "128 x 256 x 64");
  EXPECT_EQ(text(3) + " " + text(4), "mbarrier_bulk bulk");
  EXPECT_EQ(text(7), "0.500");
  EXPECT_EQ(text(8), "0.800");
  EXPECT_EQ(text(9), "");
  EXPECT_DOUBLE_EQ(*table.rows[0][11].value, 1280);
  EXPECT_DOUBLE_EQ(*table.rows[0][12].value, 1024);
  EXPECT_EQ(text(13), "1638");  // 128 * 256 * 64 / 1280 = 1638.4
}

}  // namespace
}  // namespace phasebit::test
