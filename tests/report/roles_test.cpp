// Rings that feed products, whose cycles are given, beside loops without waits.
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using image::KeyAxes;
using record::Results;

namespace {

void add(Results& results, const std::string& id, double cycles, const KeyAxes& more,
         const char* probe = "ring") {
  results.points.push_back(steady_at(id, cycles));
  KeyAxes axes = {{"probe", probe},
                  {"work", "w"},
                  {"granularity", "producer_warp"},
                  {"items_a_phase", "1"},
                  {"epilogue_blocks", "0"}};
  axes.insert(axes.end(), more.begin(), more.end());
  results.variants.push_back(variant_with(id, std::move(axes)));
}

// 128 bytes a row: a slot has 256 rows of B beside those of A, which are 64 of each warpgroup that
// works on it.
KeyAxes of(const char* protocol, const char* stages, const std::string& sharing,
           const char* in_flight, const char* order = "none") {
  return {{"protocol", protocol}, {"mover", "m"},
          {"num_stages", stages}, {"consumers", "2"},
          {"tile_n", "256"},      {"payload_bytes", sharing == "share" ? "49152" : "40960"},
          {"sharing", sharing},   {"in_flight", in_flight},
          {"order", order}};
}

// Two warpgroups, 256 columns. Shared, 128 rows: 2,097,152 multiply-adds in 1,000 cycles without
// waits and in 1,250 at best with them. In turn, 64 rows: half as many in 512 and in 640, in order
// in 524.
Results products() {
  Results results{{some_device()}, {some_run()}, {}};
  results.catalogue.protocols["none"].waits_on = "-";
  results.catalogue.protocols["q"].waits_on = "barrier";
  add(results, "loop", 1000, of("none", "2", "share", "0"));
  add(results, "slow loop", 1100, of("none", "3", "share", "0"));
  add(results, "one", 2000, of("q", "1", "share", "0"));
  add(results, "two", 1250, of("q", "2", "share", "0"));
  // Faster by its median of 1,246, but surely no faster than 1,262.
  add(results, "noisy", 1230, of("q", "3", "share", "0"));
  results.points.push_back(steady_at("noisy", 1262, 1));
  add(results, "later", 1000, of("q", "2", "share", "1"));
  add(results, "turns", 640, of("q", "4", "round_robin", "0"));
  add(results, "turns, loop", 512, of("none", "4", "round_robin", "0"));
  add(results, "order", 524, of("q", "4", "round_robin", "0", "ping_pong"));
  // ns of a grid, not cycles of a ring.
  add(results, "stream", 300, of("q", "4", "share", "0"), "stream");
  return results;
}

TEST(RolesTable, GivesRatesBesideTheLoopWithoutWaits) {
  const auto table = make_table(products(), "roles").value();
  EXPECT_EQ(rows_of(table), (std::vector<std::string>{
                                "2|256|0|0|1677.72 ±0|0.800|1638.40 ±0|0.800|2001.10 ±0|0.977",
                                // No loop has as many groups in flight.
                                "2|256|0|1|2097.15 ±0|||||",
                            }));
}

TEST(RolesTable, ShowsRowsOfAValue) {
  const auto table = make_table(products(), "roles", {{"in_flight", "1"}}).value();
  EXPECT_EQ(table.rows.size(), 1U);
  EXPECT_FALSE(make_table(products(), "roles", {{"in_flight", "2"}}));
}

}  // namespace
}  // namespace phasebit::test
