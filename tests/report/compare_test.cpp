// `phasebit compare`: two files of results with figures known by construction.
#include "join/comparison/compare.h"

#include "core/results/flat.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {
namespace {

using join::comparison::ComparedPair;
using join::comparison::CompareRequest;
using join::comparison::Comparisons;
using results::PointRow;
using results::Results;

constexpr const char* ring = "ring/mbarrier/st_shared/none";

// Under eight conditions: padding 0, 16, ...
std::vector<PointRow> measured_of(const std::string& id, std::vector<std::uint64_t> cycles) {
  if (cycles.size() == 1) cycles.assign(8, cycles.front());
  std::vector<PointRow> rows;
  for (std::size_t n = 0; n < cycles.size(); ++n) {
    rows.push_back(steady(id, cycles[n], static_cast<int>(n)));
    rows.back().conditions.padding = 16 * static_cast<int>(n);
  }
  return rows;
}

// The control repeats the first row: one code differs by nothing.
Results file_of(const std::vector<std::vector<PointRow>>& variants,
                const std::string& run = "run-1") {
  std::vector<PointRow> rows;
  for (const auto& variant : variants) {
    rows.insert(rows.end(), variant.begin(), variant.end());
    if (!variant.front().measured()) continue;
    rows.push_back(variant.front());
    rows.back().aa_control = true;
  }
  for (PointRow& row : rows) row.run_id = run;
  Results results = results_of(std::move(rows));
  results.runs = {some_run(run)};
  return results;
}

class Files {
 public:
  CompareRequest request;
  void add(const Results& results) {
    const fs::path path = folder_.path() / fmt::format("{}.csv.zst", request.results.size());
    const Status written = results::write_flat(path, results);
    EXPECT_TRUE(written) << written.error().text();
    request.results.push_back(path.string());
  }
  Result<Comparisons> compare() const { return join::comparison::compare(request); }
  std::string error() const {
    const auto made = compare();
    return made ? "none" : made.error().text();
  }

 private:
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

Files two(const Results& a, const Results& b) {
  Files files;
  files.add(a);
  files.add(b);
  return files;
}

struct VerdictRow {
  const char* what;
  std::vector<std::uint64_t> a, b;
  const char* shown;
};

// The chance of the last: the differences are 20 (7 times) and -1, their mean 17.375 and standard
// deviation 7.425, so t = 6.62 with 7 degrees: p = 0.0003.
TEST(CompareVerdict, IsThatOfThePairs) {
  for (const VerdictRow& row : {
           VerdictRow{"equal", {100}, {100}, "SAME"},
           VerdictRow{"two cycles more everywhere", {100}, {102}, "SLOWER"},
           VerdictRow{"two cycles less everywhere", {100}, {98}, "FASTER"},
           VerdictRow{"a condition moves both",
                      {100, 100, 200, 100, 100, 100, 100, 100},
                      {103, 103, 203, 103, 103, 103, 103, 103},
                      "SLOWER"},
           VerdictRow{"as many faster as slower",
                      {100},
                      {104, 96, 104, 96, 104, 96, 104, 96},
                      "AMBIGUOUS (floor 4.00)"},
           VerdictRow{"but for one", {106}, {126, 126, 126, 105, 126, 126, 126, 126}, "SLOWER"},
       }) {
    SCOPED_TRACE(row.what);
    const auto made =
        two(file_of({measured_of(ring, row.a)}), file_of({measured_of(ring, row.b)})).compare();
    ASSERT_TRUE(made) << made.error().text();
    ASSERT_EQ(made->pairs.size(), 1);
    EXPECT_EQ(made->pairs.front().shown, row.shown);
  }
}

std::string stages(int n) {
  return fmt::format("{}/num_stages={}", ring, n + 1);
}

// The same pair is a difference alone, and none among 200: 0.0003 x 200 is above 0.05.
TEST(CompareVerdict, IsCorrectedForAllComparisons) {
  std::vector<std::vector<PointRow>> a, b;
  for (int n = 0; n < 199; ++n) a.push_back(measured_of(stages(n), {100}));
  b = a;
  a.push_back(measured_of(stages(199), {106}));
  b.push_back(measured_of(stages(199), {126, 126, 126, 105, 126, 126, 126, 126}));
  const auto made = two(file_of(a), file_of(b)).compare();
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->pairs.size(), 200);
  EXPECT_EQ(made->pairs.front().id, stages(199));
  EXPECT_NEAR(made->pairs.front().p, 0.06, 0.005);
  EXPECT_EQ(made->pairs.front().shown, "AMBIGUOUS (p 0.06)");
}

TEST(Compare, IsWorseBeyondThePercentOrWhereItFailed) {
  const auto slower =
      two(file_of({measured_of(ring, {100})}), file_of({measured_of(ring, {103})})).compare();
  ASSERT_TRUE(slower) << slower.error().text();
  EXPECT_DOUBLE_EQ(slower->pairs.front().percent(), 3);
  EXPECT_TRUE(is_worse(*slower, 2.9));
  EXPECT_FALSE(is_worse(*slower, 3));
  const auto failed = two(file_of({measured_of(ring, {100})}),
                          file_of({{failed_point(ring, Step::launch, "died")}}))
                          .compare();
  ASSERT_TRUE(failed) << failed.error().text();
  EXPECT_EQ(failed->pairs.front().shown, "no figure");
  EXPECT_EQ(failed->pairs.front().reasons, (std::vector<std::string>{"B: launch: died"}));
  EXPECT_TRUE(is_worse(*failed, 1000));
}

TEST(Compare, SaysWhatDiffers) {
  Results b = file_of({measured_of(ring, {110})}, "run-2");
  b.runs.front().ptxas = "12.4.131";
  for (PointRow& row : b.points) {
    row.text_hash = "other text";
    row.sass_class = "other class";
    row.megahertz = 1500.4;
    row.quality.throttled = true;
  }
  const auto made = two(file_of({measured_of(ring, {100})}), b).compare();
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->pairs.front().reasons,
            (std::vector<std::string>{"code text r -> other ", "ptxas 13.5.37 -> 12.4.131",
                                      "clock 1980 -> 1500 MHz", "B: throttled"}));
}

TEST(Compare, OfOneCodeSaysWhatElseDiffers) {
  Results b = file_of({measured_of(ring, {110})}, "run-2");
  b.runs.front().driver = "999.1";
  const auto made = two(file_of({measured_of(ring, {100})}), b).compare();
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->pairs.front().reasons,
            (std::vector<std::string>{"same code", "driver 580.1 -> 999.1"}));
}

// The key leaves out what the sides select with different values.
TEST(Compare, PartsOfOneFile) {
  Files files;
  files.add(
      file_of({measured_of(stages(1), {100}), measured_of(stages(1) + "/wait=test_wait", {90}),
               measured_of(stages(7), {100})}));
  files.request.a = {"wait=try_wait"};
  files.request.b = {"wait=test_wait"};
  const auto made = files.compare();
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->pairs.size(), 1);
  EXPECT_EQ(made->pairs.front().shown, "FASTER");
  EXPECT_EQ(made->pairs.front().id, stages(1));
  EXPECT_EQ(made->alone_a, 1);
  EXPECT_EQ(made->alone_b, 0);
}

TEST(Compare, TwoRunsOfOneFile) {
  Results both = file_of({measured_of(ring, {100})});
  Results later = file_of({measured_of(ring, {120})}, "run-2");
  both.points.insert(both.points.end(), later.points.begin(), later.points.end());
  both.runs.push_back(later.runs.front());
  Files files;
  files.add(both);
  files.request.a = {"run=run-1"};
  files.request.b = {"run=run-2"};
  const auto made = files.compare();
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_DOUBLE_EQ(made->pairs.front().percent(), 20);
}

TEST(CompareError, SaysWhatCannotBeCompared) {
  Files one;
  one.add(file_of({measured_of(stages(1), {100}), measured_of(stages(3), {100})}));
  EXPECT_EQ(one.error(),
            "usage: A and B are the same results (name two, or a part of them for each: --a "
            "device=H100 --b device=H200)");
  one.request.a = {"wait"};
  EXPECT_EQ(one.error(), "usage: 'wait' is not AXIS=VALUE");
  one.request.a = {"wiat=try_wait"};
  EXPECT_EQ(one.error(), "usage: A: no row has the axis 'wiat' (did you mean 'wait'?)");
  one.request.a = {"num_stages=2", "num_stages=4"};
  EXPECT_EQ(one.error(), "usage: num_stages: twice (num_stages=ONE|OTHER accepts both)");
  one.request.a = {"device=H300"};
  EXPECT_EQ(one.error(), "usage: A: no row has device=H300 (one of: NVIDIA H200)");
  const Files apart = two(file_of({measured_of(std::string(ring) + "/wait=test_wait", {100})}),
                          file_of({measured_of(std::string(ring) + "/wait=sleep", {100})}));
  EXPECT_EQ(apart.error(),
            "usage: no point in common; of the nearest wait is test_wait in A and sleep in B "
            "(to pair them: --a AXIS=VALUE --b AXIS=VALUE)");
}

TEST(CompareError, NamesTheModelsOfASide) {
  Results a = file_of({measured_of(ring, {100})});
  a.devices.push_back(some_device("GPU-2"));
  a.devices.back().name = "NVIDIA H100";
  std::vector<PointRow> rows = a.points;
  for (PointRow& row : rows) row.device_uuid = "GPU-2";
  a.points.insert(a.points.end(), rows.begin(), rows.end());
  EXPECT_EQ(two(a, file_of({measured_of(ring, {100})})).error(),
            "usage: A is of 2 GPU models: NVIDIA H100, NVIDIA H200 (--a device=NAME selects one)");
}

TEST(CompareJson, HasARepetitionForEachConditionOfBothSides) {
  const auto made =
      two(file_of({measured_of(ring, {100})}), file_of({measured_of(ring, {103})})).compare();
  ASSERT_TRUE(made) << made.error().text();
  const auto file = nlohmann::json::parse(comparison_json(*made));
  ASSERT_EQ(file["benchmarks"].size(), 16);
  EXPECT_EQ(file["benchmarks"][0]["name"], std::string("A/") + ring);
  EXPECT_EQ(file["benchmarks"][15]["name"], std::string("B/") + ring);
  EXPECT_EQ(file["benchmarks"][15]["real_time"], 103);
  const auto& pair = file["comparisons"][0];
  EXPECT_EQ(pair["verdict"], "SLOWER");
  EXPECT_EQ(pair["difference"], 3);
  EXPECT_EQ(pair["percent"], 3);
}

}  // namespace
}  // namespace phasebit::test
