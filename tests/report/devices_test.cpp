// Two GPUs whose figures are given.
#include "tests/report/results.h"

#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::report_data;
using results::PointRow;
using results::Results;

namespace {

const std::string devices_ring = "ring/mbarrier/none/none",
                  trip = "handoff/mbarrier/none/none/num_stages=1";

PointRow on(const char* uuid, const std::string& id, std::uint64_t cycles) {
  PointRow point = steady(id, cycles);
  point.device_uuid = uuid;
  return point;
}

Results of_two(const std::string& other_name) {
  PointRow failed = failed_point(devices_ring + "/arrival=thread", Step::launch, "hung");
  failed.device_uuid = "GPU-2";
  Results results = results_of(
      {on("GPU-1", devices_ring, 100), on("GPU-2", devices_ring, 101),  // within a cycle
       on("GPU-1", devices_ring + "/num_stages=2", 1000),
       on("GPU-2", devices_ring + "/num_stages=2", 1010),  // 1 %
       on("GPU-1", devices_ring + "/num_stages=8", 100),
       on("GPU-2", devices_ring + "/num_stages=8", 98),
       on("GPU-1", devices_ring + "/arrival=thread", 90), failed,
       on("GPU-1", trip + "/semantics=explicit/scope=cluster", 600),
       on("GPU-2", trip + "/semantics=explicit/scope=cluster", 1200), on("GPU-1", trip, 100),
       on("GPU-2", trip, 100), on("GPU-1", "ring/cta_barrier/none/none", 30)});
  results.devices.push_back({"GPU-2", other_name, "580.1", "sm_90", 132, 1, 1});
  return results;
}

TEST(ReportData, IsOfOneDevice) {
  results::Results results = results_of({steady("ring/a", 5)});
  results.devices.push_back({"GPU-2", "NVIDIA B200", "580.1", "sm_100", 148, 1, 1});
  EXPECT_EQ(report_data(test::with_keys(results), "B200")->rows.size(), 0U);
  EXPECT_EQ(report_data(test::with_keys(results), "GPU-1")->rows.size(), 1U);
  EXPECT_EQ(report_data(test::with_keys(results)).error().text(),
            "usage: the results are of 2 devices (device= one of: NVIDIA H200 (GPU-1), NVIDIA B200 "
            "(GPU-2))");
  EXPECT_EQ(report_data(test::with_keys(results), "A100").error().text(),
            "usage: the results hold no device 'A100' (device= one of: NVIDIA H200 (GPU-1), NVIDIA "
            "B200 (GPU-2))");
  EXPECT_EQ(report_data({}).error().text(), "store: the results hold no device");
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
  EXPECT_EQ(cycles[devices_ring], std::vector<double>{100});
  EXPECT_EQ(cycles["ring/named_barrier/none/none"], std::vector<double>{40});
}

// A row of GPU-2 whose code is that of one that both GPUs measured: it has GPU-2's figure, and no
// second figure of the other appears.
TEST(ReportData, WhatASharedCodePointsToIsNoSecondFigure) {
  Results results = of_two("NVIDIA H200");
  const results::PointRow same =
      same_code("handoff/mbarrier/none/none/arrival=thread", on("GPU-2", trip, 100));
  results.points.push_back(same);
  auto cycles = cycles_on_h200(results);
  EXPECT_EQ(cycles[trip], std::vector<double>{100});
  EXPECT_EQ(cycles[same.variant_id].size(), 1U);
}

}  // namespace
}  // namespace phasebit::test
