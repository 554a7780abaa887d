// One point on the fake device: what each fault is called, and when measuring stops.
#include "bench/point/meter.h"

#include "tests/bench/one_point.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::point::Phase;
using launch::LaunchShape;
using launch::Role;

namespace {

struct FaultRow {
  const char* entry;  // which build goes wrong
  const char* fault;
  int at;
  const char* error;
};

const FaultRow fault_rows[] = {
    {"a_g", "report", 0,
     "guard: guarded build, 1 items: deadlock: warp 1 lane 0 waits on full_barrier[2] parity 1 at "
     "templates/protocols/mbarrier/wait.ptx:5 (consumer wait, cta 0)"},
    {"a_g", "crumbs", 0,
     "launch: guarded build, 1 items: did not end within 5000 ms; cta 0 warp 1 at "
     "templates/movers/cp_async/drain.ptx:3 (cp.async.wait_group, consumer drain)"},
    {"a_g", "wrong_items", 0,
     "verify: guarded build, 1 items: warp 0 of cta 0 (producer) handled 0 items, expected 1 of 1"},
    {"a_t", "wrong_items", 32,
     "verify: warp 1 of cta 0 (consumer) handled 0 items, expected 1 of 1"},
    {"a_t", "no_record", 32, "verify: warp 1 of cta 0 (consumer) left no record after 1 items"},
    {"a_t", "wrong_role", 0,
     "verify: warp 0 of cta 0 (producer) left a record of role 3, expected 1"},
    {"a_t", "wrong_phase", 32,
     "verify: warp 1 of cta 0 (consumer) found 1 of 4 barriers in the wrong phase after 1 items"},
    {"a_t", "fewer_checked", 0, "verify: cta 0 read back 3 of 4 barriers after 1 items"},
    {"a_g", "fewer_checked", 0,
     "verify: guarded build, 1 items: cta 0 read back 3 of 4 barriers after 1 items"},
    {"a_t", "other_sm", 32, "verify: warp 1 of cta 0 (consumer) ran on SM 1, expected 0"},
    {"a_t", "bad_status", 0, "guard: unknown status code 9"},
    {"a_t", "no_ticket", 0,
     "device: 0 of 1 CTAs came to run on SM 0, in 5 attempts (SM numbers go from 0 to 3; another "
     "process may hold this one: try --sm)"},
};

TEST(MeterTest, EveryFaultIsNamedWithItsPlace) {
  for (const FaultRow& row : fault_rows) {
    Bench bench;
    bench.bundle.kernel(row.entry) = {{"fault", row.fault}, {"at", row.at}};
    const auto measured = bench.measure();
    ASSERT_FALSE(measured) << row.fault;
    EXPECT_EQ(measured.error().text(), row.error) << row.entry << ' ' << row.fault;
  }
}

TEST(MeterTest, ARowWhoseItemsAloneAreVerifiedSaysSo) {
  Bench bench;
  bench.variant.launch.payload = {};
  EXPECT_EQ(bench.measure().value().quality, results::Quality());  // its barriers are read back
  bench.variant.launch.phases_checked = 0;
  EXPECT_EQ(results::words_of(bench.measure().value().quality),
            (std::vector<std::string>{"items_only"}));
}

// One word a thread: after one item the checksum of thread r is the word r = seed + r.
TEST(MeterTest, AWrongWordIsNamedWithBothFolds) {
  Bench bench;
  bench.variant.launch.payload = {32, 32, 1};
  bench.bundle.kernel("a_g") = {{"fault", "wrong_checksum"}, {"at", 37}};
  const auto measured = bench.measure();
  ASSERT_FALSE(measured);
  EXPECT_EQ(
      measured.error().text(),
      "verify: guarded build, 1 items: warp 1 of cta 0 (consumer), thread 37: payload checksum "
      "0x00000053 after 1 items, expected 0x00000052");  // 77 + 5 = 0x52
}

TEST(MeterTest, AThreadThatFoldedNothingIsNamed) {
  Bench bench;
  bench.variant.launch.payload = {32, 32, 1};
  bench.bundle.kernel("a_g") = {{"fault", "no_checksum"}, {"at", 33}};
  const auto measured = bench.measure();
  ASSERT_FALSE(measured);
  EXPECT_EQ(
      measured.error().text(),
      "verify: guarded build, 1 items: warp 1 of cta 0 (consumer), thread 33: no payload checksum "
      "after 1 items, expected 0x0000004e");  // 77 + 1
}

TEST(MeterTest, RolesThatTakeTurnsAreCountedApart) {
  Bench bench;
  LaunchShape& shape = bench.variant.launch;
  shape.threads = 96;
  shape.consumer_turns = 2;
  shape.slices = {{0, 0, 1, Role::producer, 0, 0},
                  {1, 0, 1, Role::consumer, 0, 0},
                  {2, 0, 1, Role::consumer, 1, 0}};
  shape.payload = {64, 32, 1};
  const auto measured = bench.measure();
  EXPECT_TRUE(measured) << measured.error().text();
}

TEST(MeterTest, TwoCtasAndSplitWarpsAreVerified) {
  Bench bench;
  LaunchShape& shape = bench.variant.launch;
  shape.threads = 32;
  shape.ctas_per_sm = 2;
  shape.slices = {{0, 0, 2, Role::producer, 0, 0}, {0, 1, 2, Role::consumer, 0, 0}};
  shape.payload = {64, 16, 4};
  const auto measured = bench.measure();
  EXPECT_TRUE(measured) << measured.error().text();
}

TEST(MeterTest, GuardedComesFirstAndOncePerImage) {
  Bench bench;
  bench.bundle.add(bench.variant);
  const fs::path folder = bench.bundle.write();
  auto device = open_fake_device({0, false, folder}).value();
  bench::point::Meter meter(*device, folder);
  bench.request.variant = &bench.variant;
  std::vector<Phase> phases;
  const auto report = [&](Phase phase) { phases.push_back(phase); };
  EXPECT_TRUE(meter.measure(bench.request, report));
  EXPECT_EQ(phases, (std::vector{Phase::loading, Phase::guarded, Phase::timed}));
}

TEST(MeterTest, AVariantWithoutAGuardedBuildIsNotMeasured) {
  Bench bench;
  bench.variant.images.pop_back();
  EXPECT_EQ(bench.measure().error().text(),
            "guard: the bundle holds no guarded build of ring/a (pack it again)");
}

TEST(MeterTest, AQuietPointStopsAfterOneBatch) {
  Bench bench;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->samples.size(), 4U * bench::point::min_rounds);
  EXPECT_EQ(measured->quality, results::Quality());
  EXPECT_NEAR(measured->megahertz, 1500, 5);
}

TEST(MeterTest, ANoisyPointGoesOnToItsCapAndSaysSo) {
  Bench bench;
  bench.bundle.kernel("a_t") = {{"cycles", 40}, {"noise", 20000}};
  bench.request.max_rounds = 40;
  bench.request.max_seconds = 60;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->samples.size(), 4U * 40);
  EXPECT_EQ(measured->quality.too_wide, std::vector<std::string>{""});
}

TEST(MeterTest, AShortSpanLeavesTheClockUnresolved) {
  Bench bench;
  bench.request.timer_tick_ns = 1e7;  // a tick of 10 ms, launches of a millisecond in all
  const auto measured = bench.measure();
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->megahertz, 0);
  EXPECT_EQ(results::words_of(measured->quality), (std::vector<std::string>{"clock_unresolved"}));
}

TEST(MeterTest, AThrottledGpuIsFlagged) {
  Bench bench;
  bench.bundle.kernel("a_t") = {{"throttled", true}};
  EXPECT_EQ(results::words_of(bench.measure().value().quality),
            (std::vector<std::string>{"throttled"}));
}

// The samples are those of a point without counters. The counted launch has the items of the
// longest one that was timed, once for each pass.
TEST(MeterTest, CountersAreOfOneMoreLaunchAfterTheTimedOnes) {
  Bench plain;
  const auto timed = plain.measure();
  ASSERT_TRUE(timed);
  EXPECT_TRUE(timed->counters.empty());
  Bench bench;
  bench.request.counters = true;
  bench.bundle.device()["passes"] = 7;
  const auto measured = bench.measure();
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->samples, timed->samples);
  EXPECT_EQ(measured->quality, results::Quality());
  const std::vector<results::Counter> counted = {
      {"launches", 7}, {"items", 1.0 * measured->samples.back().items}, {"all_sms", 0}};
  EXPECT_EQ(measured->counters, counted);
  EXPECT_EQ(measured->notes,
            (std::vector<std::string>{"counters that Fake does not have: stall_gmma_cycles"}));
}

TEST(MeterTest, WithoutCountersThePointIsMeasuredAndSaysWhy) {
  Bench bench;
  bench.request.counters = true;
  bench.bundle.device()["no_counters"] = "cuptiX: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
  const auto measured = bench.measure();
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->samples.size(), 4U * bench::point::min_rounds);
  EXPECT_TRUE(measured->counters.empty());
  EXPECT_EQ(measured->quality.no_counters.text(), "cuptiX: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
  EXPECT_EQ(results::words_of(measured->quality), (std::vector<std::string>{"no_counters"}));
  EXPECT_EQ(measured->notes,
            (std::vector<std::string>{"no counters: device: cuptiX: "
                                      "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (a hint)"}));
}

// A launch that is counted is verified as one that is timed: what is wrong once is wrong.
TEST(MeterTest, AWrongLaunchThatIsCountedIsAnErrorOfThePoint) {
  Bench bench;
  bench.request.counters = true;
  bench.bundle.device()["counted_fault"] = "wrong_items";
  const auto measured = bench.measure();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().step, Step::verify);
}

TEST(MeterTest, TooManyThreadsForAShiftIsSaid) {
  Bench bench;
  bench.variant.launch.threads = 1024;
  bench.request.placement.first_warp = 1;
  EXPECT_EQ(bench.measure().error().text(),
            "device: 1056 threads a CTA with 1 idle warps, Fake GPU has 1024");
}

struct TargetRow {
  const char* bundle;
  int sm;
  const char* error;  // "" when it runs
};

constexpr TargetRow target_rows[] = {
    {"sm_90a", 90, ""},
    {"sm_90", 90, ""},
    {"sm_80", 86, ""},
    {"sm_100f", 103, ""},
    {"sm_90a", 100,
     "device: the bundle is for sm_90a, but Fake is sm_100 (pack it for this GPU: `phasebit pack` "
     "with an sm_100 target)"},
    {"sm_86", 80,
     "device: the bundle is for sm_86, but Fake is sm_80 (pack it for this GPU: `phasebit pack` "
     "with an sm_80 target)"},
    {"sm_100a", 103,
     "device: the bundle is for sm_100a, but Fake is sm_103 (pack it for this GPU: `phasebit pack` "
     "with an sm_103 target)"},
};

TEST(TargetTest, CubinsRunOnTheirKindOfGpuAlone) {
  for (const TargetRow& row : target_rows) {
    bench::device::DeviceInfo device;
    device.sm = row.sm;
    device.row.name = "Fake";
    const Status status = bench::device::check_target(row.bundle, device);
    EXPECT_EQ(status ? "" : status.error().text(), row.error) << row.bundle;
  }
}

}  // namespace
}  // namespace phasebit::test
