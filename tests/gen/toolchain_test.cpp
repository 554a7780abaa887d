#include "gen/ptxas/toolchain.h"

#include "tests/gen/hand_kernels.h"
#include "tests/home.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

namespace phasebit::test {

using ptxas::check_target;
using ptxas::find_toolchain;
using ptxas::pinned_toolchain;

namespace {

TEST(TargetsInHelp, AreTheArchitecturesInAscendingOrder) {
  // The form of `ptxas --help`: virtual and real names, broken over lines, some twice.
  EXPECT_EQ(ptxas::targets_in_help("Allowed values for this option:  'compute_100','compute_90a',\n"
                                   "        'lto_90','sm_100','sm_100a','sm_100f','sm_75',\n"
                                   "        'sm_90a','sm_90'.\n  Default value:  'sm_75'."),
            (std::vector<std::string>{"sm_75", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f"}));
  EXPECT_TRUE(ptxas::targets_in_help("nothing 'sm_").empty());
}

TEST(FindToolchain, KnowsThePinnedOne) {
  const auto found = find_toolchain({test::home(), {}, {}});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->version.text(), pinned_toolchain);
  EXPECT_EQ(found->nvdisasm_version.text(), pinned_toolchain);
  EXPECT_TRUE(ptxas::require_nvdisasm(*found));
  // NVIDIA's notes on 13.4: sm_107 is new; --list-arch does not list those with a and f.
  for (const char* target : {"sm_75", "sm_90", "sm_90a", "sm_100f", "sm_107a", "sm_121a"})
    EXPECT_EQ(std::count(found->targets.begin(), found->targets.end(), target), 1) << target;
  EXPECT_EQ(found->targets.front(), "sm_75");
}

TEST(CheckTarget, NamesTheNearest) {
  ptxas::Toolchain toolchain;
  toolchain.version = isa::parse_version("12.6.85").value();
  toolchain.targets = {"sm_80", "sm_90", "sm_90a"};
  EXPECT_TRUE(check_target(toolchain, "sm_90a"));
  EXPECT_EQ(check_target(toolchain, "sm90a").error().text(),
            "usage: ptxas 12.6.85 does not know the architecture 'sm90a' "
            "(did you mean 'sm_90a'?)");
  EXPECT_EQ(check_target(toolchain, "hopper").error().text(),
            "usage: ptxas 12.6.85 does not know the architecture 'hopper' "
            "(one of: sm_80, sm_90, sm_90a)");
}

class ToolchainFolders : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = base::TempDir::create();
    ASSERT_TRUE(folder) << folder.error().text();
    folder_.emplace(std::move(*folder));
    ASSERT_TRUE(
        base::write_file(path() / "templates" / "README.md", ""));  // it may be PHASEBIT_HOME
  }
  void TearDown() override {
    ::unsetenv("PHASEBIT_TOOLCHAIN");
    ::setenv("PHASEBIT_HOME", base::source_root().c_str(), 1);
  }
  fs::path path() const { return folder_->path(); }
  static std::string error_of(const ptxas::ToolchainRequest& request = {test::home(), {}, {}}) {
    const auto found = find_toolchain(request);
    return found ? "none" : found.error().text();
  }
  // A program that answers --version and --help as ptxas does.
  static void write_tool(const fs::path& program, const std::string& version) {
    fs::create_directories(program.parent_path());
    test::write_script(program, "echo \"Cuda compilation tools, release 0.0, V" + version +
                                    "\"\necho \"'sm_80','sm_90'\"\n");
  }
  std::optional<base::TempDir> folder_;
};

// The layouts of the wheels, of an installed toolkit, and the programs' own folder.
TEST_F(ToolchainFolders, AreThoseOfWheelsAndToolkits) {
  for (const char* inner : {"nvidia/cu13/bin", "nvidia/cuda_nvcc/bin", "bin", "."}) {
    const fs::path folder = path() / fmt::format("of {}", std::string(inner).size());
    write_tool(folder / inner / "ptxas", "12.6.85");
    EXPECT_TRUE(fs::equivalent(ptxas::toolchain_programs(folder), folder / inner)) << inner;
    ::setenv("PHASEBIT_TOOLCHAIN", folder.c_str(), 1);
    const auto found = find_toolchain({test::home(), {}, {}});
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->version.text(), "12.6.85");
    EXPECT_EQ(found->targets, (std::vector<std::string>{"sm_80", "sm_90"}));
    // These wheels have no nvdisasm: the pinned one reads their cubins.
    EXPECT_EQ(found->nvdisasm_version.text(), pinned_toolchain);
  }
  EXPECT_EQ(ptxas::toolchain_programs(path() / "nowhere"), fs::path());
}

TEST_F(ToolchainFolders, NvdisasmBesidePtxasIsTaken) {
  write_tool(path() / "ptxas", "13.2.5");
  write_tool(path() / "nvdisasm", "13.2.9");
  const auto found = find_toolchain({test::home(), path() / "ptxas", {}});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->nvdisasm_version.text(), "13.2.9");
}

TEST_F(ToolchainFolders, NvdisasmIsMissedOnlyWhenItIsNeeded) {
  ::setenv("PHASEBIT_HOME", path().c_str(), 1);
  write_tool(path() / "ptxas", "12.6.85");
  const auto found = find_toolchain({test::home(), path() / "ptxas", {}});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(ptxas::require_nvdisasm(*found).error().text(),
            fmt::format("toolchain: no nvdisasm next to {} (run tools/toolchain 13.5.37)",
                        (path() / "ptxas").string()));
}

TEST_F(ToolchainFolders, AMissingToolchainNamesTheCommandThatInstallsIt) {
  ::setenv("PHASEBIT_HOME", path().c_str(), 1);
  EXPECT_EQ(error_of(), fmt::format("toolchain: no ptxas in {} (run tools/toolchain 13.5.37)",
                                    (path() / ".toolchains" / "13.5.37").string()));
  ::setenv("PHASEBIT_TOOLCHAIN", (path() / "x").c_str(), 1);
  EXPECT_EQ(error_of(), fmt::format("toolchain: no ptxas in $PHASEBIT_TOOLCHAIN ({}) "
                                    "(run tools/toolchain 13.5.37 and unset it)",
                                    (path() / "x").string()));
}

TEST_F(ToolchainFolders, APtxasThatCannotAnswerIsAnError) {
  const fs::path ptxas = path() / "ptxas";
  EXPECT_EQ(
      error_of({test::home(), ptxas, {}}),
      fmt::format("toolchain: {} does not exist (run tools/toolchain 13.5.37)", ptxas.string()));
  ASSERT_TRUE(base::write_file(ptxas, "text"));
  EXPECT_EQ(error_of({test::home(), ptxas, {}}),
            fmt::format("toolchain: {0} is not an executable file (chmod +x {0})", ptxas.string()));
  struct Row {
    const char* script;
    const char* error;
  };
  const Row rows[] = {
      {"kill -ABRT $$\n",
       "toolchain: {} --version was ended by signal 6 (Aborted) "
       "(run tools/toolchain 13.5.37)"},
      {"exit 3\n", "toolchain: {} --version exited with 3 (run tools/toolchain 13.5.37)"},
      {"echo hello\n", "toolchain: {} --version names no version (run tools/toolchain 13.5.37)"},
      {"echo ', V13.0'\n",
       "toolchain: {} --help names no architecture (run tools/toolchain 13.5.37)"},
  };
  for (const Row& row : rows) {
    test::write_script(ptxas, row.script);
    EXPECT_EQ(error_of({test::home(), ptxas, {}}),
              fmt::format(fmt::runtime(row.error), ptxas.string()));
  }
}

}  // namespace
}  // namespace phasebit::test
