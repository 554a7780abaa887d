// Every mutant on a real GPU: it hangs or fails verification, and the report names the fault's
// verb, warp and barrier. Needs PHASEBIT_MUTANTS, a folder that pack_mutants made, with
// mutants.toml in it, and PHASEBIT_CHECKED, one that pack_checked made; skips, saying so, without
// one and without a GPU.
#include "core/base/process.h"
#include "core/results/store.h"
#include "tests/mutants/checked.h"
#include "tests/mutants/mutant.h"

#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// Next to this test on a GPU machine, else where it was built.
std::string program_path() {
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path() / "phasebit-bench";
  return fs::exists(beside) ? beside.string() : PHASEBIT_BENCH;
}

std::map<std::string, std::string> errors_of(const fs::path& store_file) {
  std::map<std::string, std::string> errors;
  const auto store = results::Store::open(store_file);
  const auto rows = store ? store->points() : tl::unexpected<Error>(store.error());
  if (!rows) return errors;
  for (const results::PointRow& row : *rows)
    if (row.kind == results::PointKind::point)
      errors[row.variant_id] =
          row.error ? fmt::format("{}: {}", base::to_string(row.error->step), row.error->message)
                    : "";
  return errors;
}

// What became of each variant of the bundle, and why the GPU was not used, where it was not.
struct Ran {
  std::map<std::string, std::string> errors;
  std::string skipped, log;
  std::string device;  // "NVIDIA H200, driver 580.95.05"
};

Result<Ran> run_bundle(const fs::path& folder) {
  PHASEBIT_TRY_ASSIGN(place, base::TempDir::create());
  const fs::path store = place.path() / "store.sqlite";
  PHASEBIT_TRY_ASSIGN(output, base::run_process({program_path(), "--bundle", folder.string(),
                                                 "--store", store.string(), "--no-aa",
                                                 "--ignore-anchors", "--benchmark_repetitions=1",
                                                 "--max-rounds=7", "--watchdog-seconds=4"}));
  Ran ran{errors_of(store), "", output.err, ""};
  const auto opened = results::Store::open(store);
  const auto devices = opened ? opened->devices() : tl::unexpected<Error>(opened.error());
  if (devices && !devices->empty())
    ran.device = fmt::format("{}, driver {}", devices->front().name, devices->front().driver);
  if (output.err.find("finds no usable GPU") != std::string::npos ||
      output.err.find("no CUDA driver") != std::string::npos)
    ran.skipped = output.err;
  return ran;
}

TEST(MutantsOnTheGpu, EveryFaultIsCaughtAndNamed) {
  const char* folder = std::getenv("PHASEBIT_MUTANTS");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_MUTANTS names no folder";
  const auto mutants = read_mutants(fs::path(folder) / "mutants.toml");
  ASSERT_TRUE(mutants) << mutants.error().text();
  const auto ran = run_bundle(folder);
  ASSERT_TRUE(ran) << ran.error().text();
  if (!ran->skipped.empty()) GTEST_SKIP() << ran->skipped;
  EXPECT_EQ(ran->errors.size(), mutants->size()) << ran->log;
  for (const Mutant& mutant : *mutants) {
    const auto found = ran->errors.find("mutant/" + mutant.name);
    if (found == ran->errors.end()) continue;
    EXPECT_EQ(why_not_caught(mutant, found->second), "") << mutant.name;
  }
}

// What `check` calls a deadlock is one at the barrier and warp that it names, and what it proves
// is none. A row a mutant goes to PHASEBIT_TABLE, where that is a file's name.
TEST(MutantsOnTheGpu, DeadlocksAreThoseThatCheckNames) {
  const char* folder = std::getenv("PHASEBIT_CHECKED");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_CHECKED names no folder";
  const auto mutants = read_checked(fs::path(folder) / "checked.toml");
  ASSERT_TRUE(mutants) << mutants.error().text();
  const auto ran = run_bundle(folder);
  ASSERT_TRUE(ran) << ran.error().text();
  if (!ran->skipped.empty()) GTEST_SKIP() << ran->skipped;
  ASSERT_FALSE(ran->errors.empty()) << ran->log;
  std::string table = fmt::format("# {}\n{}", ran->device, checked_columns());
  std::map<bool, int> all, agree;
  for (const CheckedMutant& mutant : *mutants) {
    const auto found = ran->errors.find(mutant.id);
    const std::string why =
        found == ran->errors.end() ? "was not run" : why_not_as_checked(mutant, found->second);
    EXPECT_EQ(why, "") << mutant.id << ", " << mutant.mistake;
    ++all[mutant.hangs()];
    agree[mutant.hangs()] += why.empty() ? 1 : 0;
    table += checked_row(mutant, found == ran->errors.end() ? "not run" : found->second, why);
  }
  fmt::print(
      "deadlocks by check: {}, {} time out at a barrier and warp that check names\n"
      "proved by check: {}, {} verified\n",
      all[true], agree[true], all[false], agree[false]);
  const char* file = std::getenv("PHASEBIT_TABLE");
  if (file == nullptr) return;
  const Status written = base::write_file(file, table);
  EXPECT_TRUE(written) << written.error().text();
}

}  // namespace
}  // namespace phasebit::test
