#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;
using table::Table;

namespace {

PointRow seen_at(const std::string& id, std::uint64_t cycles, int process, int sm, int first_warp) {
  PointRow point = steady(id, cycles, process);
  point.kind = record::PointKind::modes;
  point.conditions = {{sm, first_warp}};
  return point;
}

std::vector<std::string> texts(const std::vector<table::Cell>& row) {
  std::vector<std::string> out;
  for (const table::Cell& cell : row) out.push_back(cell.text);
  return out;
}

// Two processes, two SMs, two shifts; the SM decides.
std::vector<PointRow> eight_places(const std::string& id) {
  std::vector<PointRow> points;
  for (int process = 0; process < 2; ++process)
    for (const int sm : {0, 66})
      for (int first = 0; first < 2; ++first)
        points.push_back(seen_at(id, sm == 0 ? 40 : 44, process, sm, first));
  return points;
}

TEST(ModesTable, SaysHowManyWhereAndWhatSeparatesThem) {
  auto points = eight_places("ring/b");
  points.push_back(seen_at("ring/a", 41, 0, 0, 0));
  points.push_back(steady("ring/c", 1));  // no modes row
  const Table table = make_table(points, "modes").value();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(texts(table.rows[0]), (std::vector<std::string>{"ring/a", "1", "1", "1", "41.00 in 1",
                                                            "41.00", "41.00", ""}));
  EXPECT_EQ(texts(table.rows[1]),
            (std::vector<std::string>{"ring/b", "8", "2", "2", "40.00 in 4, 44.00 in 4", "40.00",
                                      "44.00", "SM (0 | 66)"}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(ModesTable, HoldsTheNewestCodeAndCountsProcessesOfEveryRun) {
  std::vector<PointRow> points = {seen_at("ring/a", 99, 0, 0, 0), seen_at("ring/a", 40, 0, 0, 0),
                                  seen_at("ring/a", 40, 0, 0, 0)};
  points[0].text_hash = "older";
  points[2].run_id = "run-2";
  const Table table = make_table(points, "modes").value();
  EXPECT_EQ(
      texts(table.rows.at(0)),
      (std::vector<std::string>{"ring/a", "2", "2", "1", "40.00 in 2", "40.00", "40.00", ""}));
}

TEST(ModesTable, NotesWhatFailedAndWhereClustersRan) {
  PointRow failed = failed_point("ring/a", Step::launch, "hung");
  failed.kind = record::PointKind::modes;
  PointRow cluster = seen_at("cluster/a", 700, 0, 0, 0);
  cluster.quality.first_use = true;
  cluster.sms = {4, 12};
  const Table table = make_table({failed, cluster}, "modes").value();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1][1].text, "0");
  EXPECT_EQ(table.notes,
            (std::vector<std::string>{"cluster/a: the GPU placed its cluster on SMs 4, 12.",
                                      "ring/a: 1 places failed, the last with launch: hung."}));
}

TEST(ModesTable, IsOneOfTheTables) {
  EXPECT_EQ(make_table(eight_places("ring/b"), "modes").value().rows.size(), 1U);
}

}  // namespace
}  // namespace phasebit::test
