// `phasebit sass reduce` with the toolchains that tools/test installs: what it writes shows the
// difference by itself, with nothing but ptxas, nvdisasm and grep.
#include "core/base/file.h"
#include "core/base/process.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/program.h"
#include "tests/home.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

namespace phasebit::test {

using base::ProcessOutput;
using base::read_file;
using ptxas::find_installed;
using ptxas::pinned_toolchain;

namespace {

const std::string cluster =
    "cluster/cluster_barrier/none/none/num_stages=1/roles=unified/producers=4/consumers=4";
const std::string sass_reduce_handoff = "handoff/cta_barrier/none/none/num_stages=1";

class SassReduce : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* version : {"11.8", "12.4", pinned_toolchain})
      ASSERT_TRUE(find_installed(test::home(), version))
          << find_installed(test::home(), version).error().text();
  }
  ProcessOutput reduce(const std::vector<std::string>& arguments) const {
    return test::run_phasebit({"sass", "reduce"}, arguments);
  }
  std::string file() const { return (folder_.path() / "small.ptx").string(); }

  // What each command line of the file's header prints, in order, with the ptxas of `versions`.
  std::vector<std::string> commands_print(const std::vector<std::string>& versions) const {
    const auto nvdisasm = ptxas::find_toolchain({test::home(), {}, {}})->nvdisasm.parent_path();
    std::istringstream lines(read_file(file()).value_or(""));
    std::vector<std::string> printed;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("//   ptxas ")) continue;
      if (printed.size() == versions.size()) return {"more commands than sides"};
      const auto ptxas =
          ptxas::toolchain_programs(find_installed(test::home(), versions[printed.size()])->folder);
      base::ProcessOptions options;
      options.working_directory = folder_.path().string();
      const auto ran = base::run_process(
          {"env", "PATH=" + ptxas.string() + ":" + nvdisasm.string() + ":" + std::getenv("PATH"),
           "sh", "-c", line.substr(2)},
          options);
      printed.push_back(ran ? ran->out : ran.error().text());
    }
    return printed;
  }

  std::size_t lines_of_ptx() const {
    std::istringstream lines(read_file(file()).value_or(""));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);)
      count += !line.empty() && !line.starts_with("//");
    return count;
  }

  base::TempDir folder_ = std::move(*base::TempDir::create());
};

// A release at cluster scope has a fence of the CTA next to that of the GPU up to 12.6: one
// barrier.cluster.arrive in a loop shows it.
TEST_F(SassReduce, FindsTheFenceThatWent) {
  const ProcessOutput output = reduce({cluster, "--toolchain", "12.4,13.5", "-t", "sm_90",
                                       "--opcode", "MEMBAR.ALL.CTA", "-o", file()});
  ASSERT_TRUE(output.ok()) << output.err;
  EXPECT_NE(output.out.find("MEMBAR.ALL.CTA in loops: 1 -> 1 by ptxas 12.4.131 for sm_90, 0 -> 0 "
                            "by ptxas 13.5.37 for sm_90"),
            std::string::npos)
      << output.out;
  EXPECT_EQ(commands_print({"12.4", pinned_toolchain}), (std::vector<std::string>{"1\n", "0\n"}));
  const std::string text = read_file(file()).value_or("");
  EXPECT_NE(text.find("\n  barrier.cluster.arrive"), std::string::npos) << text;
  EXPECT_NE(text.find("// Cuda compilation tools, release 12.4, V12.4.131, Build "),
            std::string::npos);
  EXPECT_LE(lines_of_ptx(), 15U) << text;
}

// 11.8 makes BAR.SYNC of what later ones make BAR.SYNC.DEFER_BLOCKING of: told by a modifier alone.
TEST_F(SassReduce, ChoosesTheOpcodeThatDiffers) {
  const ProcessOutput output =
      reduce({sass_reduce_handoff, "--toolchain", "11.8,12.4", "-t", "sm_90", "-o", file()});
  ASSERT_TRUE(output.ok()) << output.err;
  EXPECT_TRUE(output.out.starts_with("BAR.SYNC")) << output.out;
  const std::vector<std::string> printed = commands_print({"11.8", "12.4"});
  ASSERT_EQ(printed.size(), 2U);
  EXPECT_NE(printed[0], printed[1]);
  EXPECT_NE(read_file(file()).value_or("").find("\n  bar.sync 0;\n"), std::string::npos);
  EXPECT_LE(lines_of_ptx(), 15U);
}

// -O0 copies constants into registers for each use.
TEST_F(SassReduce, TakesTwoLevelsOfOptimisation) {
  const ProcessOutput output = reduce({sass_reduce_handoff + "/opt_level=0", sass_reduce_handoff,
                                       "-t", "sm_90", "--opcode", "MOV", "-o", file()});
  ASSERT_TRUE(output.ok()) << output.err;
  EXPECT_NE(output.out.find("ptxas 13.5.37 -O0 for sm_90"), std::string::npos) << output.out;
  const std::vector<std::string> printed = commands_print({pinned_toolchain, pinned_toolchain});
  ASSERT_EQ(printed.size(), 2U);
  EXPECT_GT(std::atoi(printed[0].c_str()), std::atoi(printed[1].c_str()));
}

TEST_F(SassReduce, WritesWhatItHasWhenTheTimeIsOver) {
  const ProcessOutput output =
      reduce({cluster, "--toolchain", "12.4,13.5", "-t", "sm_90", "--opcode", "MEMBAR.ALL.CTA",
              "--seconds", "1", "-o", file()});
  ASSERT_TRUE(output.ok()) << output.err;
  const std::vector<std::string> printed = commands_print({"12.4", pinned_toolchain});
  ASSERT_EQ(printed.size(), 2U);
  EXPECT_NE(printed[0], printed[1]);
}

TEST_F(SassReduce, SaysWhatIsWrong) {
  struct Row {
    std::vector<std::string> arguments;
    Step step;
    std::string message;
  };
  const std::string ring = "ring/mbarrier/st_shared/none";
  const std::vector<Row> rows = {
      {{cluster, "--toolchain", "12.4,12.4", "-t", "sm_90"},
       Step::usage,
       "both sides are ptxas 12.4.131 for sm_90 (name two versions as in --toolchain 12.4,13.5"},
      {{cluster, "--toolchain", "12.4,13.5", "-t", "sm_90", "--opcode", "EXIT"},
       Step::usage,
       cluster + ": EXIT in loops does not differ: 0 by ptxas 12.4.131 for sm_90, 0 by ptxas "
                 "13.5.37 for sm_90"},
      {{cluster, "--toolchain", "12.4,13.5", "-t", "sm_90", "--opcode", "MEMBAR.ALL.CTAS"},
       Step::usage,
       "--opcode MEMBAR.ALL.CTAS: neither side has one in " + cluster +
           " (did you mean 'MEMBAR.ALL.CTA'?)"},
      {{cluster, "--toolchain", "12.4,12.7", "-t", "sm_90"},
       Step::toolchain,
       "run tools/toolchain 12.7"},
      {{ring, ring + "/num_stages=2", "-t", "sm_90"},
       Step::usage,
       ring + " and " + ring + "/num_stages=2 are two texts (reduce takes one text by two ptxas"},
      {{cluster, "--toolchain", "11.8,13.5", "-t", "sm_90"},
       Step::assemble,
       "needs PTX 8.0, ptxas 11.8.89 reads up to 7.8"},
      {{cluster, "-t", "sm_90,sm_90"}, Step::usage, "both sides are ptxas 13.5.37 for sm_90"},
      {{cluster, "--seconds", "0"}, Step::usage, "--seconds 0: at least 1"},
  };
  for (const Row& row : rows) {
    const ProcessOutput output = reduce(row.arguments);
    EXPECT_EQ(output.exit_status, base::exit_code(row.step)) << output.err;
    EXPECT_NE(output.err.find(row.message), std::string::npos) << output.err;
    EXPECT_EQ(output.out, "");
  }
}

}  // namespace
}  // namespace phasebit::test
