// The whole program with the fake device: hangs, dead workers, signals, GPUs that cannot be used.
#include "tests/bench/program.h"

#include <chrono>
#include <map>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

namespace phasebit::test {

using base::exit_code;
using base::ProcessOutput;
using results::PointKind;

namespace {

using Clock = std::chrono::steady_clock;

TEST(ProgramTest, AHangIsKilledAndCostsOneRow) {
  Program program;
  for (const char* name : {"a", "b", "c", "d"}) program.bundle.add(ring_variant(name));
  program.bundle.kernel("b_t") = {{"hang", true}};
  program.bundle.kernel("c_g") = {{"hang", true}};
  const auto start = Clock::now();
  const ProcessOutput output = program.run(once_with({"--watchdog-seconds", "0.5"}));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(error_of(rows, "ring/a"), "");
  EXPECT_EQ(error_of(rows, "ring/b"),
            "launch: hung in the timed build, and was killed after 0.5 s");
  EXPECT_EQ(error_of(rows, "ring/c"),
            "guard: hung in the guarded build, and was killed after 0.5 s");
  EXPECT_EQ(error_of(rows, "ring/d"), "");
}

// Five hangs would take ten seconds.
TEST(ProgramTest, AVariantThatHungIsNotLaunchedAgain) {
  Program program;
  for (const char* name : {"a", "b"}) program.bundle.add(ring_variant(name));
  program.bundle.kernel("b_t") = {{"hang", true}};
  const auto start = Clock::now();
  const ProcessOutput output =
      program.run({"--watchdog-seconds", "2", "--benchmark_repetitions=5", "--no-aa"});
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(8));
  EXPECT_EQ(output.exit_status, 0) << output.err;
  int hung = 0, measured = 0;
  for (const results::PointRow& row : program.rows(PointKind::point)) {
    if (row.variant_id == "ring/a") measured += row.samples.empty() ? 0 : 1;
    if (row.variant_id != "ring/b") continue;
    ASSERT_TRUE(row.error);
    EXPECT_EQ(row.verdict, results::Verdict::hung);
    EXPECT_EQ(row.error->message, "hung in the timed build, and was killed after 2 s");
    ++hung;
  }
  EXPECT_EQ(measured, 5);
  EXPECT_EQ(hung, 5);
}

TEST(ProgramTest, ADeadWorkerAndALostDeviceCostOneRowEach) {
  Program program;
  for (const char* name : {"a", "b", "c"}) program.bundle.add(ring_variant(name));
  program.bundle.kernel("a_t") = {{"die", true}};
  program.bundle.kernel("b_t") = {{"launch_error", true}};
  const ProcessOutput output = program.run(once);
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(error_of(rows, "ring/a"),
            "launch: the worker was ended by signal 9 (Killed) in the timed build");
  EXPECT_EQ(error_of(rows, "ring/b"),
            "launch: cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (scripted)");
  EXPECT_EQ(error_of(rows, "ring/c"), "");
}

TEST(ProgramTest, AGpuThatStaysBrokenEndsTheSweepWithoutLosingWhatIsDone) {
  Program program;
  for (const char* name : {"a", "b", "c"}) program.bundle.add(ring_variant(name));
  program.bundle.kernel("b_t") = {{"hang", true}};
  program.bundle.kernel("pb_anchor_clock_pair") = {{"hang", true}};
  const ProcessOutput output =
      program.run(once_with({"--watchdog-seconds", "0.3", "--ignore-anchors"}));
  EXPECT_EQ(output.exit_status, exit_code(Step::device)) << output.err;
  EXPECT_TRUE(contains(output.err,
                       "device: the GPU does not work after a point was lost: hung in "
                       "the timed build, and was killed after 0.3 s (see what "
                       "nvidia-smi says; the same command resumes)"))
      << output.err;
  EXPECT_EQ(program.rows(PointKind::point).size(), 2U);
}

TEST(ProgramTest, WrongPayloadIsAnErrorRowAndTheOnlyOneFailsTheProgram) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.kernel("a_t") = {{"fault", "wrong_checksum"}, {"at", 40}};
  const ProcessOutput output = program.run(once);
  EXPECT_EQ(output.exit_status, exit_code(Step::verify));
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_TRUE(rows[0].error);
  EXPECT_EQ(rows[0].error->step, Step::verify);
  EXPECT_TRUE(contains(rows[0].error->message, "thread 40: payload checksum 0x")) << output.err;
  EXPECT_TRUE(rows[0].samples.empty());
  EXPECT_TRUE(contains(output.out, "ERROR OCCURRED: 'verify: ")) << output.out;
}

TEST(ProgramTest, OnlyTheFirstRepetitionMayFail) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.kernel("a_t") = {{"fault", "wrong_checksum"}, {"at", 40}, {"faulty_launches", 1}};
  const ProcessOutput output =
      program.run({"--benchmark_repetitions=4", "--no-aa",
                   "--benchmark_enable_random_interleaving=false", "--benchmark_format=json"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  int failed = 0;
  for (const results::PointRow& row : program.rows(PointKind::point)) failed += row.error ? 1 : 0;
  EXPECT_EQ(failed, 1);
  const std::size_t told = output.out.find("measured, but not the first repetition: verify: ");
  EXPECT_NE(told, std::string::npos) << output.out;
}

// c hangs, so that the program is certainly at it when the signal comes.
void interrupt_at_c(Program& program, int signal, int& status) {
  for (const char* name : {"a", "b", "c"}) program.bundle.add(ring_variant(name));
  program.bundle.kernel("c_t") = {{"hang", true}};
  const pid_t child = program.start(once_with({"--watchdog-seconds", "60"}));
  program.await_points(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto start = Clock::now();
  ::kill(child, signal);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST(ProgramTest, CtrlCKeepsWhatIsFinishedAndSaysHowToGoOn) {
  Program program;
  int status = 0;
  interrupt_at_c(program, SIGINT, status);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const std::string log = base::read_file(program.bundle.file("log")).value_or("");
  EXPECT_TRUE(contains(log,
                       "interrupted: finished points are kept; the same command resumes:\n  "
                       "phasebit-bench --bundle"))
      << log;
  EXPECT_EQ(program.rows(PointKind::point).size(), 2U);
}

TEST(ProgramTest, AKilledSweepGoesOnWhereItStopped) {
  Program program;
  int status = 0;
  interrupt_at_c(program, SIGKILL, status);
  EXPECT_TRUE(WIFSIGNALED(status));
  program.bundle.kernel("c_t") = {{"cycles", 30}};
  const ProcessOutput output = program.run(once);
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_TRUE(contains(output.err, "1 points measured")) << output.err;
  EXPECT_TRUE(contains(output.err, "2 from the store")) << output.err;
  EXPECT_EQ(program.rows(PointKind::point).size(), 3U);
}

// Ends the run by the signal, again and again, each time a little further on, and then lets it
// come to its end. Whatever the moment was: each point is in the store once, with its figure.
void end_again_and_again(int signal, int times) {
  constexpr int variants = 300;
  Program program;
  const auto name = [](int n) { return fmt::format("v{}", n); };
  for (int n = 0; n < variants; ++n) {
    program.bundle.add(ring_variant(name(n)));
    program.bundle.kernel(name(n) + "_t") = {{"cycles", 20 + n % 50}};
  }
  std::mt19937 random(7);
  std::size_t points = 0, grew = 0;
  for (int n = 0; n < times; ++n) {
    const pid_t child = program.start(once);
    // Every other time before or among the anchors, else among the points.
    if (n % 2 == 1 && points < variants) program.await_points(points + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % (n % 2 == 1 ? 8 : 60)));
    ::kill(child, signal);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (!fs::exists(program.bundle.file("store.sqlite"))) continue;
    // Before it is opened again: a run that could end has left nothing in the log.
    const fs::path log = program.bundle.file("store.sqlite-wal");
    if (signal == SIGTERM && fs::exists(log)) {
      EXPECT_EQ(fs::file_size(log), 0U) << n;
    }
    const std::size_t now = program.rows(PointKind::point).size();
    EXPECT_GE(now, points) << n;
    if (now > points) ++grew;
    points = now;
  }
  EXPECT_GT(grew, 2U);  // else it was never ended in the midst of the points
  const ProcessOutput output = program.run(once);
  EXPECT_EQ(output.exit_status, 0) << output.err;
  std::map<std::string, double> cycles;
  for (const results::PointRow& row : program.rows(PointKind::point)) {
    const auto summary = results::summary_of(row);
    ASSERT_TRUE(summary) << summary.error().text();
    EXPECT_TRUE(cycles.emplace(row.variant_id.text(), summary->cycles).second)
        << row.variant_id.text() << " twice";
  }
  ASSERT_EQ(cycles.size(), static_cast<std::size_t>(variants));
  for (int n = 0; n < variants; ++n) EXPECT_DOUBLE_EQ(cycles["ring/" + name(n)], 20 + n % 50);
}

TEST(ProgramTest, KilledAHundredTimesItLosesAndRepeatsNothing) {
  end_again_and_again(SIGKILL, 100);
}

TEST(ProgramTest, EndedTwentyTimesItLeavesAWholeStore) {
  end_again_and_again(SIGTERM, 20);
}

TEST(ProgramTest, AnAnchorThatIsOffStopsTheRun) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.kernel("pb_anchor_fma_64") = {{"cycles", 32 * 4 + 20}};
  const ProcessOutput output = program.run(once);
  EXPECT_EQ(output.exit_status, exit_code(Step::device));
  EXPECT_TRUE(contains(output.err, "ANCHOR OFF fma: 0 cycles, expected 3.95 to 4.05"))
      << output.err;
  EXPECT_TRUE(program.rows(PointKind::point).empty());
  EXPECT_EQ(program.rows(PointKind::anchor).size(), 15U);  // the evidence is kept
  EXPECT_EQ(program.run(once_with({"--ignore-anchors"})).exit_status, 0);
  EXPECT_EQ(program.rows(PointKind::point).size(), 1U);
}

struct DeviceRowCase {
  const char* key;
  nlohmann::json value;
  const char* error;
};

TEST(ProgramTest, WithoutAUsableGpuItSaysWhyLeavesNoStoreAndStillLists) {
  const DeviceRowCase cases[] = {
      {"error", "there is no CUDA driver here",
       "phasebit-bench: device: there is no CUDA driver here\n"},
      {"busy", true, "phasebit-bench: device: the fake GPU is in use by 1 other process\n"},
      {"sm", 100,
       "phasebit-bench: device: the bundle is for sm_90a, but Fake GPU is sm_100 (pack it for this "
       "GPU: `phasebit pack` with an sm_100 target)\n"},
  };
  for (const DeviceRowCase& c : cases) {
    Program program;
    program.bundle.add(ring_variant("a"));
    program.bundle.device()[c.key] = c.value;
    const ProcessOutput output = program.run(once);
    EXPECT_EQ(output.exit_status, exit_code(Step::device)) << c.key;
    EXPECT_EQ(output.err, c.error);
    EXPECT_FALSE(fs::exists(program.bundle.file("store.sqlite")));
    const ProcessOutput list = program.run({"--benchmark_list_tests"});
    EXPECT_EQ(list.exit_status, 0);
    EXPECT_EQ(list.out, "ring/a/iterations:1/manual_time\n");
  }
}

TEST(ProgramTest, ABusyGpuCanBeAllowed) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.device()["busy"] = true;
  EXPECT_EQ(program.run(once_with({"--allow-busy"})).exit_status, 0);
}

TEST(ProgramTest, AStoreThatIsNoneIsRefused) {
  Program program;
  program.bundle.add(ring_variant("a"));
  ASSERT_TRUE(
      base::write_file(program.bundle.file("store.sqlite"), "not a database, but long enough"));
  EXPECT_EQ(program.run(once).exit_status, exit_code(Step::store));
}

}  // namespace
}  // namespace phasebit::test
