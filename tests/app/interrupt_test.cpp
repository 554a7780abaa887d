// A command that is ended by a signal leaves no folder of its own, no half file and no child.
#include "gen/ptxas/toolchain.h"
#include "tests/app/project.h"
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

// SIGTERM or SIGINT, twenty times, each a little later after a folder of its own has come.
TEST(Interrupt, LeavesNothingBehind) {
  if (const auto found = ptxas::find_toolchain({test::home(), {}, {}}); !found)
    GTEST_SKIP() << found.error().text();
  const Project home;
  const fs::path temporary = home.path() / "tmp";
  fs::create_directory(temporary);
  for (int n = 0; n < 20; ++n) {
    const int number = n % 2 == 0 ? SIGTERM : SIGINT;
    const auto output = base::run_process(
        {"bash", "-c",
         // In a group of its own, as a terminal starts it: bash ignores SIGINT for the others.
         fmt::format("set -m; export TMPDIR={0} PHASEBIT_HOME={1}; {2} assemble -t sm_90a "
                     "--filter ring/mbarrier/st_shared/none --limit 60 --no-cache >/dev/null 2>&1 "
                     "& while [ -z \"$(ls {0})\" ]; do sleep 0.005; done; sleep 0.{3:02}; "
                     "kill -{4} $!; wait $!; echo $?",
                     temporary.string(), home.path().string(), std::getenv("PHASEBIT_PROGRAM"), n,
                     number)});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->out, fmt::format("{}\n", 128 + number)) << n;
    EXPECT_TRUE(files_in(temporary).empty())
        << n << ": " << fmt::format("{}", fmt::join(files_in(temporary), " "));
    for (const std::string& name : files_in(home.path()))
      EXPECT_EQ(name.find(".part"), std::string::npos) << n << ": " << name;
  }
}

}  // namespace
}  // namespace phasebit::test
