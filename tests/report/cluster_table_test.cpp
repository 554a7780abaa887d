#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;

namespace {

const std::string token = "cluster/mbarrier_cluster/none/none/num_stages=1";
const std::string bar = "cluster/cluster_barrier/none/none/num_stages=1/roles=unified";

PointRow trip(const std::string& rest, std::uint64_t cycles) {
  PointRow point = steady(token + rest, cycles);
  point.unit = "cycles per round trip";
  return point;
}

// Four CTAs: 0 and 1 to each other, 0 to the others, and two ranks to themselves.
std::vector<PointRow> some_clusters() {
  return {trip("/cluster_size=4", 700),
          trip("/cluster_size=4/first_rank=1/second_rank=0", 704),
          trip("/cluster_size=4/second_rank=2", 730),
          trip("/cluster_size=4/second_rank=3", 900),
          trip("/cluster_size=4/second_rank=0", 300),
          trip("/cluster_size=4/first_rank=2/second_rank=2", 302),
          trip("/arrive_semantics=relaxed_cluster/wait_semantics=relaxed_cluster/fenced=on", 650),
          trip("/arrive_semantics=default", 400),
          failed_point(token + "/cluster_size=16", Step::device, "at most 8 CTAs"),
          failed_point(token + "/cluster_size=16/second_rank=2", Step::device, "at most 8 CTAs"),
          steady(bar + "/cluster_size=8", 210),
          steady(bar + "/producers=4/consumers=4", 190),
          steady("ring/mbarrier/none/none/num_stages=1", 90)};
}

// Rows that differ in what is written alone.
TEST(ClusterTable, SaysWhatIsWritten) {
  const std::pair<std::string, const char*> rows[] = {
      {token, "release.cluster / acquire.cluster"},
      {token + "/arrive_semantics=default/wait_semantics=acquire_cta", "not written / acquire.cta"},
      {token + "/arrive_semantics=relaxed_cluster/wait_semantics=relaxed_cluster/fenced=on",
       "relaxed.cluster / relaxed.cluster, fenced"},
      {bar, "not written"},
      {bar + "/semantics=explicit", "release / acquire"},
      {bar + "/semantics=relaxed", "relaxed / not written"}};
  for (const auto& [id, text] : rows) {
    const auto table = make_table({steady(id, 100)}, "cluster");
    ASSERT_TRUE(table) << table.error().text();
    EXPECT_EQ(table->rows.at(0).at(2).text, text) << id;
  }
}

// 700, 704, 730 and 900: the median is 717; the two inside one CTA have 301 between them.
TEST(ClusterTable, HasMedianLowestAndHighestOfThePairs) {
  const auto table = make_table(some_clusters(), "cluster", {{"cluster_size", "4"}});
  ASSERT_TRUE(table) << table.error().text();
  ASSERT_EQ(table->rows.size(), 1U);
  const auto& row = table->rows[0];
  EXPECT_EQ(row[1].text, "mbarrier_cluster");
  EXPECT_EQ(row[3].text, "");
  EXPECT_EQ(row[4].value, 4);
  EXPECT_EQ(row[5].value, 4);
  EXPECT_EQ(row[6].value, 717);
  EXPECT_EQ(row[7].text, "700.00 ±0 (0→1)");
  EXPECT_EQ(row[8].text, "900.00 ±0 (0→3)");
  EXPECT_EQ(row[9].value, 301);
  EXPECT_EQ(row[10].text, "cycles per round trip");
}

TEST(ClusterTable, KeepsSemanticsWarpsAndSizesApart) {
  const auto table = make_table(some_clusters(), "cluster");
  ASSERT_TRUE(table) << table.error().text();
  std::vector<std::string> rows;
  for (const auto& row : table->rows)
    rows.push_back(row[2].text + "|" + row[3].text + "|" + row[4].text + "|" + row[6].text);
  EXPECT_EQ(rows,
            (std::vector<std::string>{"not written||8|210.00 ±0", "not written|4 warps|2|190.00 ±0",
                                      "not written / acquire.cluster||2|400.00 ±0",
                                      "relaxed.cluster / relaxed.cluster, fenced||2|650.00 ±0",
                                      "release.cluster / acquire.cluster||4|717.00 ±0",
                                      "release.cluster / acquire.cluster||16|failed: device"}));
}

TEST(ClusterTable, NamesPayloadAndStagesOfARing) {
  const auto table =
      make_table({steady("cluster/mbarrier_cluster/st_cluster/none", 90),
                  steady("cluster/st_async/st_async/none/num_stages=2/expect=producer", 80)},
                 "cluster");
  ASSERT_TRUE(table) << table.error().text();
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->rows[0][3].text, "st_cluster, payload_bytes=512, 4 stages");
  EXPECT_EQ(table->rows[1][3].text, "st_async, payload_bytes=512, 2 stages, expect=producer");
}

TEST(ClusterTable, SaysOnceWhyASizeHasNoFigure) {
  const auto table = make_table(some_clusters(), "cluster", {{"cluster_size", "16"}});
  ASSERT_TRUE(table) << table.error().text();
  ASSERT_EQ(table->notes.size(), 2U);  // the first is the legend
  EXPECT_EQ(table->notes[1],
            "mbarrier_cluster, release.cluster / acquire.cluster, cluster of 16: 2 without a "
            "figure, the last: device: at most 8 CTAs.");
}

// Without the loop: 10 cycles a turn of it, 2.5 and 1.25 an item.
TEST(ClusterPairsTable, IsTheMatrixOfOneSize) {
  std::vector<PointRow> points;
  for (const auto& [ranks, cycles] : std::vector<std::pair<std::string, double>>{
           {"", 700}, {"/first_rank=1/second_rank=0", 704}, {"/second_rank=0", 300}}) {
    const std::string id = token + "/cluster_size=4" + ranks;
    points.push_back(steady_at(id, cycles + 10));
    points.push_back(steady_at(id + "/unroll=4", cycles + 2.5));
    points.push_back(steady_at(id + "/unroll=8", cycles + 1.25));
  }
  const auto table = make_table(points, "cluster_pairs", {{"cluster_size", "4"}});
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table::render(*table, table::TableFormat::csv),
            "from,to 0,to 0 half width,to 1,to 1 half width\n"
            "0,300,0,700,0\n"
            "1,704,0,,\n");
  EXPECT_EQ(table->notes.back(), "mbarrier_cluster, clusters of 4.");
}

}  // namespace
}  // namespace phasebit::test
