#include "core/base/parallel.h"

#include "core/base/interrupt.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>

namespace phasebit::test {

using base::parallel_for;

namespace {

TEST(ParallelFor, CallsEveryJobOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U, 100U}) {
    for (const size_t count : {0U, 1U, 2U, 50U}) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(count, threads, [&](size_t job) { ++calls[job]; });
      for (const auto& n : calls) EXPECT_EQ(n, 1) << threads << " threads, " << count << " jobs";
    }
  }
}

TEST(ParallelFor, OneThreadKeepsTheOrder) {
  std::vector<size_t> order;
  parallel_for(4, 1, [&](size_t job) { order.push_back(job); });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3}));
}

TEST(ParallelFor, UsesTheThreadsThatItMay) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<int> inside{0};
  // Each job waits for the other two: it ends only when three run at once.
  parallel_for(3, 3, [&](size_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 3U);
}

TEST(InterruptDeathTest, TheFirstSetsTheFlagAndTheSecondEnds) {
  const auto twice = [] {
    base::catch_interrupts();
    if (base::interrupted()) ::_exit(1);
    ::raise(SIGINT);
    if (!base::interrupted()) ::_exit(2);
    ::raise(SIGINT);
  };
  EXPECT_EXIT(twice(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace phasebit::test
