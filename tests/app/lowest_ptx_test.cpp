// Every curated variant declares the lowest PTX version and target that its forms need: ptxas
// itself takes it there, and refuses it one step below.
#include "core/base/process.h"
#include "gen/ptxas/toolchain.h"
#include "join/images/prepare.h"
#include "join/select/open_space.h"
#include "tests/home.h"

#include <algorithm>
#include <cctype>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// PTX ISA versions in order (PTX ISA manual, release notes).
const std::vector<std::string> versions = {"6.3", "6.4", "6.5", "7.0", "7.1", "7.2", "7.3",
                                           "7.4", "7.5", "7.6", "7.7", "7.8", "8.0", "8.1",
                                           "8.2", "8.3", "8.4", "8.5", "8.6", "8.7", "8.8",
                                           "9.0", "9.1", "9.2", "9.3", "9.4", "9.5"};
const std::vector<std::string> lowest_ptx_targets = {"sm_75", "sm_80", "sm_86", "sm_87",
                                                     "sm_88", "sm_89", "sm_90", "sm_100"};

std::string below(const std::vector<std::string>& steps, const std::string& word) {
  const auto at = std::find(steps.begin(), steps.end(), word);
  EXPECT_NE(at, steps.end()) << word;
  return at == steps.begin() || at == steps.end() ? "" : *(at - 1);
}

// A target with a suffix has what the plain one of its number has not.
std::string lower_target(const std::string& target) {
  const bool plain = std::isdigit(static_cast<unsigned char>(target.back())) != 0;
  return plain ? below(lowest_ptx_targets, target) : target.substr(0, target.size() - 1);
}

bool assembles(const ptxas::Toolchain& toolchain, const ptxas::Kernel& kernel,
               const std::string& version, const std::string& target) {
  std::string text = fmt::format(".version {}\n.target {}\n.address_size 64\n{}\n", version, target,
                                 ptxas::module_shared_declaration);
  for (const std::string& statement : kernel.statements) text += statement + "\n";
  const auto folder = base::TempDir::create();
  const std::string path = (folder->path() / "kernel.ptx").string();
  EXPECT_TRUE(base::write_file(path, text));
  const auto output = base::run_process({toolchain.ptxas.string(), "-arch", target, path, "-o",
                                         (folder->path() / "kernel.cubin").string()});
  return output && output->ok();
}

TEST(LowestPtx, IsDeclaredByEveryCuratedVariant) {
  const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
  if (!toolchain) GTEST_SKIP() << toolchain.error().text();
  auto request = test::at_home<join::select::SpaceRequest>();
  request.spec = (test::home().data / "specs" / "curated.toml").string();
  request.sweep = "curated";
  const auto space = join::select::open_space(request);
  ASSERT_TRUE(space) << space.error().text();
  const auto prepared = join::images::prepare(*space, launch::Build::timed, 0);
  ASSERT_TRUE(prepared) << prepared.error().text();
  for (const join::images::Prepared& one : *prepared) {
    const ptxas::Kernel& kernel = one.kernel;
    SCOPED_TRACE(one.key.id + " at PTX " + kernel.ptx_version + ", " + kernel.ptx_target);
    EXPECT_TRUE(assembles(*toolchain, kernel, kernel.ptx_version, kernel.ptx_target));
    const std::string older = below(versions, kernel.ptx_version);
    if (!older.empty()) {
      EXPECT_FALSE(assembles(*toolchain, kernel, older, kernel.ptx_target));
    }
    const std::string lower = lower_target(kernel.ptx_target);
    if (!lower.empty()) {
      EXPECT_FALSE(assembles(*toolchain, kernel, kernel.ptx_version, lower));
    }
  }
}

}  // namespace
}  // namespace phasebit::test
