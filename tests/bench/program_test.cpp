// The whole program with the fake device: worker processes, store, flags, exit codes.
#include "core/base/process.h"
#include "core/store/statistics.h"
#include "core/store/store.h"
#include "tests/bench/fake_bundle.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct Program {
  FakeBundle bundle;

  ProcessOutput run(std::vector<std::string> flags, const char* store = "store.sqlite") {
    std::vector<std::string> words = {FAKE_BENCH, "--bundle", bundle.write().string(), "--store",
                                      bundle.file(store).string()};
    words.insert(words.end(), flags.begin(), flags.end());
    auto output = run_process(words);
    EXPECT_TRUE(output);
    return output.value_or(ProcessOutput{});
  }

  std::vector<PointRow> rows(PointKind kind, const char* store = "store.sqlite") {
    auto opened = Store::open(bundle.file(store));
    EXPECT_TRUE(opened);
    std::vector<PointRow> found;
    const auto all = opened->points();
    EXPECT_TRUE(all);
    for (const PointRow& row : *all)
      if (row.kind == kind) found.push_back(row);
    return found;
  }
};

TEST(ProgramTest, MeasuresEveryVariantThreeTimesWithItsControl) {
  Program program;
  program.bundle.add(ring_variant("a"));
  program.bundle.add(ring_variant("b"));
  program.bundle.kernel("a_t") = {{"cycles", 40}};
  program.bundle.kernel("b_t") = {{"cycles", 55.5}};
  const ProcessOutput output = program.run({});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const auto rows = program.rows(PointKind::point);
  ASSERT_EQ(rows.size(), 12U);  // 2 variants, 3 repetitions, each with its A/A control
  for (const PointRow& row : rows) {
    ASSERT_FALSE(row.error) << row.error->message;
    const Summary summary = summarise(row.samples).value();
    EXPECT_NEAR(summary.cycles, row.variant_id == "ring/a" ? 40 : 55.5, 0.01);
    EXPECT_NEAR(row.megahertz, 1500, 5);  // the fake's clock
  }
  EXPECT_EQ(program.rows(PointKind::anchor).size(), 15U);
}

}  // namespace
}  // namespace phasebit::test
