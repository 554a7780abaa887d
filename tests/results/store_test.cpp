#include "core/results/store.h"

#include "tests/results/rows.h"

#include <chrono>
#include <csignal>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phasebit::test {

using base::TempDir;
using results::PointRow;
using results::RunRow;
using results::Store;

namespace {

Store store_with_run(const fs::path& path) {
  Store store = Store::open(path).value();
  EXPECT_TRUE(store.add_device(some_device()));
  EXPECT_TRUE(store.add_run(some_run()));
  return store;
}

// Conditions, state and quality at anything but their defaults.
PointRow moved_point() {
  PointRow point = some_reading_point("response/b");
  point.conditions = {{66, 2}, 7, 208, 1, 3};
  point.sms = {4, 5, 12};
  point.state = {1755, 2619, 640};
  point.counters = {{"stall_wait_cycles", 0.25}, {"dram_read_bytes", 0}};
  results::Quality& quality = point.quality;
  quality.items_only = quality.modes = quality.throttled = quality.first_use = true;
  quality.outputs_verified = quality.padded = quality.clock_ok = false;
  quality.gate = "by_rules_file";
  quality.no_counters = "\"why\"";
  quality.too_wide = {"", "late"};
  quality.bends = {{"", {10, 10.02, 517.5}}, {"polls", {0, 9}}};
  return point;
}

PointRow same_code_point() {
  PointRow point = some_point("ring/d");
  point.samples.clear();
  point.verdict = results::Verdict::same_code;
  point.same_as = "ring/a";
  return point;
}

TEST(Store, GivesBackEveryFieldOfEveryRow) {
  const TempDir folder = TempDir::create().value();
  const fs::path path = folder.path() / "new folder" / "a.sqlite";
  results::Results written;
  written.devices = {some_device()};
  written.runs = {some_run()};
  PointRow odd = some_point("ring/b");
  odd.kind = results::PointKind::modes;
  odd.aa_control = true;
  odd.samples = {{5, 1}, {5, 18446744073709551615ULL}, {4, 0}};  // no rounds
  odd.quality = {};
  PointRow anchor = some_point("anchor/clock_pair");
  anchor.kind = results::PointKind::anchor;
  written.points = {some_point("ring/a"),
                    odd,
                    anchor,
                    some_reading_point("response/a"),
                    moved_point(),
                    same_code_point(),
                    ungated_point("ring/e", "no rule"),
                    failed_point("ring/c", Step::guard, "deadlock: 'quoted' \"text\"\n\xc3\xa9")};
  written.variants = {some_variant(), some_variant("a \"b\"")};
  written.catalogue.axes["wait"] = {"try_wait", "what polls"};
  written.catalogue.protocols["mbarrier"] = {"{wait}", {"wait"}};
  {
    Store store = store_with_run(path);
    for (const PointRow& point : written.points) ASSERT_TRUE(store.add_point(point));
    for (const results::VariantRow& variant : written.variants)
      ASSERT_TRUE(store.add_variant(variant));
    ASSERT_TRUE(store.add_catalogue(written.catalogue));
    for (PointRow& point : written.points) point = with_figures(point);
    EXPECT_EQ(store.results().value(), written);
  }
  EXPECT_EQ(Store::open(path).value().results().value(), written);
}

// Figures alone keep the names of their readings.
TEST(Store, KeepsTheReadingsOfARowWithoutSamples) {
  Store store = store_with_run(":memory:");
  PointRow point = with_figures(some_reading_point("response/a"));
  point.samples.clear();
  ASSERT_TRUE(store.add_point(point));
  EXPECT_EQ(store.points().value(), std::vector{point});
  point.quality.too_wide = {"wake"};
  EXPECT_EQ(store.add_point(point).error().text(),
            "store: response/a: its quality is of a reading 'wake' that it does not have");
}

TEST(Store, KeepsOneKeyOfAVariant) {
  Store store = Store::open_in_memory().value();
  ASSERT_TRUE(store.add_variant(some_variant()));
  ASSERT_TRUE(store.add_variant(some_variant()));
  results::VariantRow other = some_variant();
  other.named.emplace_back("stages", "8");
  EXPECT_EQ(store.add_variant(other).error().text(),
            "store: ring/mbarrier/wait=test_wait is there already with another key");
  EXPECT_EQ(store.variants().value(), std::vector{some_variant()});
}

// A component got an axis since: what is at its default there is what it was. Another default is
// not.
TEST(Store, AKeyMayLackAnAxisThatCameLater) {
  Store store = Store::open_in_memory().value();
  ASSERT_TRUE(store.add_variant(some_variant()));
  results::VariantRow later = some_variant();
  launch::KeyAxes defaults = *later.defaults;
  defaults.emplace_back("clock", "before");
  later.defaults = std::make_shared<const launch::KeyAxes>(defaults);
  EXPECT_TRUE(store.add_variant(later));
  EXPECT_EQ(store.variants().value(), std::vector{some_variant()});
  defaults.front().second += "_other";
  later.defaults = std::make_shared<const launch::KeyAxes>(defaults);
  EXPECT_EQ(store.add_variant(later).error().text(),
            "store: ring/mbarrier/wait=test_wait is there already with another key");
}

TEST(Store, ASampleWithoutItsReadingIsRefused) {
  Store store = store_with_run(":memory:");
  PointRow point = some_reading_point("response/a");
  point.samples[5].readings.pop_back();
  EXPECT_EQ(store.add_point(point).error().message, "response/a: a sample with 1 readings of 2");
}

TEST(Store, KeepsTheFirstRowOfADeviceAndOfARun) {
  Store store = Store::open_in_memory().value();
  results::DeviceRow later = some_device();
  later.driver = "590.0";
  RunRow again = some_run();
  again.command = "other";
  ASSERT_TRUE(store.add_device(some_device()));
  ASSERT_TRUE(store.add_device(later));
  ASSERT_TRUE(store.add_run(some_run()));
  ASSERT_TRUE(store.add_run(again));
  EXPECT_EQ(store.devices().value(), std::vector<results::DeviceRow>{some_device()});
  EXPECT_EQ(store.runs().value(), std::vector<RunRow>{some_run()});
}

TEST(Store, RefusesAPointOfAnUnknownDeviceOrRunAndAClockThatIsNoNumber) {
  Store store = Store::open_in_memory().value();
  EXPECT_EQ(store.add_point(some_point("ring/a")).error().text(),
            "store: the device 'GPU-1' of ring/a was never added");
  ASSERT_TRUE(store.add_device(some_device()));
  EXPECT_EQ(store.add_point(some_point("ring/a")).error().text(),
            "store: the run 'run-1' of ring/a was never added");
  ASSERT_TRUE(store.add_run(some_run()));
  PointRow point = some_point("ring/a");
  point.megahertz = 0.0 / 0.0;
  EXPECT_EQ(store.add_point(point).error().text(), "store: the clock of ring/a is not a number");
  EXPECT_TRUE(store.points().value().empty());
}

TEST(Store, MergingIsIdempotentAndKeepsTheOrder) {
  Store a = store_with_run(":memory:"), b = store_with_run(":memory:");
  RunRow second = some_run("run-2");
  ASSERT_TRUE(b.add_run(second));
  PointRow other = some_point("ring/z");
  other.run_id = "run-2";
  ASSERT_TRUE(a.add_point(some_point("ring/a")));
  for (const PointRow& point : {some_point("ring/a"), some_point("ring/a", 1), other})
    ASSERT_TRUE(b.add_point(point));
  for (int time = 0; time < 2; ++time) {
    const results::MergeCounts counts = a.merge(b.results().value()).value();
    EXPECT_EQ(counts.devices, 0);
    EXPECT_EQ(counts.runs, time == 0 ? 1 : 0);
    EXPECT_EQ(counts.points, time == 0 ? 2 : 0);
    EXPECT_EQ(counts.points_known, time == 0 ? 1 : 3);
  }
  EXPECT_EQ(a.results().value(), b.results().value());
}

TEST(Store, MergingKeepsSeveralTriesOfOnePoint) {
  Store a = store_with_run(":memory:"), b = store_with_run(":memory:");
  for (const PointRow& point :
       {failed_point("ring/a", Step::launch, "killed"),
        failed_point("ring/a", Step::launch, "killed"), some_point("ring/a")})
    ASSERT_TRUE(b.add_point(point));
  EXPECT_EQ(a.merge(b.results().value())->points, 3);
  EXPECT_EQ(a.merge(b.results().value())->points_known, 3);
  EXPECT_EQ(a.results().value(), b.results().value());
}

TEST(Store, MergingAContradictionAddsNothing) {
  Store a = store_with_run(":memory:"), b = store_with_run(":memory:");
  ASSERT_TRUE(a.add_point(some_point("ring/a")));
  ASSERT_TRUE(b.add_point(some_point("ring/new")));
  ASSERT_TRUE(b.add_point(some_point("ring/a", 0, {99})));
  EXPECT_EQ(a.merge(b.results().value()).error().text(),
            "store: ring/a (run run-1, repetition 0) is there already with another result");
  EXPECT_EQ(a.points()->size(), 1U);
  results::Results changed_run = {{}, {some_run()}, {}};
  changed_run.runs[0].order_seed = 5;
  EXPECT_EQ(a.merge(changed_run).error().text(),
            "store: run run-1 is there already with another command or setting");
}

// The views are for people with sqlite3; the slopes are those of rounds_of().
TEST(Store, TheSummaryViewCountsPointsErrorsAndSlopes) {
  const TempDir folder = TempDir::create().value();
  const fs::path path = folder.path() / "a.sqlite";
  {
    Store store = store_with_run(path);
    ASSERT_TRUE(store.add_point(some_point("ring/a", 0, {12, 14})));
    ASSERT_TRUE(store.add_point(some_point("ring/a", 1, {16})));
    ASSERT_TRUE(store.add_point(failed_point("ring/a", Step::launch, "killed", 2)));
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  std::string row;
  const auto collect = [](void* out, int columns, char** values, char**) {
    for (int i = 0; i < columns; ++i)
      *static_cast<std::string*>(out) += std::string(values[i]) + "|";
    return 0;
  };
  EXPECT_EQ(
      sqlite3_exec(database, "SELECT variant, points, errors, min_slope, max_slope FROM summary",
                   collect, &row, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(row, "ring/a|3|1|13.0|16.0|");
}

// A child adds points and says so; it is killed in the middle. What it said is there.
TEST(Store, KeepsWhatWasFinishedWhenTheWriterIsKilled) {
  const TempDir folder = TempDir::create().value();
  const fs::path path = folder.path() / "a.sqlite";
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Store store = store_with_run(path);
    for (int i = 0;; ++i) {
      if (!store.add_point(some_point("ring/a", i))) ::_exit(1);
      if (::write(pipe_ends[1], "x", 1) != 1) ::_exit(2);
    }
  }
  ::close(pipe_ends[1]);
  char byte = 0;
  int said = 0;
  while (said < 150 && ::read(pipe_ends[0], &byte, 1) == 1) ++said;
  ::kill(child, SIGKILL);
  while (::read(pipe_ends[0], &byte, 1) == 1) ++said;  // what it said until it died
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ::close(pipe_ends[0]);
  const auto points = Store::open(path).value().points().value();
  ASSERT_GE(points.size(), static_cast<size_t>(said));
  ASSERT_LE(points.size(), static_cast<size_t>(said) + 1);
  for (size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(points[i], with_figures(some_point("ring/a", static_cast<int>(i))));
}

}  // namespace
}  // namespace phasebit::test
