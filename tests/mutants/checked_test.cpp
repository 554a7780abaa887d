// What `check` says of a mistake, in the words of a guarded build's report; and which reports agree
// with it.
#include "tests/mutants/checked.h"

#include "tests/home.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

MistakeVerdict verdict_of(const std::string& listing, const std::string& mistake) {
  const auto all = mistakes_of(home().data / "ptx" / listing);
  EXPECT_TRUE(all) << all.error().text();
  for (const Mistake& one : *all)
    if (one.what.find(mistake) != std::string::npos) return verdict_of(one);
  ADD_FAILURE() << "no mistake " << mistake;
  return {};
}

std::vector<std::string> waits_of(const CheckedMutant& mutant) {
  std::vector<std::string> waits;
  for (const CheckedWait& one : mutant.waits)
    waits.push_back(fmt::format("{}: warp {}: {}", one.place, one.warp, one.waits));
  return waits;
}

using Words = std::vector<std::string>;

// By hand. One item is in slot 0 and phase 0, whose parity is 0; the tail waits for its release.
TEST(CheckedMutants, ADroppedArrivalHangsBothSides) {
  const auto found =
      verdict_of("ring.mbarrier.st_shared.none.ptx", "dropped: @p_leader mbarrier.arrive");
  ASSERT_TRUE(found.is_known);
  EXPECT_EQ(found.mutant.items, 1U);
  EXPECT_EQ(waits_of(found.mutant),
            (Words{"producer tail: warp 0: waits on empty_barrier[0] parity 0",
                   "consumer wait: warp 1: waits on full_barrier[0] parity 0"}));
}

// The full barrier of slot 0 is number 1, the empty one number 2: 64 threads each, of which 32 do
// not come.
TEST(CheckedMutants, ANamedBarrierHasItsNumber) {
  const auto found = verdict_of("ring.named_barrier.st_shared.none.ptx", "dropped: bar.arrive");
  ASSERT_TRUE(found.is_known);
  EXPECT_EQ(waits_of(found.mutant), (Words{"producer tail: warp 0: waits at barrier 2 with",
                                           "consumer wait: warp 1: waits at barrier 1 with"}));
}

TEST(CheckedMutants, AReportAgreesInWarpPlaceAndBarrier) {
  const CheckedMutant hangs{
      "checked/deadlock/1", "", 2, {{-1, 1, "consumer wait", "waits on full_barrier[0] parity 1"}}};
  const auto report = [](const char* items, const char* warp, const char* waits,
                         const char* place) {
    return fmt::format(
        "guard: guarded build, {} items: deadlock: warp {} lane 0 {} at ring.ptx:112 "
        "(protocols/mbarrier/wait.ptx:5, {}, item 1, cta 7); word 0x1; left: cta 7 warp 0 at ...",
        items, warp, waits, place);
  };
  const char* barrier = "waits on full_barrier[0] parity 1";
  const char* wait = "consumer wait";
  EXPECT_EQ(why_not_as_checked(hangs, report("2", "1", barrier, wait)), "");
  EXPECT_NE(why_not_as_checked(hangs, report("1", "1", barrier, wait)), "");
  EXPECT_NE(why_not_as_checked(hangs, report("2", "0", barrier, wait)), "");
  EXPECT_NE(why_not_as_checked(hangs, report("2", "1", barrier, "consumer tail")), "");
  EXPECT_NE(why_not_as_checked(hangs, report("2", "1", "waits on full_barrier[1] parity 1", wait)),
            "");
  EXPECT_NE(why_not_as_checked(hangs, report("2", "1", "waits on full_barrier[0] parity 0", wait)),
            "");
  EXPECT_EQ(why_not_as_checked(hangs, ""), "hangs by check, and was measured");
  const CheckedMutant proved{"checked/proved/1", "", 0, {}};
  EXPECT_EQ(why_not_as_checked(proved, ""), "");
  EXPECT_EQ(why_not_as_checked(proved, "verify: payload"),
            "is proved, and was reported as: verify: payload");
}

TEST(CheckedMutants, TheirTableIsReadAsWritten) {
  const std::vector<CheckedMutant> mutants = {
      {"checked/deadlock/1",
       "a.ptx:1: dropped: bar.sync 0;",
       3,
       {{1, 2, "producer acquire", "waits at barrier 2 with"}}},
      {"checked/proved/1", "b.ptx:2: warp's barrier dropped: mov.u32 a, \"b\";", 0, {}}};
  const auto place = base::TempDir::create();
  ASSERT_TRUE(place);
  ASSERT_TRUE(base::write_file(place->path() / "checked.toml", text_of(mutants)));
  const auto read = read_checked(place->path() / "checked.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(text_of(*read), text_of(mutants));
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(read->front().waits.front().cta, 1);
  EXPECT_EQ(read->back().mistake, mutants.back().mistake);
}

}  // namespace
}  // namespace phasebit::test
