#include "bench/campaign/plan.h"
#include "tests/results/rows.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using results::PointKey;
using results::Store;

namespace {

bool finds(const Store& store, const PointKey& key) {
  return bench::campaign::FinishedPoints::read(store).value().find(key) != nullptr;
}

TEST(FinishedPoints, FindComparesTheWholeKey) {
  Store store = Store::open_in_memory().value();
  ASSERT_TRUE(store.add_device(some_device()));
  ASSERT_TRUE(store.add_run(some_run()));
  const results::PointRow point = some_point("ring/a", 2);
  const PointKey key = bench::campaign::key_of(point);
  EXPECT_FALSE(finds(store, key));
  ASSERT_TRUE(store.add_point(point));
  EXPECT_TRUE(finds(store, key));
  std::vector<PointKey> others(8, key);
  others[0].kind = results::PointKind::modes;
  others[1].variant_hash = "x";
  others[2].text_hash = "x";
  others[3].device_uuid = "GPU-2";
  others[4].repetition = 1;
  others[5].aa_control = true;
  others[6].placement.sm = 8;
  others[7].placement.first_warp = 0;
  for (size_t i = 0; i < others.size(); ++i) EXPECT_FALSE(finds(store, others[i])) << i;
}

TEST(FinishedPoints, AFailedPointIsNotDoneUntilItIsMeasured) {
  Store store = Store::open_in_memory().value();
  ASSERT_TRUE(store.add_device(some_device()));
  ASSERT_TRUE(store.add_run(some_run()));
  ASSERT_TRUE(store.add_point(failed_point("ring/a", Step::launch, "killed")));
  EXPECT_FALSE(finds(store, bench::campaign::key_of(some_point("ring/a"))));
  ASSERT_TRUE(store.add_point(some_point("ring/a")));
  EXPECT_TRUE(finds(store, bench::campaign::key_of(some_point("ring/a"))));
}

}  // namespace
}  // namespace phasebit::test
