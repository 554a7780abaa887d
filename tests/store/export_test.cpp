#include "core/store/export.h"

#include "core/record/same_code.h"
#include "tests/store/rows.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using record::Results;
using store::to_csv;
using store::to_google_benchmark_json;

namespace {

Results some_results() {
  Results results = {{some_device()}, {some_run()}, {}};
  results.points = {some_point("ring/a", 1, {12, 13, 14}),
                    failed_point("ring/b", Step::gate, "expected 1 \"X\", found 2")};
  results.points[1].quality = {};
  record::VariantRow first = some_variant(), second = some_variant("a,b");
  first.id = "ring/a";
  second.id = "ring/b";
  second.named.emplace_back("edit", "x");
  results.variants = {first, second};
  return results;
}

// The slopes are 12, 13, 14: median 13; three rounds reach no interval, the range stands there. The
// worst residual is a cycle an item at 32 items; r2 = 1 - 3840/327680 with the sums of squares
// 2 * (8^2 + 16^2 + 24^2 + 32^2) = 3840 and 13^2 * 3 * 320 + 3840 = 166080.
TEST(Csv, HasARowAPointAndAReasonForEveryMissingFigure) {
  const std::string text = to_csv(some_results());
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(
      lines[0],
      "kind,id,repetition,aa_control,unit,cycles,ci_low,ci_high,slope,intercept_cycles,r2,"
      "worst_residual_cycles,rounds,megahertz,verdict,same_as,start_offset,padding,gap_after,"
      "gap_warps,sms,gpu_sm_mhz,gpu_memory_mhz,gpu_watts,items_only,gate,outputs_verified,"
      "interval_ok,modes,segments,padded,clock_ok,throttled,first_use,error_step,error,sass_class,"
      "sm,first_warp,device,run,ptxas,reading_1,reading_1_unit,reading_1_value,reading_1_ci_low,"
      "reading_1_ci_high,reading_1_interval_ok,reading_1_segments,reading_2,reading_2_unit,"
      "reading_2_value,reading_2_ci_low,reading_2_ci_high,reading_2_interval_ok,"
      "reading_2_segments,axis.probe,axis.protocol,axis.wait,axis.stages,axis.edit");
  EXPECT_EQ(lines[1].rfind("point,ring/a,1,0,cycles per item,13,12,14,13,100,", 0), 0U) << lines[1];
  EXPECT_NE(lines[1].find(",3,1979.9,measured,,0,0,0,0,,,,,0,,1,1,0,,1,1,1,0,,,class ring/a,7,1,"
                          "GPU-1,run-1,13.5.37,,,,,,,,,,,,,,,"
                          "ring,mbarrier,test_wait,4,"),
            std::string::npos)
      << lines[1];
  EXPECT_EQ(lines[2],
            "point,ring/b,0,0,cycles per item,,,,,,,,,0,refused,,0,0,0,0,,,,,,,,,,,,,,,gate,"
            "\"expected 1 \"\"X\"\", found 2\","
            "class ring/b,7,1,GPU-1,run-1,13.5.37,,,,,,,,,,,,,,,ring,mbarrier,\"a,b\",4,x");
}

TEST(GoogleBenchmarkJson, HasSummariesAndErrors) {
  const auto file = nlohmann::json::parse(to_google_benchmark_json(some_results()));
  EXPECT_EQ(file["context"]["devices"][0], "NVIDIA H200 (GPU-1)");
  ASSERT_EQ(file["benchmarks"].size(), 2U);
  const auto& good = file["benchmarks"][0];
  EXPECT_EQ(good["name"], "ring/a");
  EXPECT_EQ(good["repetition_index"], 1);
  EXPECT_EQ(good["iterations"], 3);
  EXPECT_EQ(good["real_time"], 13.0);
  EXPECT_EQ(good["ci_low"], 12.0);
  EXPECT_EQ(good["ci_high"], 14.0);
  EXPECT_EQ(good["time_unit"], "cycles");
  const auto& bad = file["benchmarks"][1];
  EXPECT_EQ(bad["error_occurred"], true);
  EXPECT_EQ(bad["error_message"], "expected 1 \"X\", found 2");
  EXPECT_FALSE(bad.contains("real_time"));
  EXPECT_EQ(bad["axis.wait"], "a,b");
  EXPECT_EQ(bad["axis.edit"], "x");
  EXPECT_EQ(good["axis.stages"], "4");
  EXPECT_FALSE(good.contains("axis.edit"));
}

// A row of the same code has the figure of the one that was measured, in its repetition; one whose
// other has none says so.
TEST(Exports, GiveRowsOfTheSameCodeTheirFigure) {
  Results results = {{some_device()}, {some_run()}, {}};
  for (const int repetition : {0, 1}) {
    record::PointRow same = some_point("ring/b", repetition);
    same.samples.clear();
    same.megahertz = 0;
    same.sass_class = "class ring/a";
    record::set_same_code(same, "ring/a");
    results.points.push_back(same);
  }
  results.points.push_back(some_point("ring/a", 1, {12, 13, 14}));
  const auto rows = nlohmann::json::parse(to_google_benchmark_json(results))["benchmarks"];
  EXPECT_EQ(rows[0]["error_message"], "ring/a, which has the same code, was not measured");
  EXPECT_EQ(rows[1]["real_time"], 13.0);
  EXPECT_EQ(rows[1]["same_code_as"], "ring/a");
  EXPECT_EQ(rows[2]["real_time"], 13.0);
  EXPECT_FALSE(rows[2].contains("same_code_as"));
  const std::string text = to_csv(results);
  EXPECT_NE(text.find("point,ring/b,1,0,cycles per item,13,12,14,13,100,"), std::string::npos);
  EXPECT_NE(text.find("point,ring/b,0,0,cycles per item,,,,,,,,,0,same_code,ring/a,0,"),
            std::string::npos);
}

// The late reading equals the cycles, whose slopes are 12, 12, 13; polls are 3 an item.
TEST(Exports, HaveReadingsWithTheirUnitsAndIntervals) {
  Results results = {{some_device()}, {some_run()}, {some_reading_point("response/a")}};
  results.points[0].quality.too_wide = {"late"};
  results.points[0].quality.bends = {{"late", {9, 12.5}}};
  const std::string text = to_csv(results);
  EXPECT_NE(
      text.find(
          ",13.5.37,polls,polls per item,3,3,3,1,,late,cycles per item,12,12,13,0,9.00 12.50\n"),
      std::string::npos)
      << text;
  const auto file = nlohmann::json::parse(to_google_benchmark_json(results));
  const auto& entry = file["benchmarks"][0];
  EXPECT_EQ(entry["polls"], 3.0);
  EXPECT_EQ(entry["polls_unit"], "polls per item");
  EXPECT_EQ(entry["late"], 12.0);
  EXPECT_EQ(entry["late_ci_low"], 12.0);
  EXPECT_EQ(entry["late_ci_high"], 13.0);
}

}  // namespace
}  // namespace phasebit::test
