#include "core/base/process.h"

#include "core/base/file.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace phasebit::test {

using base::run_process;

namespace {

using std::chrono::milliseconds;

Result<base::ProcessOutput> shell(const std::string& script,
                                  const base::ProcessOptions& options = {}) {
  return run_process({"/bin/sh", "-c", script}, options);
}

TEST(RunProcess, TakesBothStreamsAndTheExitStatus) {
  const auto result = shell("echo out; echo err >&2; exit 7");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_status, 7);
  EXPECT_FALSE(result->ok());
  EXPECT_EQ(result->how_it_ended(), "exited with 7");
}

TEST(RunProcess, SearchesThePathAndPassesArgumentsAsTheyAre) {
  const auto result = run_process({"printf", "%s|", "a b", "", "$HOME", "*"});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_TRUE(result->ok());
  EXPECT_EQ(result->out, "a b||$HOME|*|");
}

TEST(RunProcess, StandardInputIsAtItsEnd) {
  const auto result =
      run_process({"cat"}, {.timeout = milliseconds(5000), .working_directory = {}});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok()) << result->how_it_ended();
  EXPECT_EQ(result->out, "");
}

TEST(RunProcess, RunsInTheFolderThatIsAskedFor) {
  const auto result =
      run_process({"pwd"}, {.timeout = milliseconds(5000), .working_directory = "/"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "/\n");
}

TEST(RunProcess, SaysWhichSignalEndedIt) {
  const auto result = shell("kill -ABRT $$");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->signal, SIGABRT);
  EXPECT_FALSE(result->timed_out);
  EXPECT_FALSE(result->ok());
  EXPECT_EQ(result->how_it_ended(), "was ended by signal 6 (Aborted)");
}

// Neither stream may wait for the other: each is far larger than a pipe holds (64 KiB).
TEST(RunProcess, TakesMuchOutputOnBothStreams) {
  constexpr size_t bytes = 3'000'000;
  const auto result = shell("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok()) << result->how_it_ended();
  EXPECT_EQ(result->out, std::string(bytes, '\0'));
  EXPECT_EQ(result->err, std::string(bytes, '\0'));
}

TEST(RunProcess, KillsAtTheTimeLimitAndKeepsWhatWasSaid) {
  const auto start = std::chrono::steady_clock::now();
  const auto result =
      shell("echo begun; exec sleep 60", {.timeout = milliseconds(500), .working_directory = {}});
  const auto took = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->signal, SIGKILL);
  EXPECT_EQ(result->out, "begun\n");
  EXPECT_EQ(result->how_it_ended(), "was killed at its time limit");
  EXPECT_GE(took, milliseconds(500));
  EXPECT_LT(took, std::chrono::seconds(30));
}

TEST(RunProcess, TheTimeLimitHoldsForOneThatClosedItsStreams) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = shell("exec sleep 60 >/dev/null 2>&1",
                            {.timeout = milliseconds(500), .working_directory = {}});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(RunProcess, ACommandThatCannotStartIsAnError) {
  const auto missing = run_process({"/nowhere/ptxas", "--version"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(), "io: cannot start /nowhere/ptxas: No such file or directory");

  auto folder = base::TempDir::create();
  ASSERT_TRUE(folder);
  const fs::path text = folder->path() / "notes";
  ASSERT_TRUE(base::write_file(text, "not a program\n"));
  const auto refused = run_process({text.string()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "io: cannot start " + text.string() + ": Permission denied");
}

TEST(RunProcess, AWorkingFolderThatIsNotThereIsNamed) {
  const auto result =
      run_process({"true"}, {.timeout = milliseconds(5000), .working_directory = "/nowhere"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(),
            "io: cannot start true: cannot enter /nowhere: No such file or directory");
}

int open_files() {
  return static_cast<int>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

TEST(RunProcess, LeavesNoFileOpen) {
  const int before = open_files();
  for (int n = 0; n < 5; ++n) ASSERT_TRUE(shell("true"));
  for (int n = 0; n < 5; ++n) ASSERT_FALSE(run_process({"/nowhere/ptxas"}));
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace phasebit::test
