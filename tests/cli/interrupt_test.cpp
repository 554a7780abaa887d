// A command that is ended by a signal leaves no folder of its own, no half file and no child.
#include "gen/ptxas/toolchain.h"
#include "tests/cli/project.h"
#include "tests/home.h"

#include <set>

namespace phasebit::test {
namespace {

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& one : fs::recursive_directory_iterator(folder))
    names.insert(one.path().filename().string());
  return names;
}

// SIGTERM or SIGINT after each of twenty times, from before the first assembly to the midst of it.
TEST(Interrupt, LeavesNothingBehind) {
  if (const auto found = ptxas::find_toolchain({test::home(), {}, {}}); !found)
    GTEST_SKIP() << found.error().text();
  const Project home;
  const fs::path temporary = home.path() / "tmp";
  fs::create_directory(temporary);
  int ended_by_signal = 0;
  for (int n = 0; n < 20; ++n) {
    const int number = n % 2 == 0 ? SIGTERM : SIGINT;
    const auto output = base::run_process(
        {"bash", "-c",
         // In a group of its own, as a terminal starts it: bash ignores SIGINT for the others.
         fmt::format("set -m; TMPDIR={0} PHASEBIT_HOME={1} {2} pack -t sm_90a -a stages=2:{5} "
                     "--filter ring/mbarrier -o {1}/bundle >/dev/null 2>&1 & sleep 0.{3:02}; "
                     "kill -{4} $!; wait $!; echo $?; sleep 0.05",
                     temporary.string(), home.path().string(), std::getenv("PHASEBIT_PROGRAM"),
                     3 * n, number, 3 + n)});
    ASSERT_TRUE(output);
    EXPECT_TRUE(files_in(temporary).empty())
        << n << ": " << fmt::format("{}", fmt::join(files_in(temporary), " "));
    for (const std::string& name : files_in(home.path()))
      EXPECT_EQ(name.find(".part"), std::string::npos) << n << ": " << name;
    if (output->out.starts_with(fmt::format("{}\n", 128 + number))) ++ended_by_signal;
  }
  EXPECT_GT(ended_by_signal, 10);  // else nothing was shown
}

}  // namespace
}  // namespace phasebit::test
