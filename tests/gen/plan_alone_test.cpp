// Expectations are worked out by hand from what docs/architecture.md says of each probe.
#include "gen/kernel/make_plan.h"
#include "tests/gen/plans.h"

namespace phasebit::test {

using kernel::Plan;
using launch::Role;

namespace {

using test::Axes;

Plan plan_alone_plan_of(const std::string& probe, const Axes& axes) {
  return test::plan_of(test::key_of(
      {{"probe", probe}, {"protocol", "mbarrier"}, {"mover", "none"}, {"work", "none"}}, axes));
}

const Axes four_slots = {{"num_stages", "4"}, {"addressing", "unrolled"}};

Axes with(Axes axes, const Axes& more) {
  axes.insert(axes.end(), more.begin(), more.end());
  return axes;
}

TEST(VerbPlan, TimesTheRoleThatHasTheVerb) {
  for (const char* verb : {"acquire", "try_acquire", "commit"})
    EXPECT_EQ(plan_alone_plan_of("verb", with(four_slots, {{"verb", verb}})).launch.timed_role,
              Role::producer)
        << verb;
  for (const char* verb : {"wait", "try_wait", "release"})
    EXPECT_EQ(plan_alone_plan_of("verb", with(four_slots, {{"verb", verb}})).launch.timed_role,
              Role::consumer)
        << verb;
}

TEST(VerbPlan, AnItemIsOneTurnOfAllItsCopies) {
  const Plan plan =
      plan_alone_plan_of("verb", with(four_slots, {{"verb", "wait"}, {"path", "ready"}}));
  EXPECT_EQ(plan.launch.item_granule, 1);
  EXPECT_EQ(plan.launch.max_items, 0);
  EXPECT_EQ(plan.items_per_iteration.at("consumer"), 4);
  EXPECT_EQ(plan.timed_verbs, std::vector<std::string>{"wait"});
}

struct Pending {
  const char *verb, *arrival, *layout;
  int full_arrivals, empty_arrivals, max_items;
};

class PendingPhase : public testing::TestWithParam<Pending> {};

// The phase must stay open: fewer arrivals than the barrier expects, which is at most 2^20 - 1, and
// 511 with layout v1 (PTX ISA 9.3).
TEST_P(PendingPhase, BoundsTheItems) {
  const Pending& row = GetParam();
  const Plan plan = plan_alone_plan_of("verb", with(four_slots, {{"verb", row.verb},
                                                                 {"path", "pending"},
                                                                 {"arrival", row.arrival},
                                                                 {"layout", row.layout}}));
  EXPECT_EQ(plan.full_arrivals, row.full_arrivals);
  EXPECT_EQ(plan.empty_arrivals, row.empty_arrivals);
  EXPECT_EQ(plan.launch.max_items, row.max_items);
}

INSTANTIATE_TEST_SUITE_P(Table, PendingPhase,
                         testing::Values(Pending{"commit", "warp", "v0", 1048575, 0, 1048574},
                                         // 32 arrivals a commit: 32767 * 32 = 1048544
                                         Pending{"commit", "thread", "v0", 1048575, 0, 32767},
                                         Pending{"commit", "warp_count", "v0", 1048575, 0, 32767},
                                         Pending{"release", "warp", "v1", 0, 511, 510},
                                         // 15 * 32 = 480
                                         Pending{"release", "thread", "v1", 0, 511, 15}));

TEST(VerbPlan, GatesTheWaitThatFollowsAnArrivalAsWell) {
  const Axes commit = {{"verb", "commit"}, {"path", "completing"}, {"reads", "completion"}};
  EXPECT_EQ(plan_alone_plan_of("verb", with(four_slots, commit)).timed_verbs,
            (std::vector<std::string>{"commit", "wait"}));
  const Axes release = {{"verb", "release"}, {"path", "completing"}, {"reads", "completion"}};
  EXPECT_EQ(plan_alone_plan_of("verb", with(four_slots, release)).timed_verbs,
            (std::vector<std::string>{"release", "acquire"}));
}

// Sixteen warps that arrive on the same barriers fill a phase sixteen times as fast, on barriers of
// their own not; each goes over all items, and two of its own in a turn of its loop.
TEST(VerbPlan, CountsTheArrivalsOfSeveralWarps) {
  const Axes commits = {{"num_stages", "32"},
                        {"addressing", "unrolled"},
                        {"producers", "16"},
                        {"verb", "commit"},
                        {"path", "pending"}};
  const Plan shared = plan_alone_plan_of("verb", commits);
  EXPECT_EQ(shared.launch.max_items, 1048574 / 16);
  EXPECT_EQ(shared.items_per_iteration.at("producer"), 32);
  EXPECT_EQ(shared.launch.threads, 32 * 17);
  const Plan own = plan_alone_plan_of("verb", with(commits, {{"sharing", "round_robin"}}));
  EXPECT_EQ(own.launch.max_items, 1048574);
  EXPECT_EQ(own.items_per_iteration.at("producer"), 2);
  EXPECT_EQ(own.launch.producer_turns, 1);
}

TEST(VerbPlan, PutsLoadBesideIt) {
  EXPECT_EQ(plan_alone_plan_of("verb", with(four_slots, {{"load", "none"}})).launch.load_ctas, 0);
  EXPECT_EQ(plan_alone_plan_of("verb", with(four_slots, {{"load", "busy"}})).launch.load_ctas, 8);
}

TEST(ResponsePlan, ReadsWakeUpAndPollsOfTheConsumer) {
  const Plan plan = plan_alone_plan_of(
      "response", {{"num_stages", "1"}, {"delay_cycles", "1048576"}, {"counting", "on"}});
  ASSERT_EQ(plan.launch.readings.size(), 2U);
  EXPECT_EQ(plan.launch.readings[0].name, "wake");
  EXPECT_EQ(plan.launch.readings[1].name, "polls");
  EXPECT_EQ(plan.launch.readings[1].index, 1);
  EXPECT_EQ(plan.launch.timed_role, Role::consumer);
  EXPECT_EQ(plan.launch.delay_cycles, 1048576U);
  // Four items are the shortest chain there is: n, 2n, 3n, 4n.
  EXPECT_EQ(plan.launch.max_items, 4);
}

TEST(NeighbourPlan, PutsWaitersBesideTheBystander) {
  const Plan plan = plan_alone_plan_of(
      "interference", {{"num_stages", "1"}, {"waiters", "2"}, {"placing", "same"}});
  EXPECT_EQ(plan.victim_warps_mask, 0x1U);
  EXPECT_EQ(plan.consumer.warps_mask, 0x110U);  // warps 4 and 8: sub-partition 0 as well
  EXPECT_EQ(plan.launch.threads, 32 * 9);
  EXPECT_EQ(plan.launch.timed_role, Role::victim);
}

TEST(NeighbourPlan, PutsWaitersOnTheOtherSubPartitions) {
  const Plan plan = plan_alone_plan_of(
      "interference",
      {{"num_stages", "1"}, {"waiters", "4"}, {"placing", "other"}, {"victims", "2"}});
  EXPECT_EQ(plan.victim_warps_mask, 0x11U);    // warps 0 and 4
  EXPECT_EQ(plan.consumer.warps_mask, 0x2eU);  // warps 1, 2, 3 and 5
  EXPECT_EQ(plan.launch.slices.size(), 6U);
  EXPECT_EQ(plan.launch.slices.back().rank, 96);
  EXPECT_EQ(plan.producer.warps, 2);  // the victims' commits complete the barrier
}

// The same warps and the same text: only the number of waits that the launch asks for differs.
TEST(NeighbourPlan, TheControlIsTheSameLaunchWithoutWaiting) {
  const Plan plan =
      plan_alone_plan_of("interference", {{"num_stages", "1"}, {"waiters", "3"}, {"waits", "1"}});
  const Plan control =
      plan_alone_plan_of("interference", {{"num_stages", "1"}, {"waiters", "3"}, {"waits", "0"}});
  EXPECT_EQ(plan.launch.work_amount, 1U);
  EXPECT_EQ(control.launch.work_amount, 0U);
  EXPECT_EQ(control.launch.threads, plan.launch.threads);
  EXPECT_EQ(control.timed_verbs, (std::vector<std::string>{"work", "wait"}));
}

TEST(NeighbourPlan, RefusesMoreThanASubPartitionHolds) {
  const launch::VariantKey key = test::key_of(
      {{"probe", "interference"}, {"protocol", "mbarrier"}, {"mover", "none"}, {"work", "none"}},
      {{"waiters", "8"}, {"placing", "same"}});
  const auto plan = kernel::make_plan(test::shipped(), key);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().text(), "spec: test: 1 victims and 8 waiters do not fit in 32 warps");
}

TEST(FaninPlan, AWaitByStateIsTheArrival) {
  const Axes warps = {{"num_stages", "1"},
                      {"roles", "unified"},
                      {"producers", "4"},
                      {"consumers", "4"},
                      {"arrival", "thread"}};
  EXPECT_EQ(plan_alone_plan_of("fanin", warps).full_arrivals, 0);
  const Plan plan = plan_alone_plan_of("fanin", with(warps, {{"operand", "state"}}));
  EXPECT_EQ(plan.full_arrivals, 128);
  EXPECT_EQ(plan.timed_verbs, std::vector<std::string>{"wait"});
  EXPECT_EQ(plan.launch.timed_role, Role::both);
}

}  // namespace
}  // namespace phasebit::test
