// A workload on the fake device: its output is compared, and its launches are timed as a whole.
#include "tests/bench/one_point.h"

#include <bit>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::point::Phase;
using launch::BufferFill;
using launch::LaunchShape;

namespace {

// On two SMs, by tiles of 64 elements. The first that the guarded build has are 34 tiles: 17 for
// each CTA.
void make_scale(LaunchShape& shape, std::int64_t elements) {
  const std::uint64_t bytes = 4 * static_cast<std::uint64_t>(elements);
  shape.sms = 2;
  shape.payload = {};
  shape.work_amount = std::bit_cast<std::uint32_t>(0.7F);
  shape.buffers = {{"in", bytes, {BufferFill::Kind::normal, 1}},
                   {"out", bytes, {BufferFill::Kind::word, launch::workload::untouched}}};
  shape.workload = {"scale", "out", elements, 64, -24, -150};
}

TEST(WorkloadMeterTest, SamplesAreWholeLaunches) {
  for (const int elements : {0, 1, 63, 5003}) {
    Bench bench;
    make_scale(bench.variant.launch, elements);
    const auto measured = bench.measure();
    ASSERT_TRUE(measured) << elements << ": " << measured.error().text();
    EXPECT_EQ(bench.phases, (std::vector{Phase::loading, Phase::guarded, Phase::timed}));
    ASSERT_EQ(measured->samples.size(), 30U) << elements;
    for (const results::Sample& sample : measured->samples) {
      EXPECT_EQ(sample.items, 0U);
      EXPECT_EQ(sample.cycles, 300U + 40U * static_cast<unsigned>(elements));
    }
    EXPECT_FALSE(measured->quality.items_only);
  }
}

// 300 samples, and it says so.
TEST(WorkloadMeterTest, ANoisyOneIsLaunchedMoreOften) {
  Bench bench;
  make_scale(bench.variant.launch, 100);
  bench.bundle.kernel("a_t") = {{"noise", 1'000'000}};
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->samples.size(), 300U);
  EXPECT_NE(measured->quality, results::Quality());
}

// What the first wrote is what the second reads, and their durations are one sample.
TEST(WorkloadMeterTest, TwoLaunchesAreTimedTogether) {
  Bench bench;
  make_scale(bench.variant.launch, 5003);
  bench.variant.launch.workload.launches = 2;
  bench.request.counters = true;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  ASSERT_EQ(measured->samples.size(), 30U);
  // Half of twice as many cycles, and of the 4000 between two launches.
  EXPECT_EQ(measured->samples[0].cycles, 300U + 40U * 5003U + 2000U);
  EXPECT_TRUE(measured->counters.empty());
  EXPECT_EQ(measured->quality.no_counters, "two launches are timed together");
  bench.bundle.kernel("a_t") = {{"fault", "wrong_output"}};
  const auto wrong = bench.measure();
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().text().ends_with("'scale' within 2^-148 + 2^-22 of it"))
      << wrong.error().text();
}

// On all SMs that there are: shares are of all of them.
TEST(WorkloadMeterTest, CountersAreOfAWholeLaunch) {
  for (const int multiprocessors : {2, 4}) {
    Bench bench;
    make_scale(bench.variant.launch, 5003);
    bench.request.counters = true;
    bench.bundle.device()["multiprocessors"] = multiprocessors;
    const auto measured = bench.measure();
    ASSERT_TRUE(measured) << measured.error().text();
    const std::vector<results::Counter> counted = {
        {"launches", 3}, {"items", 5003}, {"all_sms", multiprocessors == 2 ? 1.0 : 0.0}};
    EXPECT_EQ(measured->counters, counted);
    EXPECT_EQ(measured->samples.size(), 30U);
  }
}

TEST(WorkloadMeterTest, AWrongOutputThatIsCountedIsAnErrorOfThePoint) {
  Bench bench;
  make_scale(bench.variant.launch, 5003);
  bench.request.counters = true;
  bench.bundle.device()["counted_fault"] = "wrong_output";
  const auto measured = bench.measure();
  ASSERT_FALSE(measured);
  EXPECT_TRUE(measured.error().text().starts_with("verify: 'out' holds "))
      << measured.error().text();
}

TEST(WorkloadMeterTest, EveryFaultIsNamedWithItsPlace) {
  const struct {
    const char *entry, *fault, *begins, *ends;
  } rows[] = {
      {"a_g", "wrong_output", "verify: guarded build, 2176 items: 'out' holds ",
       " by reference 'scale' within 2^-150 + 2^-24 of it"},
      {"a_g", "not_written", "verify: guarded build, 2176 items: 'out': element 2175 of 2176 was ",
       ""},
      {"a_g", "one_too_many", "verify: guarded build, 2176 items: 'out' was written to at 2176, ",
       "after its 2176 elements"},
      {"a_t", "wrong_output", "verify: 'out' holds ", ""},
      {"a_t", "not_written", "verify: 'out': element 5002 of 5003 was not written", ""},
      {"a_t", "wrong_items", "verify: warp 1 of cta 0 (consumer) handled 38 items, expected 39 of",
       " 5003"},
  };
  for (const auto& row : rows) {
    Bench bench;
    make_scale(bench.variant.launch, 5003);
    bench.bundle.kernel(row.entry) = {{"fault", row.fault}, {"at", 32}};
    const auto measured = bench.measure();
    ASSERT_FALSE(measured) << row.fault;
    const std::string text = measured.error().text();
    EXPECT_TRUE(text.starts_with(row.begins)) << text;
    EXPECT_TRUE(text.ends_with(row.ends)) << text;
  }
}

}  // namespace
}  // namespace phasebit::test
