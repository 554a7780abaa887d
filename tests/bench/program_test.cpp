// The whole program with the fake device: rows, flags, resuming.
#include "tests/bench/program.h"

#include "bench/campaign/anchors.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {

using base::ProcessOutput;
using results::PointKind;

namespace {

TEST(ProgramTest, MeasuresEveryVariantSevenTimesWithItsControl) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.add(ring_variant("b"));
  program.bundle.kernel("a_t") = {{"cycles", 40}};
  program.bundle.kernel("b_t") = {{"cycles", 55.5}};
  const ProcessOutput output = program.run({});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 22U);  // 2 variants, 10 repetitions, one of them with its A/A control
  for (const results::PointRow& row : rows) {
    ASSERT_FALSE(row.error) << row.error->message;
    const results::Summary summary = results::summarise(row.samples).value();
    EXPECT_NEAR(summary.cycles, row.variant_id == "ring/a" ? 40 : 55.5, 0.01);
    EXPECT_NEAR(row.megahertz, 1500, 5);  // the fake's clock
  }
  EXPECT_EQ(program.rows(PointKind::anchor).size(), 15U);
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

// Of two repetitions the first has them; a run over a store without them measures that one again.
TEST(ProgramTest, CountersAreInTheRowOfTheFirstRepetition) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.add(ring_variant("b"));
  const std::vector<std::string> twice = {"--benchmark_repetitions=2", "--no-aa"};
  EXPECT_EQ(program.run(twice).exit_status, 0);
  EXPECT_EQ(program.rows(PointKind::point).size(), 4U);
  const std::vector<std::string> counting = {"--benchmark_repetitions=2", "--no-aa", "--counters"};
  const ProcessOutput output = program.run(counting);
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_EQ(occurrences(output.err, "counters that Fake does not have"), 1U) << output.err;
  auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t n = 0; n < rows.size(); ++n) EXPECT_EQ(rows[n].counters.empty(), n < 4) << n;
  EXPECT_EQ(rows[4].repetition + rows[5].repetition, 0);
  EXPECT_EQ(rows[4].counters[0], (results::Counter{"launches", 3}));
  program.run(counting);
  EXPECT_EQ(program.rows(PointKind::point).size(), 6U);  // nothing is missing
}

TEST(ProgramTest, WhyThereAreNoCountersIsSaidOnceAndInEachRow) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.add(ring_variant("b"));
  program.bundle.device()["no_counters"] = "there is no CUPTI here";
  const ProcessOutput output = program.run(once_with({"--counters"}));
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_EQ(occurrences(output.err, "no counters: device: there is no CUPTI here (a hint)"), 1U)
      << output.err;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 2U);
  for (const results::PointRow& row : rows) {
    EXPECT_FALSE(row.error);
    EXPECT_EQ(row.quality.no_counters.text(), "there is no CUPTI here");
  }
  program.run(once_with({"--counters"}));
  EXPECT_EQ(program.rows(PointKind::point).size(), 2U);  // it would not be otherwise
}

TEST(ProgramTest, WhatTheGateRefusedIsARowAndNeverANumber) {
  Program program;
  program.bundle.add(ring_variant("a")).images[0].gate = {launch::GateVerdict::failed,
                                                          "wait: expected 1 of BAR.SYNC*, found 2"};
  program.bundle.add(ring_variant("b")).images[0].gate = {launch::GateVerdict::ungated,
                                                          "no rules for x"};
  program.bundle.add(ring_variant("c"));
  EXPECT_EQ(program.run(once).exit_status, 0);
  const auto rows = program.rows(PointKind::point);
  EXPECT_EQ(error_of(rows, "ring/a"),
            "gate: the SASS is not the intended one: wait: expected 1 of BAR.SYNC*, found 2");
  EXPECT_EQ(error_of(rows, "ring/b"), "gate: not gated: no rules for x");
  EXPECT_EQ(error_of(rows, "ring/c"), "");
  EXPECT_EQ(program.run(once).exit_status, 0);
  EXPECT_EQ(program.rows(PointKind::point).size(), 3U);  // the same refusal is not written again
}

TEST(ProgramTest, EqualCodeIsMeasuredOnceAndEveryVariantHasARow) {
  Program program;
  program.bundle.add(ring_variant("a"));
  launch::BundleVariant twin = ring_variant("b");
  twin.images[0].sass_class = "class a_t";
  twin.images[0].text_hash = "text a_t";
  program.bundle.add(twin);
  const ProcessOutput output =
      program.run({"--benchmark_repetitions=1", "--benchmark_enable_random_interleaving=false"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(row_of(rows, "ring/a")->samples.empty());
  EXPECT_TRUE(rows[1].samples.empty());
  EXPECT_EQ(rows[1].verdict, results::Verdict::same_code);
  EXPECT_EQ(rows[1].same_as, "ring/a");
  EXPECT_EQ(rows[2].variant_id, "ring/b");  // the control is the second member
  EXPECT_TRUE(rows[2].aa_control);
  EXPECT_FALSE(rows[2].samples.empty());
  EXPECT_TRUE(contains(output.out, "same code as ring/a")) << output.out;
  EXPECT_TRUE(contains(output.err, "A/A over 1 pairs: median difference 0.000 cycles"))
      << output.err;
}

// Two kernels of one class whose figures differ: the class is wrong, in every run.
TEST(ProgramTest, AControlThatDiffersRefutesItsClass) {
  Program program;
  for (const char* name : {"a", "b", "c"}) {
    launch::Image& timed = program.bundle.add(ring_variant(name)).images[0];
    timed.sass_class = "class a_t";
    timed.text_hash = "text a_t";
  }
  program.bundle.kernel("a_t") = {{"cycles", 40}};
  program.bundle.kernel("b_t") = {{"cycles", 40000}};
  program.bundle.kernel("c_t") = {{"cycles", 40}};
  program.bundle.add(ring_variant("d"));
  for (int run = 0; run < 2; ++run) {
    const ProcessOutput output = program.run({"--benchmark_repetitions=3"});
    EXPECT_TRUE(contains(output.err,
                         "its class is none, two members that have one code differ: "
                         "ring/a 40.00, 40.00, 40.00; ring/b 40000.00, 40000.00, "
                         "40000.00"))
        << output.err;
    EXPECT_FALSE(contains(output.out, "same code as ring/a")) << output.out;
    const auto rows = program.rows(PointKind::point);
    for (const char* id : {"ring/a", "ring/b", "ring/c"}) {
      const auto wrong = std::count_if(rows.begin(), rows.end(), [&](const auto& row) {
        return row.variant_id == id && row.verdict == results::Verdict::wrong;
      });
      EXPECT_EQ(wrong, run + 1) << id;
    }
    EXPECT_EQ(row_of(rows, "ring/d")->verdict, results::Verdict::measured);
  }
}

results::Summary summary_of(double cycles, double half_width) {
  results::Summary summary;
  summary.cycles = cycles;
  summary.interval.interval = {cycles - half_width, cycles + half_width};
  return summary;
}

TEST(ClassControl, IsApartByMoreThanTheFloor) {
  using bench::campaign::are_apart;
  const auto all = [](const std::vector<double>& cycles, double half = 0) {
    std::vector<results::Summary> summaries;
    for (const double one : cycles) summaries.push_back(summary_of(one, half));
    return summaries;
  };
  EXPECT_TRUE(are_apart(all({160.86}), all({1464594})));
  EXPECT_TRUE(are_apart(all({40, 40}), all({40.6, 40.6})));
  EXPECT_FALSE(are_apart(all({40, 40}), all({40.5, 40.5})));  // half a cycle
  EXPECT_FALSE(are_apart(all({1000}), all({1004})));          // 0.5 %
  EXPECT_FALSE(are_apart(all({40}, 1), all({41.9})));         // the interval
  EXPECT_FALSE(are_apart(all({40, 44}), all({47, 47})));      // its own scatter
  EXPECT_TRUE(are_apart(all({40, 44}), all({49, 49})));
}

TEST(ProgramTest, FinishedPointsAreNotMeasuredAgainUnlessFresh) {
  Program program;
  program.bundle.add(ring_variant("a"));
  EXPECT_EQ(program.run(once).exit_status, 0);
  const ProcessOutput again = program.run(once);
  EXPECT_TRUE(contains(again.err, "0 points measured")) << again.err;
  EXPECT_TRUE(contains(again.err, "1 from the store")) << again.err;
  EXPECT_TRUE(contains(again.out, "from the store")) << again.out;
  EXPECT_EQ(program.rows(PointKind::point).size(), 1U);
  EXPECT_EQ(program.run(once_with({"--fresh"})).exit_status, 0);
  EXPECT_EQ(program.rows(PointKind::point).size(), 2U);
}

TEST(ProgramTest, GoogleBenchmarksFlagsWork) {
  Program program;
  for (const char* name : {"a", "b"}) program.bundle.add(ring_variant(name));
  const std::string file = program.bundle.file("out.json").string();
  const ProcessOutput output = program.run(
      {"--benchmark_filter=ring/b", "--benchmark_repetitions=2", "--benchmark_out=" + file,
       "--benchmark_out_format=json", "--benchmark_min_time=1", "--no-aa"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_TRUE(contains(output.err, "--benchmark_min_time=1 has no effect")) << output.err;
  EXPECT_EQ(program.rows(PointKind::point).size(), 2U);
  const auto json = nlohmann::json::parse(base::read_file(file).value());
  EXPECT_EQ(json["context"]["gpu"], "Fake GPU");
  int runs = 0;
  for (const auto& run : json["benchmarks"]) {
    if (run["run_type"] != "iteration") continue;
    ++runs;
    EXPECT_EQ(run["run_name"], "ring/b/iterations:1/manual_time");
    EXPECT_NEAR(run["cycles_per_item"], 40, 0.01);
    EXPECT_NEAR(run["real_time"], 40 / 1.5, 0.2);  // ns at 1500 MHz
    EXPECT_NEAR(run["MHz"], 1500, 5);
    EXPECT_GT(run["items_per_launch"], 1000);
    EXPECT_TRUE(run.contains("ci_half_width"));
  }
  EXPECT_EQ(runs, 2);
}

TEST(ProgramTest, AClusterThatTheDeviceRefusesIsARowAndTheSweepGoesOn) {
  Program program;
  program.bundle.device() = {{"max_cluster", 8}};
  program.bundle.add(ring_variant("a")).launch.cluster_size = 16;
  program.bundle.add(ring_variant("b")).launch.cluster_size = 8;
  const ProcessOutput output = program.run(once);
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const auto rows = program.rows(PointKind::point);
  EXPECT_EQ(error_of(rows, "ring/a"),
            "device: a cluster of 16 CTAs: Fake GPU takes at most 8 with this kernel");
  EXPECT_EQ(error_of(rows, "ring/b"), "");
}

TEST(ProgramTest, ReadingsAreInTheRowAndInTheCounters) {
  Program program;
  program.bundle.add(ring_variant("a")).launch.readings = {
      {"polls", "polls per item", launch::Role::consumer, 0}};
  program.bundle.kernel("a_t") = {{"readings", {2.5}}};
  const std::string file = program.bundle.file("out.json").string();
  const ProcessOutput output =
      program.run(once_with({"--benchmark_out=" + file, "--benchmark_out_format=json"}));
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].readings, (std::vector<results::ReadingName>{{"polls", "polls per item"}}));
  EXPECT_NEAR(results::summarise(rows[0].samples).value().readings.at(0).value, 2.5, 0.01);
  const auto json = nlohmann::json::parse(base::read_file(file).value());
  EXPECT_NEAR(json["benchmarks"][0]["polls"], 2.5, 0.01);
  EXPECT_TRUE(json["benchmarks"][0].contains("polls_ci_half_width"));
}

TEST(ProgramTest, AFilterThatMatchesNothingIsAUsageError) {
  Program program;
  program.bundle.add(ring_variant("a"));
  const ProcessOutput output = program.run({"--benchmark_filter=nothing"});
  EXPECT_EQ(output.exit_status, 2);
  EXPECT_TRUE(contains(output.err,
                       "phasebit-bench: usage: no variant of the bundle matches "
                       "--benchmark_filter=nothing (--benchmark_list_tests lists them)\n"))
      << output.err;
}

TEST(ProgramTest, AModesPassNamesWhatSeparatesThem) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.kernel("a_t") = {{"cycles", 40}, {"by_first_warp", {0, 5, 0, 5}}};
  const ProcessOutput output = program.run({"--modes", "--processes", "2"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_EQ(output.out,
            "ring/a: 2 modes: 40.00 cycles in 16 of 32 places, 45.00 cycles in 16 of 32 places; "
            "separated by first_warp (0, 2 | 1, 3)\n");
  const auto rows = program.rows(PointKind::modes);
  ASSERT_EQ(rows.size(), 32U);
  EXPECT_EQ(rows[31].repetition, 1);
  EXPECT_EQ(rows[31].conditions, (results::Conditions{{3, 3}}));
}

TEST(ProgramTest, ADryRunTouchesNothing) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.device()["error"] = "must not be asked";
  const ProcessOutput output = program.run({"--dry-run"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_TRUE(contains(output.out, "1 variants, 10 repetitions\n")) << output.out;
  EXPECT_TRUE(contains(output.out, "11 points to measure")) << output.out;
  EXPECT_FALSE(fs::exists(program.bundle.file("store.sqlite")));
}

// A figure that nothing verifies would be stored as one that was verified.
TEST(ProgramTest, AManifestThatWasChangedIsNotMeasured) {
  Program program;
  launch::BundleVariant variant = ring_variant("a");
  variant.launch.phases_checked = 4;
  program.bundle.add(variant);
  const fs::path folder = program.bundle.write();
  std::string text = base::read_file(folder / "manifest.json").value();
  const std::string checked = "\"phases_checked\": 4";
  const std::size_t at = text.find(checked);
  ASSERT_NE(at, std::string::npos);
  text[at + checked.size() - 1] = '0';
  ASSERT_TRUE(base::write_file(folder / "manifest.json", text));
  for (const char* flag : {"--dry-run", "--no-aa"}) {
    const auto output =
        base::run_process({FAKE_BENCH, "--bundle", folder.string(), "--store",
                           program.bundle.file("store.sqlite").string(), std::string(flag)});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->exit_status, base::exit_code(base::Step::bundle)) << output->out;
    EXPECT_TRUE(contains(output->err, "manifest.json: ring/a: changed since it was packed"))
        << output->err;
  }
  EXPECT_FALSE(fs::exists(program.bundle.file("store.sqlite")));
}

// Timed from outside: there is a duration, and no clock of an SM.
TEST(ProgramTest, AStrangersKernelHasNoMegahertz) {
  Program program;
  launch::BundleVariant variant = stranger_variant("a");
  launch::ExternalLaunch external;
  external.parameter_bytes = 4;
  external.starts = {0};
  external.parameters = {{"n", launch::ExternalParameter::Kind::items, 0, 4, 0, {}}};
  variant.external = external;
  program.bundle.add(variant);
  program.bundle.kernel("a_t") = {{"cycles", 40}, {"intercept", 3000}};
  const ProcessOutput output = program.run(once);
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_FALSE(contains(output.out, "MHz")) << output.out;
  EXPECT_TRUE(contains(output.out, "40.0 ns")) << output.out;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].megahertz, 0);
  EXPECT_EQ(results::words_of(rows[0].quality),
            (std::vector<std::string>{"gate_none", "outputs_not_verified"}));
}

// It runs, and nothing of it is stored; one that fails is a row as any other.
TEST(ProgramTest, AKernelWithoutAFigureLeavesNoRow) {
  Program program;
  launch::BundleVariant variant = stranger_variant("a");
  variant.external = launch::ExternalLaunch();
  variant.external->no_figure = true;
  program.bundle.add(variant);
  const ProcessOutput ended = program.run(once);
  EXPECT_EQ(ended.exit_status, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "it ended; no figure was asked for")) << ended.out;
  EXPECT_TRUE(contains(ended.err, "1 points measured")) << ended.err;
  EXPECT_TRUE(program.rows(PointKind::point).empty());
  program.bundle.kernel("a_t") = {{"launch_error", true}};
  const ProcessOutput failed = program.run(once);
  EXPECT_EQ(failed.exit_status, base::exit_code(Step::launch)) << failed.err;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].error->step, Step::launch);
}

}  // namespace
}  // namespace phasebit::test
