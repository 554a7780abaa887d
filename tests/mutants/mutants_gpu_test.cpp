// Every mutant on a real GPU: it hangs or fails verification, and the report names the fault's
// verb, warp and barrier. Needs PHASEBIT_MUTANTS, a folder that pack_mutants made, with
// mutants.toml in it; skips, saying so, without one and without a GPU.
#include "core/base/process.h"
#include "core/results/store.h"
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

TEST(MutantsOnTheGpu, EveryFaultIsCaughtAndNamed) {
  const char* folder = std::getenv("PHASEBIT_MUTANTS");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_MUTANTS names no folder";
  const auto mutants = read_mutants(fs::path(folder) / "mutants.toml");
  ASSERT_TRUE(mutants) << mutants.error().text();
  const auto place = base::TempDir::create();
  ASSERT_TRUE(place);
  const fs::path store = place->path() / "store.sqlite";
  const auto output =
      base::run_process({program_path(), "--bundle", folder, "--store", store.string(), "--no-aa",
                         "--ignore-anchors", "--benchmark_repetitions=1"});
  ASSERT_TRUE(output);
  if (output->err.find("finds no usable GPU") != std::string::npos ||
      output->err.find("no CUDA driver") != std::string::npos)
    GTEST_SKIP() << output->err;
  const auto errors = errors_of(store);
  EXPECT_EQ(errors.size(), mutants->size()) << output->err;
  for (const Mutant& mutant : *mutants) {
    const auto found = errors.find("mutant/" + mutant.name);
    if (found == errors.end()) continue;
    EXPECT_EQ(why_not_caught(mutant, found->second), "") << mutant.name;
  }
}

}  // namespace
}  // namespace phasebit::test
