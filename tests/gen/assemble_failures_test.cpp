// Assembly when ptxas dies, is killed, hangs or is missing, and when the disk is full; the limits
// on resources.
#include "gen/ptxas/assemble.h"
#include "tests/gen/hand_kernels.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptxas::Assembly;
using ptxas::Toolchain;

namespace {

class AssembleFailures : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = base::TempDir::create();
    ASSERT_TRUE(folder) << folder.error().text();
    folder_.emplace(std::move(*folder));
    for (int n = 0; n < 9; ++n)
      kernels_.push_back(
          test::kernel(fmt::format("hand_{}", n), "sm_80", fmt::format("bar.sync {};\nret;\n", n)));
  }
  // ptxas, called by a script that may do something else first. $input is the module.
  Toolchain tools(const std::string& script) const {
    auto found = test::toolchain_with_script(folder_->path(), script);
    if (!found) {
      ADD_FAILURE() << found.error().text();
      return {};
    }
    return *found;
  }
  // Kernel 5 alone fails, with this error.
  void expect_only_kernel_5_fails(const Assembly& made, const std::string& error) const {
    for (size_t n = 0; n < kernels_.size(); ++n)
      EXPECT_EQ(made.kernels[n].has_value(), n != 5) << n;
    ASSERT_FALSE(made.kernels[5]);
    EXPECT_EQ(made.kernels[5].error().text(), error);
  }
  std::optional<base::TempDir> folder_;
  std::vector<ptxas::Kernel> kernels_;
};

TEST_F(AssembleFailures, ACrashIsFoundByHalving) {
  const Toolchain crashing = tools("grep -q hand_5 $input && kill -SEGV $$");
  expect_only_kernel_5_fails(
      ptxas::assemble(crashing, nullptr, kernels_, "sm_80"),
      "assemble: ptxas 13.5.37 was ended by signal 11 (Segmentation fault) on hand_5 "
      "(a fault of ptxas: write its statements another way)");
}

TEST_F(AssembleFailures, AnErrorWithoutALineIsFoundByHalving) {
  const Toolchain confused = tools(
      "grep -q hand_5 $input && { echo 'ptxas fatal   : (C7907) Internal compiler error' >&2; "
      "exit 255; }");
  expect_only_kernel_5_fails(ptxas::assemble(confused, nullptr, kernels_, "sm_80"),
                             "assemble: (C7907) Internal compiler error");
}

TEST_F(AssembleFailures, AHangIsKilledAndFoundByHalving) {
  const Toolchain hanging = tools("grep -q hand_5 $input && exec sleep 60");
  ptxas::AssembleOptions options;
  options.timeout = std::chrono::seconds(1);
  options.kernels_per_module = 2;
  const Assembly made = ptxas::assemble(hanging, nullptr, kernels_, "sm_80", options);
  for (size_t n = 0; n < kernels_.size(); ++n) EXPECT_EQ(made.kernels[n].has_value(), n != 5) << n;
  EXPECT_EQ(made.kernels[5].error().step, Step::assemble);
}

// A signal from outside says nothing of a kernel: no search, nothing kept.
TEST_F(AssembleFailures, AKilledToolIsNoFaultOfAKernelAndNotCached) {
  auto cache = base::Cache::open(folder_->path() / "cache");
  ASSERT_TRUE(cache) << cache.error().text();
  const Toolchain killed = tools("kill -KILL $$");
  const Assembly made = ptxas::assemble(killed, &*cache, kernels_, "sm_80");
  for (const auto& kernel : made.kernels) {
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().text(),
              "toolchain: ptxas 13.5.37 was ended by signal 9 (Killed) "
              "(try again; is there enough memory?)");
  }
  const Assembly again = ptxas::assemble(tools(""), &*cache, kernels_, "sm_80");
  EXPECT_EQ(again.from_cache, 0U);
  for (const auto& kernel : again.kernels) EXPECT_TRUE(kernel);
}

TEST_F(AssembleFailures, AToolThatWentAwayIsAToolchainError) {
  Toolchain gone = tools("");
  gone.ptxas = folder_->path() / "nowhere" / "ptxas";
  const Assembly made = ptxas::assemble(gone, nullptr, kernels_, "sm_80");
  ASSERT_FALSE(made.kernels[0]);
  EXPECT_EQ(
      made.kernels[0].error().text(),
      fmt::format("toolchain: cannot start {}: No such file or directory", gone.ptxas.string()));
}

TEST_F(AssembleFailures, AnOutputThatIsNoElfIsRefused) {
  const Toolchain liar =
      tools("while [ \"$1\" != -o ]; do shift; done; echo nonsense > $2; exit 0");
  const Assembly made = ptxas::assemble(liar, nullptr, {kernels_[0]}, "sm_80");
  ASSERT_FALSE(made.kernels[0]);
  EXPECT_EQ(made.kernels[0].error().text(),
            "assemble: ptxas wrote something that is not an ELF file (9 bytes)");
}

// A cache that cannot be written costs time, not the result.
TEST_F(AssembleFailures, AFullDiskUnderTheCacheLosesNothing) {
  auto cache = base::Cache::open(folder_->path() / "cache");
  ASSERT_TRUE(cache) << cache.error().text();
  // A file where the folder of files should be fails every write, for root too.
  ASSERT_TRUE(base::write_file(folder_->path() / "cache" / "files", "full"));
  const Assembly made = ptxas::assemble(tools(""), &*cache, kernels_, "sm_80");
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_TRUE(made.notes[0].starts_with("io: cannot make the folder ")) << made.notes[0];
  for (const auto& kernel : made.kernels) {
    ASSERT_TRUE(kernel) << kernel.error().text();
    EXPECT_TRUE(ptxas::module_code(made, &*cache, kernel->module_hash));
  }
}

struct LimitRow {
  ptxas::ResourceLimits limits;
  int dynamic_shared_bytes;
  const char* error;
};

TEST_F(AssembleFailures, LimitsRefuseWithTheFigure) {
  launch::Resources resources;
  resources.registers = 40;
  resources.static_shared_bytes = 1000;
  resources.spill_store_bytes = 8;
  resources.spill_load_bytes = 12;
  isa::Target target;
  target.name = "sm_86";
  target.max_shared_bytes_per_cta = 101376;  // 99 KiB: CUDA programming guide, 8.6
  target.max_registers_per_thread = 255;
  const LimitRow rows[] = {
      {{40, 1500, 20}, 500, "none"},
      {{32, {}, {}}, 0, "assemble: uses 40 registers, the limit is 32"},
      {{{}, 1499, {}}, 500, "assemble: uses 1500 bytes of shared memory, the limit is 1499"},
      {{{}, {}, 0}, 0, "assemble: uses 20 bytes of spills, the limit is 0"},
      {{}, 100376, "none"},
      {{}, 100377, "assemble: uses 101377 bytes of shared memory, the limit of sm_86 is 101376"},
  };
  for (const LimitRow& row : rows) {
    const Status status =
        ptxas::check_resources(resources, row.dynamic_shared_bytes, row.limits, target);
    EXPECT_EQ(status ? "none" : status.error().text(), row.error);
  }
  target.max_shared_bytes_per_cta = 0;  // unknown
  EXPECT_TRUE(ptxas::check_resources(resources, 1 << 30, {}, target));
}

TEST_F(AssembleFailures, LimitsApplyToCachedKernelsToo) {
  auto cache = base::Cache::open(folder_->path() / "cache");
  ASSERT_TRUE(cache) << cache.error().text();
  const Toolchain toolchain = tools("");
  const std::vector<ptxas::AssembleJob> jobs{{&kernels_[0], "sm_90a", 232449}};
  for (const size_t from_cache : {0, 1}) {
    const Assembly made = ptxas::assemble(toolchain, &*cache, jobs);
    EXPECT_EQ(made.from_cache, from_cache);
    ASSERT_FALSE(made.kernels[0]);
    EXPECT_EQ(made.kernels[0].error().text(),
              "assemble: uses 232449 bytes of shared memory, the limit of sm_90a is 232448");
  }
}

struct TargetRow {
  const char* ptx_target;
  const char* target;
  bool fits;
};

// `ptxas --help`, --gpu-name; the f rows were also tried with 13.5.37.
constexpr TargetRow target_rows[] = {
    {"sm_80", "sm_80", true},     {"sm_80", "sm_75", false},     {"sm_90", "sm_121a", true},
    {"sm_90", "sm_90a", true},    {"sm_90a", "sm_90", false},    {"sm_90a", "sm_100a", false},
    {"sm_90a", "sm_90a", true},   {"sm_100f", "sm_103", true},   {"sm_100f", "sm_107a", true},
    {"sm_103f", "sm_100", false}, {"sm_100f", "sm_110f", false}, {"sm_120f", "sm_121f", true},
};

TEST(CheckPtxTarget, FollowsTheRulesOfPtxas) {
  for (const TargetRow& row : target_rows)
    EXPECT_EQ(ptxas::check_ptx_target(row.ptx_target, row.target).has_value(), row.fits)
        << row.ptx_target << " for " << row.target;
}

}  // namespace
}  // namespace phasebit::test
