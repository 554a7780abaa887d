// Every wait of tests/gen/guard/shapes.cu is bounded or named, as nvcc writes it with and without
// optimisation and for a debugger.
#include "tests/gen/guard_text.h"

#include <algorithm>

namespace phasebit::test {

using guard::GuardedPtx;

namespace {

// A kernel, and what its wait is: alone, or in a function that it calls.
struct Shape {
  const char* entry;
  std::vector<std::string> kinds;
};

const std::vector<Shape> shapes = {
    {"count_of_flags", {"flag"}},
    {"count_by_value", {"parity"}},
    {"count_and_phase", {"parity"}},
    {"sum", {"flag"}},
    {"mask", {"flag"}},
    {"down", {"flag"}},
    {"exchanges", {"atomic", "call"}},
    {"follows", {"flag"}},
    {"one_by_one", {"flag"}},
    {"with_reports", {"flag"}},
    {"counts_round", {"flag"}},
    {"two_exits", {"flag"}},
    {"round_and_round", {"flag"}},
    {"together", {"flag"}},
    {"cached_in_l2", {"flag", "call"}},
    {"not_cached", {"flag", "call"}},
    {"spelled_out", {"flag"}},
    {"multimem", {"flag"}},
    {"half_a_word", {"flag"}},
    {"one_of_four", {"flag"}},
    {"by_table", {"call"}},
    {"by_pointer", {"call"}},
    {"by_method", {"call"}},
    {"by_argument", {"call"}},
    {"by_announcement", {"call"}},
    {"all_agree", {"flag"}},
    {"one_tells", {"flag"}},
    {"any_sleeps", {"flag"}},
    {"ballot", {"flag"}},
    {"lanes_that_are_done", {"flag"}},
    {"lanes_that_are_left", {"flag"}},
    {"count_by_ballot", {"flag"}},
    {"count_of_lanes", {"flag"}},
    {"choice", {"flag"}},
    {"choice_or_nothing", {"flag"}},
    {"rows", {"flag"}},
    {"begun_anew", {"flag"}},
    {"begun_anew_with_work", {"flag"}},
    {"starts_over", {"flag"}},
    {"two_barriers", {"parity"}},
    {"states", {"flag", "parity"}},
    {"falls_back", {"parity"}},
    {"serves", {"flag", "parity"}},
    {"busy", {"flag"}},
    {"but_for_nine", {"flag"}},
    {"but_in_between", {"flag"}},
    {"apart", {"flag"}},
    {"few_bits", {"flag"}},
    {"looks_back", {"flag"}},
    {"once_more", {"flag"}},
    {"from_the_start", {"flag"}},
    {"largest", {"flag"}},
    {"smallest", {"flag"}},
    {"own_table", {"flag"}},
    {"lanes_that_are_there", {"flag", "call"}},
    {"to_and_fro", {"flag"}},
    {"with_a_ceiling", {"flag"}},
    {"takes_a_lock", {"atomic", "call"}},
    {"named", {"barrier"}},
};

bool waits(const GuardedPtx& made, const Shape& shape) {
  return std::any_of(made.sites.begin(), made.sites.end(), [&](const launch::WaitSite& site) {
    return site.entry == shape.entry &&
           std::find(shape.kinds.begin(), shape.kinds.end(),
                     std::string(launch::to_string(site.kind))) != shape.kinds.end();
  });
}

std::ptrdiff_t sites_in(const GuardedPtx& made, const std::string& part_of_entry) {
  return std::count_if(made.sites.begin(), made.sites.end(), [&](const launch::WaitSite& site) {
    return site.entry.find(part_of_entry) != std::string::npos;
  });
}

TEST(GuardShapes, EveryWaitIsBoundedOrNamed) {
  for (const char* file :
       {"shapes_sm_90.ptx", "shapes_plain_sm_90.ptx", "shapes_debug_sm_90.ptx"}) {
    const GuardedPtx made = guarded(guard_fixture(file), file);
    for (const Shape& shape : shapes)
      EXPECT_TRUE(waits(made, shape)) << file << ": " << shape.entry;
    EXPECT_GE(sites_in(made, "recurs"), 1) << file;
    EXPECT_EQ(sites_in(made, "named"), 3) << file;
    EXPECT_EQ(sites_in(made, "walks"), 0) << file;
    EXPECT_EQ(sites_in(made, "ends_by"), 0) << file;
    // Two go from row to row of a table, one asks a function of another text, one puts its end off;
    // the step of `ends_by_tries` is a parameter, which may be 0.
    const auto noted = [&](const char* what) {
      return std::count_if(made.notes.begin(), made.notes.end(), [&](const std::string& note) {
        return note.find(what) != std::string::npos;
      });
    };
    const std::ptrdiff_t puts_off = 1 - sites_in(made, "puts_off");
    EXPECT_EQ(noted("nothing shows what 'call.uni' on line"), 1) << file;
    EXPECT_EQ(noted("nothing shows what decides 'bra"), 2 + puts_off) << file;
    EXPECT_EQ(noted("no count or clock is sure to"), 1) << file;
    EXPECT_EQ(std::ssize(made.notes), 4 + puts_off) << file;
  }
}

// Where the trap is a function's, its loop is bounded as well.
TEST(GuardShapes, AWaitThatGivesUpByItselfStays) {
  const char* file = "shapes_sm_90.ptx";
  EXPECT_EQ(sites_in(guarded(guard_fixture(file), file), "gives_up"), 0);
}

TEST(GuardShapes, PtxasTakesThem) {
  if (!fs::exists(guard_ptxas())) GTEST_SKIP() << "no ptxas at " << guard_ptxas();
  for (const char* file : {"shapes_sm_90.ptx", "shapes_plain_sm_90.ptx", "shapes_debug_sm_90.ptx"})
    EXPECT_EQ(refused_by_ptxas(guard_fixture(file), "sm_90", {"-c"}), "") << file;
}

}  // namespace
}  // namespace phasebit::test
