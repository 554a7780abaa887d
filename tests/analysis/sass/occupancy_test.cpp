#include "analysis/flow/occupancy.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using flow::needs_of;
using flow::occupancy_of;

namespace {

isa::Target target(const char* name) {
  return isa::TargetTable::load().value().find(name).value();
}

struct OccupancyRow {
  const char* name;
  flow::CtaNeeds needs;
  int ctas, warps;
  std::vector<std::string> limited_by;
};

// By hand, from the programming guide: 65,536 registers an SM in four partitions, given to a warp
// in units of 256; shared memory in units of 256 bytes on 7.5, of 128 later, with 1 KiB reserved
// for each CTA from 8.0 on.
const OccupancyRow occupancy_rows[] = {
    // 8 warps a CTA, 32 of an SM.
    {"sm_75", {256, 32, 0, 0}, 4, 32, {"warps"}},
    // 5,000 bytes are 5,120: 12 of 65,536 (13 without rounding). 12 CTAs of 1 warp.
    {"sm_75", {32, 16, 5000, 0}, 12, 12, {"shared memory"}},
    {"sm_75", {32, 16, 0, 0}, 16, 16, {"CTAs"}},
    // 2 warps a CTA: 64 / 2 = 32, which is also the limit of CTAs.
    {"sm_80", {64, 20, 0, 0}, 32, 64, {"warps", "CTAs"}},
    // 20,000 + 1,024 bytes are 21,120: 7 of 167,936.
    {"sm_80", {128, 32, 20000, 0}, 7, 28, {"shared memory"}},
    // 168 * 32 = 5,376 registers a warp: 3 in the 16,384 of a partition, 12 warps an SM.
    {"sm_86", {128, 168, 0, 0}, 3, 12, {"registers"}},
    // 33 * 32 = 1,056 are 1,280 a warp: 12 of 16,384, 48 warps: as many as there is room for.
    {"sm_86", {128, 33, 0, 0}, 12, 48, {"registers", "warps"}},
    // 41 * 32 = 1,312 are 1,536 a warp: 10 a partition, 40 warps.
    {"sm_86", {128, 41, 0, 0}, 10, 40, {"registers"}},
    {"sm_89", {32, 16, 0, 0}, 24, 24, {"CTAs"}},
    // 204,800 + 1,024 bytes of 233,472: one CTA. 12 warps of 168 registers: three a partition.
    {"sm_90a", {384, 168, 204800, 0}, 1, 12, {"registers", "shared memory"}},
    // 64 named barriers an SM, 8 a CTA.
    {"sm_90a", {32, 16, 0, 8}, 8, 8, {"barriers"}},
    // 51,200 + 1,024 bytes: 4 of 233,472.
    {"sm_100a", {128, 32, 51200, 0}, 4, 16, {"shared memory"}},
    // 30,720 + 1,024 bytes: 3 of 102,400.
    {"sm_120a", {128, 40, 30720, 0}, 3, 12, {"shared memory"}},
    {"sm_120", {32, 16, 0, 0}, 24, 24, {"CTAs"}},
    // Half of them would do: 12 warps of 4.
    {"sm_121a", {128, 32, 0, 0}, 12, 48, {"warps"}},
    {"sm_110a", {128, 32, 0, 0}, 12, 48, {"warps"}},
    // 227 KiB and no byte more.
    {"sm_90", {128, 32, 232448, 0}, 1, 4, {"shared memory"}},
    {"sm_90", {128, 32, 232449, 0}, 0, 0, {"shared memory"}},
};

TEST(Occupancy, IsThatOfTheGuidesTable) {
  for (const OccupancyRow& row : occupancy_rows) {
    SCOPED_TRACE(fmt::format("{}: {} threads, {} registers, {} bytes, {} barriers", row.name,
                             row.needs.threads, row.needs.registers, row.needs.shared_bytes,
                             row.needs.barriers));
    const auto occupancy = occupancy_of(target(row.name), row.needs);
    ASSERT_TRUE(occupancy) << occupancy.error().text();
    EXPECT_EQ(occupancy->ctas, row.ctas);
    EXPECT_EQ(occupancy->warps, row.warps);
    EXPECT_EQ(occupancy->limited_by, row.limited_by);
  }
}

TEST(Occupancy, OfWhatIsNotPublishedIsAnError) {
  for (const char* name : {"sm_88", "sm_107a", "sm_999"}) {
    const auto occupancy = occupancy_of(target(name), {128, 32, 0, 0});
    ASSERT_FALSE(occupancy) << name;
    EXPECT_EQ(
        occupancy.error().text(),
        fmt::format("usage: {}: no occupancy, as the limits of its SM are not published", name));
  }
  EXPECT_EQ(occupancy_of(target("sm_90"), {128, 0, 0, 0}).error().text(),
            "usage: no occupancy of a CTA of 128 threads with 0 registers each");
}

// Static shared memory has the reserved 1 KiB in it from sm_90 on: it is not counted twice.
TEST(Occupancy, NeedsAreWithoutTheReserve) {
  cubin::SassKernel kernel{"k", "", {}, 40, 1124, 5};
  EXPECT_EQ(needs_of(kernel, target("sm_90a"), {64, 1000}).shared_bytes, 1100);
  EXPECT_EQ(needs_of(kernel, target("sm_89"), {64, 1000}).shared_bytes, 2124);
  kernel.static_shared_bytes = 0;  // no such section
  const flow::CtaNeeds needs = needs_of(kernel, target("sm_90a"), {64, 1000});
  EXPECT_EQ(needs.shared_bytes, 1000);
  EXPECT_EQ(needs.threads, 64);
  EXPECT_EQ(needs.registers, 40);
  EXPECT_EQ(needs.barriers, 5);
}

}  // namespace
}  // namespace phasebit::test
