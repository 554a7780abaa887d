// What must hold of every kernel of the sweep between the CTAs of a cluster, by its text alone.
#include "join/images/prepare.h"
#include "tests/app/spaces.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {

using join::images::Prepared;
using join::select::Space;
using launch::Build;

namespace {

bool starts_with(const std::string& text, const std::string& with) {
  return text.rfind(with, 0) == 0;
}

int count_of(const ptxas::Kernel& kernel, const std::string& part) {
  return static_cast<int>(
      std::count_if(kernel.statements.begin(), kernel.statements.end(),
                    [&](const std::string& s) { return s.find(part) != std::string::npos; }));
}

class ClusterKernels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    space_ = new Space(test::space_of("cluster"));
    for (const Build build : {Build::timed, Build::guarded}) {
      auto prepared = join::images::prepare(*space_, build, 0);
      if (!prepared) bug(prepared.error().text());
      prepared_[build] = std::move(*prepared);
    }
  }
  static void TearDownTestSuite() {
    delete space_;
    prepared_.clear();
  }
  static const std::vector<Prepared>& all(Build build) { return prepared_.at(build); }
  static inline Space* space_ = nullptr;
  static inline std::map<Build, std::vector<Prepared>> prepared_;
};

// A grid that is one cluster has no target SM and draws no ticket (core/launch/launch.h).
TEST_F(ClusterKernels, ReadNoTargetSmAndNoTicket) {
  for (const Prepared& one : all(Build::timed)) {
    SCOPED_TRACE(one.key.id);
    EXPECT_EQ(count_of(one.kernel, "[pb+56]"), 0);
    EXPECT_EQ(count_of(one.kernel, "[pb+72]"), 0);
    EXPECT_EQ(count_of(one.kernel, "%cluster_ctarank"), 1);
  }
}

// Size and ranks come from the launch: a key that differs in them alone has the same statements.
TEST_F(ClusterKernels, AreTheSameForEveryPairAndSize) {
  std::map<std::string, std::vector<std::string>> texts;
  for (const Prepared& one : all(Build::timed)) {
    std::string id;
    for (const auto& [axis, value] : one.key.axes)
      if (axis != "cluster_size" && axis != "first_rank" && axis != "second_rank")
        id += axis + "=" + value + " ";
    std::vector<std::string> statements = one.kernel.statements;
    std::erase_if(statements, [](const std::string& s) { return starts_with(s, ".visible"); });
    const auto known = texts.try_emplace(id, statements).first;
    EXPECT_EQ(known->second, statements) << one.key.id;
  }
  EXPECT_LT(texts.size(), 400U);
}

// Every wait of the guarded build is looked at, and every barrier of the cluster counted.
TEST_F(ClusterKernels, WaitWithABoundInTheGuardedBuild) {
  for (const Prepared& one : all(Build::guarded)) {
    SCOPED_TRACE(one.key.id);
    int polls = 0;
    for (size_t i = 0; i < one.kernel.statements.size(); ++i) {
      const std::string& verb = one.kernel.source[i].verb;
      const bool waits = verb == "acquire" || verb == "wait" || verb == "tail";
      polls += waits && starts_with(one.kernel.statements[i], "mbarrier.t") ? 1 : 0;
    }
    const int barriers = count_of(one.kernel, "barrier.cluster.wait");
    EXPECT_GT(polls + barriers, 0);
    EXPECT_EQ(polls, count_of(one.kernel, "pb_guard_look"));
    EXPECT_EQ(barriers, count_of(one.kernel, "pb_guard_cluster_wait"));
    EXPECT_EQ(count_of(one.kernel, "barrier.cluster.arrive"),
              count_of(one.kernel, "pb_guard_cluster_arrive"));
    for (const launch::WaitSite& site : one.sites) EXPECT_GT(site.line, 0) << site.opcode;
  }
}

// Others reach into a CTA until the last barrier, so no thread leaves before it: not at the end,
// and not when giving up. (The exits that tie the clocks are never taken.)
TEST_F(ClusterKernels, LetNobodyLeaveBeforeTheLastBarrier) {
  for (const Build build : {Build::timed, Build::guarded}) {
    for (const Prepared& one : all(build)) {
      SCOPED_TRACE(one.key.id + ", " + launch::to_string(build));
      const auto& statements = one.kernel.statements;
      size_t last_barrier = 0;
      for (size_t i = 0; i < statements.size(); ++i)
        if (starts_with(statements[i], "barrier.cluster.wait")) last_barrier = i;
      for (size_t i = 0; i < last_barrier; ++i) {
        if (statements[i].find("exit;") == std::string::npos) continue;
        EXPECT_TRUE(statements[i] == "@never exit;" || statements[i] == "@idle exit;")
            << statements[i];
      }
    }
  }
}

TEST_F(ClusterKernels, CoverEveryOrderedPairOfEverySize) {
  std::map<int, int> pairs, controls;
  for (const launch::VariantKey& key : space_->expansion.variants) {
    if (key.value("protocol") != "mbarrier_cluster" ||
        key.id.find('/' + std::string("none/none/")) == std::string::npos)
      continue;
    const bool baseline = std::all_of(key.axes.begin(), key.axes.end(), [&](const auto& axis) {
      static const std::map<std::string, std::string> wanted = {
          {"arrive_semantics", "release_cluster"},
          {"wait_semantics", "acquire_cluster"},
          {"release_to", "one"},
          {"wait", "try_wait"},
          {"hint_ns", "none"},
          {"arrival", "warp"},
          {"producers", "1"},
          {"consumers", "1"},
          {"num_stages", "1"},
          {"unroll", "4"}};
      const auto found = wanted.find(axis.first);
      return found == wanted.end() || found->second == axis.second;
    });
    if (!baseline) continue;
    const int size = std::stoi(key.value("cluster_size"));
    ++(key.value("first_rank") == key.value("second_rank") ? controls : pairs)[size];
  }
  EXPECT_EQ(pairs, (std::map<int, int>{{2, 2}, {4, 12}, {8, 56}, {16, 240}}));
  EXPECT_EQ(controls, (std::map<int, int>{{2, 2}, {4, 4}, {8, 8}, {16, 16}}));
}

TEST(ClusterRules, SayWhyAPointIsNoVariant) {
  const Space space = test::space_of("cluster");
  const std::pair<const char*, const char*> rows[] = {
      {"cluster/mbarrier/none/none/num_stages=1",
       "cluster: the protocol does not reach into another CTA"},
      {"ring/mbarrier_cluster/none/none",
       "remote barriers: the roles are in different CTAs, which only the probes cluster and "
       "remote have"},
      {"cluster/mbarrier_cluster/none/none/second_rank=2",
       "cluster: a rank is below the cluster's size"},
      {"cluster/mbarrier_cluster/st_cluster/none/arrive_semantics=default",
       "a payload that another CTA reads needs release and acquire at cluster scope, or fences"},
      {"cluster/st_async/none/none", "st_async: the words must be moved by st.async"},
      {"cluster/cluster_barrier/none/none/num_stages=1",
       "cluster: every warp is at a cluster barrier: unified roles"}};
  for (const auto& [id, reason] : rows) {
    const auto key = space::parse_variant(space.catalogue, id);
    ASSERT_FALSE(key) << id;
    EXPECT_NE(key.error().text().find(reason), std::string::npos) << key.error().text();
  }
}

}  // namespace
}  // namespace phasebit::test
