// What a repetition changes: one thing, always the same, and only what there is room for.
#include "bench/campaign/plan.h"
#include "tests/bench/fake_bundle.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using bench::campaign::vary;
using launch::BundleVariant;
using results::Conditions;

namespace {

bench::device::DeviceInfo some_gpu() {
  bench::device::DeviceInfo device;
  device.row.multiprocessors = 132;
  device.max_threads_per_cta = 1024;
  return device;
}

std::string changed(const Conditions& base, const Conditions& now) {
  std::string text;
  if (now.start_offset != base.start_offset) text += "offset ";
  if (now.sm != base.sm) text += "sm ";
  if (now.first_warp != base.first_warp) text += "warps ";
  if (now.padding != base.padding) text += "padding ";
  if (now.gap_warps != base.gap_warps) text += "together ";
  return text;
}

std::string changes_of(const BundleVariant& variant, int repetitions) {
  const Conditions base{{5, 0}};
  std::string text;
  for (int n = 0; n < repetitions; ++n)
    text += changed(base, vary(base, variant, n, some_gpu())) + "| ";
  return text;
}

TEST(Vary, ChangesOneThingARepetition) {
  EXPECT_EQ(changes_of(ring_variant("a"), 11),
            "| offset | offset | sm | warps | padding | padding | padding | together | "
            "padding together | offset | ");
}

// So that two variants can be compared condition by condition.
TEST(Vary, IsTheSameForEachVariantAndAnotherInEachRepetition) {
  const BundleVariant a = ring_variant("a");
  BundleVariant b = ring_variant("b");
  b.key.hash = "fedcba9876543210";
  for (int n = 1; n < 10; ++n) {
    EXPECT_EQ(vary({{5, 0}}, a, n, some_gpu()), vary({{5, 0}}, b, n, some_gpu()));
    for (int other = 0; other < n; ++other)
      EXPECT_FALSE(vary({{5, 0}}, a, n, some_gpu()) == vary({{5, 0}}, a, other, some_gpu()))
          << n << ' ' << other;
  }
}

TEST(Vary, StaysWithinTheGpuAndTheCode) {
  const BundleVariant variant = ring_variant("a");
  for (int n = 0; n < 500; ++n) {
    const Conditions now = vary({{131, 0}}, variant, n, some_gpu());
    EXPECT_GE(now.sm, 0);
    EXPECT_LT(now.sm, 132);
    EXPECT_LE(now.first_warp, 3);
    EXPECT_EQ(now.padding % 16, 0);
    EXPECT_LE(now.padding, 1024);
    EXPECT_LE(now.start_offset, 31U);
  }
}

// Whole CTAs and clusters keep their place: the shift needs warps, the cluster's SMs are the GPU's.
// Warp 0 produces and warp 1 consumes: three idle warps between them, and both begin on the first
// sub-partition. 4 and 4 warps do so anyhow.
TEST(Vary, SetsTheRolesOnOneSubPartition) {
  const Conditions now = vary({{5, 0}}, ring_variant("a"), 8, some_gpu());
  EXPECT_EQ(now.gap_after, 1);
  EXPECT_EQ(now.gap_warps, 3);
  for (const auto& [launched, number] :
       std::vector<std::pair<int, int>>{{0, 0}, {4, 1}, {5, 2}, {8, 5}})
    EXPECT_EQ(now.numbered(launched), number);
  // Repetition 9 is compared with one of the same padding.
  const Conditions padded = vary({{5, 0}}, ring_variant("a"), 9, some_gpu());
  EXPECT_EQ(padded.gap_warps, 3);
  EXPECT_EQ(padded.padding, vary({{5, 0}}, ring_variant("a"), 5, some_gpu()).padding);
  EXPECT_EQ((Conditions{{5, 2}}).numbered(3), 1);
}

TEST(Vary, LeavesAloneWhatThereIsNoRoomFor) {
  BundleVariant full = ring_variant("a");
  full.launch.threads = 1024;
  EXPECT_EQ(changes_of(full, 6), "| offset | offset | sm | | padding | ");
  BundleVariant several = ring_variant("a");
  several.launch.ctas_per_sm = 2;
  EXPECT_EQ(changes_of(several, 6), "| offset | offset | sm | | padding | ");
  BundleVariant loaded = ring_variant("a");
  loaded.launch.load_ctas = 8;
  EXPECT_EQ(changes_of(loaded, 6), "| offset | offset | sm | | padding | ");
  BundleVariant fixed = ring_variant("a");
  fixed.launch.fixed_warps = true;
  EXPECT_EQ(changes_of(fixed, 6), "| offset | offset | sm | | padding | ");
  BundleVariant cluster = ring_variant("a");
  cluster.launch.cluster_size = 2;
  EXPECT_EQ(changes_of(cluster, 10),
            "| offset | offset | | warps | padding | padding | padding | | padding | ");
}

}  // namespace
}  // namespace phasebit::test
