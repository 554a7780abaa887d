// Rings that feed products, whose cycles are given, beside loops without waits.
#include "analysis/report/tables/probes/roles.h"

#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using image::KeyAxes;
using record::Results;

namespace {

void add(Results& results, const std::string& id, double cycles, const KeyAxes& more) {
  results.points.push_back(steady_at(id, cycles));
  KeyAxes axes = {{"probe", "ring"},
                  {"work", "w"},
                  {"granularity", "producer_warp"},
                  {"items_a_phase", "1"},
                  {"epilogue_blocks", "0"}};
  axes.insert(axes.end(), more.begin(), more.end());
  record::VariantRow row;
  row.id = id;
  row.hash = "hash of " + id;
  row.defaults = std::make_shared<const KeyAxes>(std::move(axes));
  results.variants.push_back(std::move(row));
}

KeyAxes of(const char* protocol, const char* stages, const char* sharing, const char* in_flight,
           const char* order = "none") {
  return {{"protocol", protocol},   {"mover", "m"},    {"num_stages", stages},
          {"consumers", "2"},       {"tile_n", "256"}, {"sharing", sharing},
          {"in_flight", in_flight}, {"order", order}};
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
  return results;
}

std::string row_of(const table::Table& table, size_t row) {
  std::string text;
  for (const table::Cell& cell : table.rows.at(row)) text += cell.text + "|";
  return text;
}

TEST(RolesTable, GivesRatesBesideTheLoopWithoutWaits) {
  const auto data = report::data::report_data(products()).value();
  const auto table = report::tables::probes::roles_table(data, {}).value();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(row_of(table, 0), "2|256|0|0|1677.72 ±0|0.800|1638.40 ±0|0.800|2001.10 ±0|0.977|");
  EXPECT_EQ(row_of(table, 1),
            "2|256|0|1|2097.15 ±0||||||");  // no loop has as many groups in flight
}

TEST(RolesTable, ShowsRowsOfAValue) {
  const auto data = report::data::report_data(products()).value();
  const auto table = report::tables::probes::roles_table(data, {{"in_flight", "1"}}).value();
  EXPECT_EQ(table.rows.size(), 1U);
  EXPECT_FALSE(report::tables::probes::roles_table(data, {{"in_flight", "2"}}));
}

TEST(RolesTable, SaysWhatItIsMadeOf) {
  const auto none =
      report::tables::probes::roles_table(data_of({steady("ring/mbarrier/none/none", 100)}), {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text(),
            "usage: no measured variant is in this table (it is made from the sweep `roles` of "
            "specs/roles.toml)");
}

}  // namespace
}  // namespace phasebit::test
