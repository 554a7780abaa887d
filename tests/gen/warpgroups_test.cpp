// A producer warp and consumer warpgroups, as GEMM and attention kernels have them: which warp is
// where, what setmaxnreg hands over, and the turns of two warpgroups.
#include "gen/kernel/render.h"
#include "gen/kernel/requirements.h"
#include "gen/space/variants.h"
#include "tests/gen/plans.h"

#include <regex>

namespace phasebit::test {

using kernel::Plan;
using launch::Role;
using launch::VariantKey;

namespace {

const std::string roles_ring = "ring/mbarrier_bulk/bulk/fma/granularity=producer_warp/";

VariantKey warpgroups_variant(const std::string& axes) {
  auto key = space::parse_variant(shipped(), roles_ring + axes);
  EXPECT_TRUE(key) << key.error().text();
  return key.value_or(VariantKey{});
}

std::string warpgroups_text_of(const VariantKey& key) {
  kernel::Renderer renderer(shipped(), base::source_root() / "templates");
  const auto rendered = renderer.render(key, plan_of(key), launch::Build::timed, "8.6", "sm_90a");
  if (!rendered) return rendered.error().text();
  return fmt::format("{}", fmt::join(rendered->kernel.statements, "\n"));
}

// The number after a word of the text; 0 where the word is not there.
int number_behind(const std::string& text, const std::string& word) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(word + " (\\d+)")) ? std::stoi(found[1]) : 0;
}

TEST(Warpgroups, StandBehindTheProducersOwn) {
  const Plan plan =
      plan_of(warpgroups_variant("payload_bytes=1024/consumers=2/sharing=round_robin"));
  ASSERT_EQ(plan.launch.slices.size(), 9U);
  EXPECT_TRUE(plan.launch.fixed_warps);
  const launch::RoleSlice &producer = plan.launch.slices.front(), &last = plan.launch.slices.back();
  EXPECT_EQ(producer.role, Role::producer);
  EXPECT_EQ(producer.warp, 0);
  EXPECT_EQ(plan.launch.slices[1].warp, 4);
  EXPECT_EQ(last.role, Role::consumer);
  EXPECT_EQ(last.warp, 11);
  EXPECT_EQ(last.unit, 1);
  EXPECT_EQ(last.rank, 96);
}

TEST(Warpgroups, ThatShareASlotHaveOneRankAfterTheOther) {
  const Plan plan = plan_of(warpgroups_variant("payload_bytes=1024/consumers=2"));
  EXPECT_EQ(plan.launch.slices.back().unit, 0);
  EXPECT_EQ(plan.launch.slices.back().rank, 224);
}

// The first consumer's sub-partition is its warp's number modulo 4, idle warps counted.
TEST(SubPartitions, AreThoseThatTheAxisSays) {
  const struct {
    const char* id;
    int producer, gap_after, gap_warps;
  } rows[] = {
      {"ring/mbarrier/st_shared/none", 0, 0, 0},
      {"ring/mbarrier/st_shared/none/sub_partitions=together", 0, 1, 3},
      {"ring/mbarrier/st_shared/none/sub_partitions=apart", 0, 1, 0},
      {"ring/mbarrier/st_shared/none/producers=2/consumers=2/sub_partitions=together", 0, 2, 2},
      {"handoff/mbarrier/none/none/num_stages=1/sub_partitions=together", 0, 1, 3},
      {"ring/mbarrier_bulk/bulk/fma/granularity=producer_warp/sub_partitions=together", 0, 4, 0},
      {"ring/mbarrier_bulk/bulk/fma/granularity=producer_warp/sub_partitions=apart", 1, 4, 0},
  };
  for (const auto& row : rows) {
    const auto key = space::parse_variant(shipped(), row.id);
    ASSERT_TRUE(key) << key.error().text();
    const launch::LaunchShape launch = plan_of(*key).launch;
    EXPECT_EQ(launch.slices.front().warp, row.producer) << row.id;
    EXPECT_EQ(launch.gap_after, row.gap_after) << row.id;
    EXPECT_EQ(launch.gap_warps, row.gap_warps) << row.id;
  }
}

// PTX ISA, setmaxnreg: multiples of 8 from 24 to 256. An SM has 65,536 registers; who takes more
// than the pool holds waits for ever.
TEST(Setmaxnreg, HandsOverNoMoreThanWasThere) {
  for (int consumers = 1; consumers <= 5; ++consumers) {
    SCOPED_TRACE(consumers);
    const std::string text = warpgroups_text_of(warpgroups_variant(
        fmt::format("payload_bytes=30720/num_stages=2/setmaxnreg=on/consumers={}", consumers)));
    const int at_launch = number_behind(text, "\\.maxnreg"),
              given = number_behind(text, "setmaxnreg\\.dec\\.sync\\.aligned\\.u32"),
              taken = number_behind(text, "setmaxnreg\\.inc\\.sync\\.aligned\\.u32");
    EXPECT_EQ(number_behind(text, "\\.maxntid"), 128 * (1 + consumers));
    for (const int count : {at_launch, given, taken}) {
      EXPECT_EQ(count % 8, 0);
      EXPECT_GE(count, 24);
      EXPECT_LE(count, 256);
    }
    EXPECT_LT(given, at_launch);
    EXPECT_GT(taken, at_launch);
    EXPECT_LE(128 * (1 + consumers) * at_launch, 65536);
    EXPECT_LE(128 * given + 128 * consumers * taken, 128 * (1 + consumers) * at_launch);
  }
}

TEST(Setmaxnreg, IsNotThereUnasked) {
  const std::string text = warpgroups_text_of(warpgroups_variant("payload_bytes=1024/consumers=2"));
  EXPECT_EQ(number_behind(text, "\\.maxntid"), 384);
  EXPECT_EQ(text.find("maxnreg"), std::string::npos);
}

// Unit u takes turn 4 + u and hands on the other one's: barrier 1 is the producer's, 2 and 3 are
// those of the units.
TEST(PingPong, TakesAndHandsOnTurns) {
  const std::string text = warpgroups_text_of(
      warpgroups_variant("payload_bytes=1024/consumers=2/sharing=round_robin/order=ping_pong"));
  const char* parts[] = {"bar.arrive 4, 256;", "add.u32 turn, unit, 4;\nbar.sync turn, 256;",
                         "sub.u32 turn, 5, unit;\nbar.arrive turn, 256;",
                         "setp.ne.u32 other, turn, unit;\n@other bra L_ended;\n"
                         "add.u32 turn, unit, 4;\nbar.sync turn, 256;"};
  std::size_t at = 0;
  for (const char* part : parts) {
    at = text.find(part, at);
    ASSERT_NE(at, std::string::npos) << part;
  }
}

struct Refused {
  const char *axes, *why;
};

TEST(Warpgroups, AreRefusedWhereTheyCannotBe) {
  const Refused rows[] = {
      {"producers=2", "producer_warp: one warp produces, warpgroups consume"},
      {"consumers=8/payload_bytes=4096", "a CTA has at most 8 warpgroups"},
      {"consumers=6/setmaxnreg=on/payload_bytes=3072",
       "setmaxnreg: of six consumer warpgroups and more, none could take a register"},
      {"payload_bytes=1024/ctas_per_sm=2/setmaxnreg=on",
       "setmaxnreg: one CTA takes the registers of the SM"},
      {"payload_bytes=1024/consumers=2/order=ping_pong",
       "ping_pong: two consumer warpgroups that take items in turn"},
      {"payload_bytes=1536/consumers=2",
       "payload_bytes must split evenly over the threads of the warpgroups that read a slot"},
  };
  for (const Refused& row : rows) {
    const auto key = space::parse_variant(shipped(), roles_ring + row.axes);
    ASSERT_FALSE(key) << row.axes;
    EXPECT_NE(key.error().text().find(row.why), std::string::npos) << key.error().text();
  }
}

TEST(Setmaxnreg, NeedsTheArchitecturesOwnTarget) {
  const auto needs =
      kernel::requirements(shipped(), warpgroups_variant("payload_bytes=1024/setmaxnreg=on"));
  ASSERT_TRUE(needs) << needs.error().text();
  EXPECT_EQ(needs->sm, 90);
  EXPECT_EQ(needs->suffix, "a");
}

}  // namespace
}  // namespace phasebit::test
