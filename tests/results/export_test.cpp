#include "core/results/load.h"
#include "core/results/same_code.h"
#include "tests/results/rows.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using results::Results;
using results::to_google_benchmark_json;

namespace {

Results export_some_results() {
  Results results = {{some_device()}, {some_run()}, {}};
  results.points = {some_point("ring/a", 1, {12, 13, 14}),
                    failed_point("ring/b", Step::gate, "expected 1 \"X\", found 2")};
  results.points[1].quality = {};
  results::VariantRow first = some_variant(), second = some_variant("a,b");
  first.id = "ring/a";
  second.id = "ring/b";
  second.named.emplace_back("edit", "x");
  results.variants = {first, second};
  return results;
}

// The slopes are 12, 13, 14: median 13; three rounds reach no interval, the range is there.
TEST(GoogleBenchmarkJson, HasSummariesAndErrors) {
  const auto file = nlohmann::json::parse(to_google_benchmark_json(export_some_results()));
  EXPECT_EQ(file["context"]["devices"][0], "NVIDIA H200 (GPU-1)");
  ASSERT_EQ(file["benchmarks"].size(), 2U);
  const auto& good = file["benchmarks"][0];
  EXPECT_EQ(good["name"], "ring/a");
  EXPECT_EQ(good["repetition_index"], 1);
  EXPECT_EQ(good["iterations"], 3);
  EXPECT_EQ(good["real_time"], 13.0);
  EXPECT_EQ(good["ci_low"], 12.0);
  EXPECT_EQ(good["ci_high"], 14.0);
  EXPECT_EQ(good["time_unit"], "ns");
  EXPECT_EQ(good["label"], "cycles per item");
  const auto& bad = file["benchmarks"][1];
  EXPECT_EQ(bad["error_occurred"], true);
  EXPECT_EQ(bad["error_message"], "expected 1 \"X\", found 2");
  EXPECT_EQ(bad["real_time"], 0);  // as Google Benchmark's own
  EXPECT_EQ(bad["axis.wait"], "a,b");
  EXPECT_EQ(bad["axis.edit"], "x");
  EXPECT_EQ(good["axis.stages"], "4");
  EXPECT_FALSE(good.contains("axis.edit"));
}

// A row of the same code has the figure of the one that was measured, in its repetition; one whose
// other has no figure says so.
TEST(Exports, GiveRowsOfTheSameCodeTheirFigure) {
  Results results = {{some_device()}, {some_run()}, {}};
  for (const int repetition : {0, 1}) {
    results::PointRow same = some_point("ring/b", repetition);
    same.samples.clear();
    same.megahertz = 0;
    same.sass_class = "class ring/a";
    results::set_same_code(same, "ring/a");
    results.points.push_back(same);
  }
  results.points.push_back(some_point("ring/a", 1, {12, 13, 14}));
  const auto rows = nlohmann::json::parse(to_google_benchmark_json(results))["benchmarks"];
  EXPECT_EQ(rows[0]["error_message"], "ring/a, which has the same code, was not measured");
  EXPECT_EQ(rows[1]["real_time"], 13.0);
  EXPECT_EQ(rows[1]["same_code_as"], "ring/a");
  EXPECT_EQ(rows[2]["real_time"], 13.0);
  EXPECT_FALSE(rows[2].contains("same_code_as"));
}

// The late reading equals the cycles, whose slopes are 12, 12, 13; polls are 3 an item.
TEST(Exports, HaveReadingsWithTheirUnitsAndIntervals) {
  const Results results = {{some_device()}, {some_run()}, {some_reading_point("response/a")}};
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
