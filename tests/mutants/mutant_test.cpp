// The table of mutants without a GPU: every fault gets into its kernel, which ptxas takes in both
// builds, and the judgement can go either way.
#include "tests/mutants/mutant.h"

#include "gen/guard/guard.h"
#include "join/images/images.h"
#include "join/select/open_space.h"
#include "tests/home.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

std::vector<Mutant> shipped() {
  auto mutants = read_mutants(base::source_root() / "tests/mutants/mutants.toml");
  EXPECT_TRUE(mutants) << mutants.error().text();
  return mutants ? *mutants : std::vector<Mutant>();
}

std::string protocol_of(const Mutant& mutant) {
  return mutant.name.substr(0, mutant.name.find('/'));
}

TEST(Mutants, EveryProtocolThatHopperRunsHasTwo) {
  std::map<std::string, int> of_protocol;
  for (const Mutant& mutant : shipped()) ++of_protocol[protocol_of(mutant)];
  for (const char* protocol :
       {"mbarrier", "mbarrier_tx", "mbarrier_cluster", "st_async", "flag_volatile",
        "flag_acquire_release", "named_barrier", "cta_barrier", "warp_barrier", "cluster_barrier",
        "cp_async_mbarrier", "cp_async_group"})
    EXPECT_GE(of_protocol[protocol], 2) << protocol;
}

TEST(Mutants, EveryKindOfFaultIsInThreeProtocols) {
  std::map<std::string, std::set<std::string>> of_fault;
  for (const Mutant& mutant : shipped()) of_fault[mutant.fault].insert(protocol_of(mutant));
  for (const char* fault : {"dropped", "doubled", "parity", "count", "slot", "bytes", "exit"})
    EXPECT_GE(of_fault[fault].size(), 3U) << fault;
}

TEST(Mutants, PtxasTakesEveryOneInBothBuilds) {
  auto tools = join::images::open_tools({test::home(), {}, {}, {}});
  ASSERT_TRUE(tools) << tools.error().text();
  std::vector<join::images::Prepared> all;
  for (const Mutant& mutant : shipped()) {
    const auto space =
        join::select::open_ids(test::at_home<join::select::SpaceRequest>(), {mutant.variant});
    ASSERT_TRUE(space) << mutant.name << ": " << space.error().text();
    auto prepared = join::images::prepare(*space, launch::Build::timed, 1);
    ASSERT_TRUE(prepared) << mutant.name << ": " << prepared.error().text();
    join::images::Prepared timed = prepared->front();
    const std::string sound = timed.kernel.hash;
    const Status put = put_fault(mutant, timed.kernel);
    ASSERT_TRUE(put) << put.error().text();
    timed.kernel.hash = kernel::kernel_hash(timed.kernel);
    EXPECT_NE(timed.kernel.hash, sound) << mutant.name;
    auto guarded = guard::guard_kernel(timed.kernel, fmt::format("pb_mutant_{}_g", all.size()));
    ASSERT_TRUE(guarded) << mutant.name << ": " << guarded.error().text();
    all.push_back(timed);
    all.back().kernel = std::move(guarded->kernel);
  }
  const join::images::ImageSet set =
      std::move(join::images::make_images(*tools, all, {{"sm_90a", {}}}).front());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_TRUE(set.images[i]) << all[i].kernel.entry << ": " << set.images[i].error().text();
}

TEST(Mutants, AReportMustHoldEveryPart) {
  Mutant mutant;
  mutant.hangs = {"consumer wait", "warp 1"};
  EXPECT_EQ(why_not_caught(mutant, "guard: deadlock: warp 1 lane 0 (consumer wait)"), "");
  const std::string other = "guard: deadlock: warp 0 lane 0 (producer tail); left: cta 0 warp ";
  EXPECT_EQ(
      why_not_caught(mutant, other + "0 at a (producer tail); cta 0 warp 1 at b (consumer wait)"),
      "");
  EXPECT_NE(
      why_not_caught(mutant, other + "1 at a (producer tail); cta 0 warp 0 at b (consumer wait)"),
      "");
  EXPECT_NE(why_not_caught(mutant, "guard: deadlock: warp 0 lane 0 (consumer wait)"), "");
  EXPECT_NE(why_not_caught(mutant, "verify: warp 1 of consumer wait"), "");
  EXPECT_NE(why_not_caught(mutant, ""), "");
}

}  // namespace
}  // namespace phasebit::test
