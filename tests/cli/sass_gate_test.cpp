// `phasebit sass gate` as a CI meets it.
#include "core/base/file.h"
#include "core/base/process.h"
#include "gen/ptxas/toolchain.h"
#include "tests/cli/program.h"
#include "tests/home.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

ProcessOutput gate(const std::vector<std::string>& arguments) {
  return test::run_phasebit({"sass", "gate"}, arguments);
}

class SassGate : public testing::Test {
 protected:
  void SetUp() override {
    const auto toolchain = find_toolchain({test::home(), {}, {}});
    if (!toolchain || !require_nvdisasm(*toolchain)) GTEST_SKIP() << "no ptxas and nvdisasm";
  }
};

TEST_F(SassGate, TheCommittedFileHolds) {
  const ProcessOutput output = gate({(test::home().data / "specs/sass_gate.toml").string()});
  EXPECT_EQ(output.exit_status, 0) << output.out << output.err;
  EXPECT_NE(output.out.find(" checks, 0 broken\n"), std::string::npos) << output.out;
}

// PTX manual: test_wait does not suspend, so a wait by it has no TRYWAIT. Exit code 1 says that a
// rule is broken; others that the gate could not do its work.
TEST_F(SassGate, ABrokenRuleEndsWithOne) {
  const auto folder = TempDir::create();
  const std::string file = (folder->path() / "mine.toml").string();
  const std::string variant = "ring/mbarrier/st_shared/none/wait=test_wait";
  ASSERT_TRUE(write_file(file, "sweep = \"curated\"\nspec = \"" +
                                   (test::home().data / "specs/curated.toml").string() +
                                   "\"\ntargets = [\"sm_90a\"]\n\n[[rule]]\nname = \"it tries\"\n"
                                   "variants = \"" +
                                   variant +
                                   "\"\nwhere = \"consumer.wait\"\n"
                                   "must = \"*TRYWAIT\"\n"));
  const ProcessOutput text = gate({file});
  EXPECT_EQ(text.exit_status, 1) << text.err;
  EXPECT_EQ(text.out.substr(0, text.out.find("  found")),
            file + ":5: it tries: " + variant + " for sm_90a by ptxas " + pinned_toolchain +
                "\n  expected consumer.wait: *TRYWAIT x1 or more\n");
  const ProcessOutput json = gate({file, "--json"});
  EXPECT_EQ(json.exit_status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.out)["broken"][0]["rule"], "it tries");
  const ProcessOutput nothing = gate({file, "--filter", "handoff/"});
  EXPECT_GT(nothing.exit_status, 1) << nothing.out;
  EXPECT_NE(nothing.err.find("'it tries' speaks of no code here"), std::string::npos)
      << nothing.err;
}

// A kernel that phasebit did not make: by its name, and by source line.
TEST_F(SassGate, OthersCubins) {
  const auto folder = TempDir::create();
  const std::string ptx = (folder->path() / "a.ptx").string();
  const std::string cubin = (folder->path() / "a.cubin").string();
  const std::string file = (folder->path() / "gate.toml").string();
  ASSERT_TRUE(write_file(ptx,
                         ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n"
                         ".visible .entry mine()\n{\n.loc 1 7 0\nbar.sync 0;\n.loc 1 8 0\n"
                         "membar.gl;\n.loc 1 9 0\nret;\n}\n"));
  const auto toolchain = find_toolchain({test::home(), {}, {}});
  const auto made =
      run_process({toolchain->ptxas.string(), "-lineinfo", "-arch", "sm_80", ptx, "-o", cubin});
  ASSERT_TRUE(made && made->ok()) << made->err;
  ASSERT_TRUE(write_file(file,
                         "[[rule]]\nname = \"a barrier\"\nkernels = \"mine\"\nwhere = \"line 7\"\n"
                         "count = { \"BAR.SYNC*\" = 1, \"MEMBAR*\" = 0 }\nmax_registers = 255\n"
                         "[[rule]]\nname = \"no fence\"\nmust_not = \"MEMBAR*\"\n"));
  const ProcessOutput output = gate({file, "--cubin", cubin});
  EXPECT_EQ(output.exit_status, 1) << output.err;
  EXPECT_EQ(output.out.find(file + ":7: no fence: mine for sm_80\n  expected no MEMBAR*\n"), 0U)
      << output.out;
  EXPECT_NE(output.out.find("4 checks, 1 broken\n"), std::string::npos) << output.out;
}

}  // namespace
}  // namespace phasebit
