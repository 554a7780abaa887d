// The parent's side of the worker: a request that is sent ahead.
#include "bench/worker/handle.h"

#include "bench/campaign/plan.h"
#include "core/results/statistics.h"
#include "tests/bench/fake_bundle.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::point::PointRequest;
using bench::worker::WorkerHandle;

namespace {

// Three kernels, a, b and c, that take 10, 20 and 30 cycles an item.
struct Worker {
  explicit Worker(bool b_hangs = false) {
    for (int n = 0; n < 3; ++n) {
      const std::string name(1, static_cast<char>('a' + n));
      variants.push_back(bundle.add(ring_variant(name)));
      bundle.kernel(name + "_t") = {{"cycles", 10 * (n + 1)}};
    }
    if (b_hangs) bundle.kernel("b_t") = {{"hang", true}};
    const std::string folder = bundle.write().string();
    handle.emplace(bench::worker::WorkerOptions{
        {FAKE_BENCH, "--worker", "--bundle", folder, "--device", "0"}, std::chrono::seconds(1)});
  }

  PointRequest request(std::size_t n) const {
    const bench::campaign::PointMaker maker;
    return maker.request(maker.row(variants.at(n), results::PointKind::point, {}), {});
  }

  double cycles(std::size_t n, std::optional<std::size_t> next) {
    std::optional<PointRequest> ahead;
    if (next) ahead = request(*next);
    const auto measured = handle->measure(request(n), ahead);
    if (!measured) return -1;
    const auto summary = results::summarise(measured->samples);
    return summary ? summary->cycles : -2;
  }

  FakeBundle bundle;
  std::vector<launch::BundleVariant> variants;
  std::optional<WorkerHandle> handle;
};

TEST(WorkerHandleTest, EachPointGetsItsOwnAnswer) {
  Worker worker;
  EXPECT_DOUBLE_EQ(worker.cycles(0, 1), 10);
  EXPECT_DOUBLE_EQ(worker.cycles(1, 2), 20);
  EXPECT_DOUBLE_EQ(worker.cycles(2, std::nullopt), 30);
  EXPECT_DOUBLE_EQ(worker.cycles(0, std::nullopt), 10);
  EXPECT_EQ(worker.handle->started(), 1);
}

TEST(WorkerHandleTest, APointThatWasNotSentAheadCostsANewWorker) {
  Worker worker;
  EXPECT_DOUBLE_EQ(worker.cycles(0, 1), 10);
  EXPECT_DOUBLE_EQ(worker.cycles(2, 0), 30);
  EXPECT_DOUBLE_EQ(worker.cycles(0, std::nullopt), 10);
  EXPECT_EQ(worker.handle->started(), 2);
}

TEST(WorkerHandleTest, WhatWasSentAheadOfAHangIsAskedAgain) {
  Worker worker(true);
  EXPECT_DOUBLE_EQ(worker.cycles(0, 1), 10);
  EXPECT_DOUBLE_EQ(worker.cycles(1, 2), -1);
  EXPECT_TRUE(worker.handle->hung());
  EXPECT_DOUBLE_EQ(worker.cycles(2, std::nullopt), 30);
}

}  // namespace
}  // namespace phasebit::test
