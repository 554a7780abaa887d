// Expectations are worked out by hand from what the axes mean.
#include "gen/kernel/make_plan.h"
#include "tests/gen/plans.h"

#include <algorithm>

namespace phasebit::test {

using launch::Role;
using launch::RoleSlice;

namespace {

using test::Axes;

Result<kernel::Plan> plan_cluster_plan_of(const Axes& axes) {
  return kernel::make_plan(
      test::shipped(),
      test::key_of({{"probe", "cluster"}, {"mover", "none"}, {"work", "none"}}, axes));
}

std::vector<const RoleSlice*> slices_in(const kernel::Plan& plan, int cta) {
  std::vector<const RoleSlice*> found;
  for (const RoleSlice& slice : plan.launch.slices)
    if (slice.is_in(cta)) found.push_back(&slice);
  return found;
}

TEST(PlanCluster, PutsTheProducersAndTheConsumersIntoTheTwoRanks) {
  const auto plan = plan_cluster_plan_of({{"protocol", "mbarrier_cluster"},
                                          {"num_stages", "1"},
                                          {"producers", "2"},
                                          {"consumers", "1"},
                                          {"cluster_size", "8"},
                                          {"first_rank", "5"},
                                          {"second_rank", "3"}});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->launch.cluster_size, 8);
  EXPECT_EQ(plan->launch.first_rank, 5);
  EXPECT_EQ(plan->launch.second_rank, 3);
  EXPECT_EQ(plan->launch.ctas(), 8);
  // Every CTA has the warps of both roles; in rank 5 the first two work, in rank 3 the third.
  EXPECT_EQ(plan->launch.threads, 96);
  const auto first = slices_in(*plan, 5), second = slices_in(*plan, 3);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0]->role, Role::producer);
  EXPECT_EQ(first[1]->warp, 1);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0]->role, Role::consumer);
  EXPECT_EQ(second[0]->warp, 2);
  EXPECT_TRUE(slices_in(*plan, 0).empty());
  EXPECT_EQ(plan->launch.timed_role, Role::producer);
  EXPECT_EQ(plan->launch.unit, "cycles per round trip");
}

TEST(PlanCluster, ARankToItselfHasBothRolesInOneCta) {
  const auto plan = plan_cluster_plan_of({{"protocol", "mbarrier_cluster"},
                                          {"num_stages", "4"},
                                          {"cluster_size", "2"},
                                          {"first_rank", "1"},
                                          {"second_rank", "1"}});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(slices_in(*plan, 1).size(), 2U);
  EXPECT_TRUE(slices_in(*plan, 0).empty());
  EXPECT_EQ(plan->launch.unit, "cycles per item");
}

TEST(PlanCluster, UnifiedWarpsAreInEveryCta) {
  const auto plan = plan_cluster_plan_of({{"protocol", "cluster_barrier"},
                                          {"roles", "unified"},
                                          {"num_stages", "1"},
                                          {"producers", "4"},
                                          {"consumers", "4"},
                                          {"cluster_size", "16"}});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->launch.threads, 128);
  EXPECT_EQ(slices_in(*plan, 0).size(), 4U);
  EXPECT_EQ(slices_in(*plan, 15).size(), 4U);
  EXPECT_EQ(plan->launch.timed_role, Role::both);
  EXPECT_EQ(plan->launch.unit, "cycles per barrier");
}

TEST(PlanCluster, RefusesARankThatTheClusterDoesNotHave) {
  const auto plan = plan_cluster_plan_of({{"protocol", "mbarrier_cluster"},
                                          {"num_stages", "1"},
                                          {"cluster_size", "4"},
                                          {"first_rank", "0"},
                                          {"second_rank", "4"}});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().text(), "spec: test: ranks 0 and 4 of a cluster of 4");
}

// Fifteen CTAs of one warp arrive on a barrier of the sixteenth: the record is the first one's, and
// a launch ends before the barrier's 2^20 - 1 arrivals do.
TEST(PlanRemote, LeavesTheRecordToTheFirstOfThoseThatArrive) {
  const Axes arrive = {{"protocol", "mbarrier_cluster"},
                       {"num_stages", "1"},
                       {"cluster_size", "16"},
                       {"second_rank", "15"},
                       {"arrivers", "15"},
                       {"unroll", "4"},
                       {"arrival", "thread"}};
  const auto plan = kernel::make_plan(
      test::shipped(),
      test::key_of({{"probe", "remote"}, {"mover", "none"}, {"work", "none"}}, arrive));
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->launch.slices.size(), 1U);
  EXPECT_EQ(plan->launch.slices[0].role, Role::producer);
  EXPECT_EQ(plan->launch.slices[0].rank_in_cluster, 0);
  EXPECT_EQ(plan->launch.work_amount, 15U);
  EXPECT_EQ(plan->launch.max_items, 1048575 / (15 * 32));
  EXPECT_EQ(plan->launch.item_granule, 4);
  EXPECT_EQ(plan->timed_verbs, std::vector<std::string>{"commit"});
  EXPECT_EQ(plan->launch.phases_checked, 1);
}

}  // namespace
}  // namespace phasebit::test
