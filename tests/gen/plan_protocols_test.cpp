// Expectations are worked out by hand from what each protocol's arrivals mean.
#include "gen/kernel/context.h"
#include "gen/kernel/make_plan.h"
#include "tests/gen/plans.h"

namespace phasebit::test {

using kernel::Plan;
using launch::VariantKey;

namespace {

using test::Axes;
using test::plan_of;

VariantKey plan_protocols_variant(const std::string& protocol, const std::string& mover,
                                  const Axes& axes) {
  return test::key_of(
      {{"probe", "ring"}, {"protocol", protocol}, {"mover", mover}, {"work", "none"}}, axes);
}

struct PlanProtocolsRow {
  const char* protocol;
  Axes axes;
  int full, empty;
};

// Two producer warps, four consumer warps that share the slots.
TEST(Arrivals, Table) {
  const PlanProtocolsRow rows[] = {
      {"mbarrier", {{"arrival", "warp"}}, 2, 4},
      {"mbarrier", {{"arrival", "thread"}}, 64, 128},
      {"mbarrier", {{"arrival", "elected"}}, 1, 1},
      {"mbarrier", {{"arrival", "warp_count"}}, 64, 128},
      {"mbarrier", {{"arrival", "warp_no_complete"}}, 64, 128},
      {"mbarrier", {{"arrival", "warp"}, {"operand", "state"}}, 2 + 128, 4 + 64},
      {"mbarrier_tx", {{"arrival", "warp"}}, 2, 4},
      {"flag_volatile", {{"arrival", "warp"}}, 2, 4},
      // Every producer thread's copies arrive, whatever else does.
      {"cp_async_mbarrier", {{"arrival", "warp"}, {"noinc", "on"}}, 64, 4},
      {"cp_async_mbarrier", {{"arrival", "warp"}, {"noinc", "off"}}, 2, 4},
  };
  for (const PlanProtocolsRow& row : rows) {
    Axes axes = row.axes;
    axes.insert(axes.end(), {{"producers", "2"}, {"consumers", "4"}});
    const VariantKey key = plan_protocols_variant(row.protocol, "none", axes);
    const kernel::PlanFacts facts = plan_of(key).facts;
    EXPECT_EQ(facts.full_arrivals, row.full) << row.protocol;
    EXPECT_EQ(facts.empty_arrivals, row.empty) << row.protocol;
  }
}

nlohmann::json producer_of(const VariantKey& key) {
  auto context = kernel::make_context(test::shipped(), key, plan_of(key), "entry");
  EXPECT_TRUE(context) << context.error().text();
  return (*context)["producer"];
}

// 2048 bytes by two warps: 1024 a warp, 32 a thread. Without a payload 16 bytes a thread.
TEST(Transactions, AnnounceWhatTheArrivalStandsForAndCompleteAsMuch) {
  struct Case {
    const char *mover, *arrival, *completion, *announced, *completed;
  };
  const Case cases[] = {{"st_shared", "warp", "leader", "1024", "1024"},
                        {"st_shared", "thread", "leader", "32", "1024"},
                        {"st_shared", "elected", "leader", "2048", "1024"},
                        {"st_shared", "elected", "thread", "2048", "32"},
                        {"none", "warp", "leader", "512", "512"},
                        {"none", "elected", "thread", "1024", "16"}};
  for (const Case& one : cases) {
    const auto producer = producer_of(plan_protocols_variant("mbarrier_tx", one.mover,
                                                             {{"arrival", one.arrival},
                                                              {"completion", one.completion},
                                                              {"producers", "2"},
                                                              {"consumers", "2"},
                                                              {"payload_bytes", "2048"}}));
    EXPECT_EQ(producer["announced_bytes"], one.announced) << one.arrival;
    EXPECT_EQ(producer["completed_bytes"], one.completed) << one.completion;
  }
}

TEST(Copies, HaveTheSizeThatTheMoverSays) {
  VariantKey key = plan_protocols_variant("cp_async_mbarrier", "cp_async",
                                          {{"payload_bytes", "2048"}, {"copy_bytes", "8"}});
  const Plan plan = plan_of(key);
  EXPECT_EQ(plan.producer.vector_words, 2);
  EXPECT_EQ(plan.producer.moves, 8);  // 2048 / (8 * 32)
  EXPECT_EQ(plan.consumer.vector_words, 4);
  EXPECT_EQ(plan.launch.payload.period, launch::copied_payload_period);
  EXPECT_EQ(plan.launch.payload.images_bytes(), launch::copied_payload_period * 2048);
  key = plan_protocols_variant("cp_async_mbarrier", "cp_async",
                               {{"payload_bytes", "128"}, {"copy_bytes", "8"}});
  const auto refused = kernel::make_plan(test::shipped(), key);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(),
            "spec: test: payload_bytes 128 are not whole copies of 8 bytes for 32 threads");
}

TEST(EarlyExit, TheLastConsumerWarpLeaves) {
  const Plan plan = plan_of(plan_protocols_variant(
      "mbarrier", "none", {{"consumers", "3"}, {"num_stages", "4"}, {"early_exit", "drop"}}));
  std::vector<bool> leaves;
  for (const launch::RoleSlice& slice : plan.launch.slices) leaves.push_back(slice.leaves_early);
  EXPECT_EQ(leaves, (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(plan.launch.min_items, 8);  // half of them is a whole lap
}

TEST(ExtraBytes, LieBehindTheScratchAndBeforeThePayload) {
  const Plan plan =
      plan_of(plan_protocols_variant("cluster_launch_control", "none", {{"num_stages", "8"}}));
  EXPECT_EQ(plan.extra_offset, 16 * 8 + 16 + 64);
  EXPECT_EQ(plan.extra_offset % 16, 0);
  EXPECT_GE(plan.launch.dynamic_shared_bytes, plan.extra_offset + 8 * 16);
}

}  // namespace
}  // namespace phasebit::test
