// Two GPUs whose figures are given.
#include "analysis/report/report.h"
#include "core/store/flat.h"
#include "tests/report/results.h"

#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;
using record::Results;
using report::data::report_data;
using table::Table;

namespace {

const std::string ring = "ring/mbarrier/none/none",
                  trip = "handoff/mbarrier/none/none/num_stages=1";

PointRow on(const char* uuid, const std::string& id, std::uint64_t cycles) {
  PointRow point = steady(id, cycles);
  point.device_uuid = uuid;
  return point;
}

Results of_two(const std::string& other_name = "NVIDIA H100") {
  PointRow failed = failed_point(ring + "/arrival=thread", Step::launch, "hung");
  failed.device_uuid = "GPU-2";
  Results results = results_of(
      {on("GPU-1", ring, 100), on("GPU-2", ring, 101),  // within a cycle
       on("GPU-1", ring + "/num_stages=2", 1000), on("GPU-2", ring + "/num_stages=2", 1010),  // 1 %
       on("GPU-1", ring + "/num_stages=8", 100), on("GPU-2", ring + "/num_stages=8", 98),
       on("GPU-1", ring + "/arrival=thread", 90), failed,
       on("GPU-1", trip + "/semantics=explicit/scope=cluster", 600),
       on("GPU-2", trip + "/semantics=explicit/scope=cluster", 1200), on("GPU-1", trip, 100),
       on("GPU-2", trip, 100), on("GPU-1", "ring/cta_barrier/none/none", 30)});
  results.devices.push_back({"GPU-2", other_name, "580.1", "sm_90", 132, 1, 1});
  return results;
}

std::vector<std::string> texts(const std::vector<table::Cell>& row) {
  std::vector<std::string> out;
  for (const table::Cell& cell : row) out.push_back(cell.text);
  return out;
}

using Row = std::vector<std::string>;

TEST(DevicesTable, CountsWhatAgreesByClass) {
  const Table table = make_table(of_two(), "devices", {}, "GPU-1").value();
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(texts(table.rows[0]), (Row{"NVIDIA H100", "NVIDIA H200", "handoff/mbarrier", "CTA", "1",
                                       "1", "1.000", "1.000", "1.000", trip, "100.0", "100.0"}));
  EXPECT_EQ(
      texts(table.rows[1]),
      (Row{"NVIDIA H100", "NVIDIA H200", "handoff/mbarrier", "cluster or GPU", "1", "0", "2.000",
           "2.000", "2.000", trip + "/semantics=explicit/scope=cluster", "600.0", "1200.0"}));
  EXPECT_EQ(texts(table.rows[2]),
            (Row{"NVIDIA H100", "NVIDIA H200", "ring/mbarrier", "CTA", "3", "2", "0.980", "1.010",
                 "1.010", ring + "/num_stages=8", "100.0", "98.0"}));
}

TEST(DevicesTable, TellsGpusOfOneNameApart) {
  const Table table = make_table(of_two("NVIDIA H200"), "devices", {}, "GPU-2").value();
  EXPECT_EQ(table.rows.at(1).at(0).text, "NVIDIA H200 GPU-1");
  EXPECT_DOUBLE_EQ(table.rows[1][6].value.value(), 0.5);
  EXPECT_EQ(table.rows[1][1].text, "NVIDIA H200 GPU-2");
}

// Two GPUs of another model are one device: the ratio 2 of the one and 0.5 of the other.
TEST(DevicesTable, TakesGpusOfAnotherModelTogether) {
  Results results = results_of({on("GPU-1", ring, 100), on("GPU-2", ring, 200),
                                on("GPU-1", ring + "/num_stages=2", 100),
                                on("GPU-3", ring + "/num_stages=2", 50)});
  for (const char* uuid : {"GPU-2", "GPU-3"})
    results.devices.push_back({uuid, "NVIDIA H100", "580.1", "sm_90", 132, 1, 1});
  const Table table = make_table(results, "devices", {}, "GPU-1").value();
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(texts(table.rows[0]), (Row{"NVIDIA H100", "NVIDIA H200", "ring/mbarrier", "CTA", "2",
                                       "0", "0.500", "1.250", "2.000", ring, "100.0", "200.0"}));
}

// Axes of an operation that orders beyond its CTA, and of one that does not.
TEST(DevicesTable, KnowsWhatOrdersBeyondTheCta) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"cluster/mbarrier_cluster/none/none/num_stages=1", "cluster or GPU"},
      {"cluster/mbarrier_cluster/none/none/num_stages=1/arrive_semantics=relaxed_cluster/"
       "wait_semantics=relaxed_cluster",
       "CTA"},
      {"cluster/mbarrier_cluster/none/none/num_stages=1/arrive_semantics=relaxed_cluster/"
       "wait_semantics=relaxed_cluster/fenced=on",
       "cluster or GPU"},
      {"ring/flag_acquire_release/none/none/scope=gpu", "cluster or GPU"},
      {"ring/flag_acquire_release/none/none", "CTA"},
      // mbarrier.arrive.release.cluster.shared.b64; cp.async.cg.shared.global; bar.sync
      {"form/none/none/none/form=mbarrier.arrive#044", "cluster or GPU"},
      {"form/none/none/none/form=cp.async#209", "cluster or GPU"},
      {"form/none/none/none/form=mbarrier.arrive#001", "CTA"},
      {"cluster/cluster_barrier/none/none/num_stages=1/roles=unified", "cluster or GPU"},
      {"cluster/cluster_barrier/none/none/num_stages=1/roles=unified/semantics=relaxed", "CTA"}};
  for (const auto& [id, scope] : rows) {
    Results results = results_of({on("GPU-1", id, 100), on("GPU-2", id, 100)});
    results.devices.push_back({"GPU-2", "NVIDIA H100", "580.1", "sm_90", 132, 1, 1});
    const Table table = make_table(std::move(results), "devices", {}, "GPU-1").value();
    ASSERT_EQ(table.rows.size(), 1U) << id;
    EXPECT_EQ(table.rows[0][3].text, scope) << id;
  }
}

// The only table that needs no --device of results of several GPUs.
TEST(DevicesTable, WithoutADeviceTheLastByNameIsHere) {
  const base::TempDir folder = base::TempDir::create().value();
  const fs::path file = folder.path() / "two.csv";
  ASSERT_TRUE(base::write_file(file, store::to_csv(of_two("NVIDIA A100"))));
  const report::ReportSource source = source_of({file});
  const auto table = report::report(source, "devices", {}, table::TableFormat::csv);
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_NE(table->find("NVIDIA A100,NVIDIA H200,handoff/mbarrier,CTA,1,1,"), std::string::npos);
  EXPECT_NE(
      report::report(source, "aa", {}, table::TableFormat::csv).error().text().find("of 2 devices"),
      std::string::npos);
}

// Every figure of each variant.
std::map<std::string, std::vector<double>> cycles_on_h200(Results results) {
  results.variants = results_of(results.points).variants;
  const report::data::ReportData data = report_data(std::move(results), "H200").value();
  std::map<std::string, std::vector<double>> cycles;
  for (const report::data::Aggregate& one : data.aggregation.points)
    cycles[one.id].push_back(one.cycles);
  return cycles;
}

// GPU-1 measured more: what both have is its own, what GPU-2 has alone stays.
TEST(ReportData, OfOneModelEachVariantIsOfOneGpu) {
  Results results = of_two("NVIDIA H200");
  results.points.push_back(on("GPU-2", "ring/named_barrier/none/none", 40));
  auto cycles = cycles_on_h200(results);
  EXPECT_EQ(cycles[trip], std::vector<double>{100});
  EXPECT_EQ(cycles[ring], std::vector<double>{100});
  EXPECT_EQ(cycles["ring/named_barrier/none/none"], std::vector<double>{40});
}

// A row of GPU-2 whose code is that of one that both GPUs measured: it has GPU-2's figure, and no
// second figure of the other appears.
TEST(ReportData, WhatASharedCodePointsToIsNoSecondFigure) {
  Results results = of_two("NVIDIA H200");
  const record::PointRow same =
      same_code("handoff/mbarrier/none/none/arrival=thread", on("GPU-2", trip, 100));
  results.points.push_back(same);
  auto cycles = cycles_on_h200(results);
  EXPECT_EQ(cycles[trip], std::vector<double>{100});
  EXPECT_EQ(cycles[same.variant_id].size(), 1U);
}

TEST(DevicesTable, NeedsTwoGpus) {
  EXPECT_EQ(make_table({steady(ring, 5)}, "devices").error().text(),
            "usage: the results are of one GPU (name results of several: results/*/*.csv.zst)");
}

}  // namespace
}  // namespace phasebit::test
