#include "gen/reduce/reduce.h"

#include "tests/gen/hand_kernels.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {

using reduce::apply;
using reduce::Change;
using reduce::FlatKernel;
using reduce::reduce;

namespace {

FlatKernel flat(const std::string& body) {
  auto made = reduce::flatten(test::kernel("k", "sm_90", body));
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

std::string body_of(const FlatKernel& kernel) {
  std::string text;
  for (const reduce::FlatLine& line : kernel.body) text += ptx::put_together(line.statement) + "\n";
  return text;
}

// For each text whether all of the words are in it.
reduce::StillShows holds(const std::vector<std::string>& words) {
  return [words](const std::vector<FlatKernel>& candidates) {
    std::vector<bool> shows;
    for (const FlatKernel& candidate : candidates) {
      const std::string text = body_of(candidate);
      shows.push_back(std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return text.find(word) != std::string::npos;
      }));
    }
    return shows;
  };
}

std::string long_body(int lines) {
  std::string body = ".reg .b32 a, b, c;\n.reg .pred p;\nmov.u32 a, %tid.x;\nmov.u32 b, a;\n";
  for (int i = 0; i < lines; ++i) body += fmt::format("add.u32 b, b, {};\n", i + 10);
  return body +
         "setp.eq.u32 p, b, 3;\n@p bra L_end;\nL_loop:\nmad.lo.u32 c, b, 3, a;\nbar.sync 0;\n"
         "st.shared.u32 [c], b;\nsetp.lt.u32 p, c, b;\n@p bra L_loop;\nL_end:\nret;\n";
}

TEST(Reduce, LeavesWhatIsNeededAndWhatThatReads) {
  const auto reduced = reduce(flat(long_body(40)), holds({"st.shared"}));
  EXPECT_TRUE(reduced.finished);
  EXPECT_EQ(body_of(reduced.kernel), "st.shared.u32 [pb_shared], 1;\nret;\n");
}

TEST(Reduce, FindsTwoThingsFarApart) {
  const auto reduced = reduce(flat(long_body(100)), holds({"add.u32 b, b, 15;", "bar.sync 0;"}));
  // The addition reads b, which needs a value that no simpler statement gives.
  EXPECT_EQ(body_of(reduced.kernel), "mov.u32 b, 1;\nadd.u32 b, b, 15;\nbar.sync 0;\nret;\n");
  EXPECT_LT(reduced.rounds, 60U);
}

TEST(Reduce, KeepsALoopThatEnds) {
  const auto reduced = reduce(flat(long_body(5)), holds({"L_loop:", "bra L_loop"}));
  EXPECT_EQ(body_of(reduced.kernel), "L_loop:\nsetp.lt.u32 p, 1, 1;\n@p bra L_loop;\nret;\n");
}

TEST(Reduce, IsTheSameEveryTime) {
  const auto once = reduce(flat(long_body(30)), holds({"mad.lo", "bra"}));
  const auto again = reduce(flat(long_body(30)), holds({"mad.lo", "bra"}));
  EXPECT_EQ(body_of(once.kernel), body_of(again.kernel));
  EXPECT_EQ(once.tried, again.tried);
}

TEST(Reduce, GivesWhatItHasWhenTheTimeIsOver) {
  int asked = 0;
  const reduce::ReduceLimits limits{[&] { return ++asked > 3; }, 16};
  const FlatKernel first = flat(long_body(80));
  const auto reduced = reduce(first, holds({"bar.sync"}), limits);
  EXPECT_FALSE(reduced.finished);
  EXPECT_EQ(reduced.rounds, 3U);
  EXPECT_LE(reduce::size_of(reduced.kernel), reduce::size_of(first));
  EXPECT_TRUE(holds({"bar.sync"})({reduced.kernel}).front());
}

TEST(Reduce, AsksForNoMoreThanAllowedAndNeverTwice) {
  std::vector<std::string> seen;
  const reduce::StillShows shows = [&](const std::vector<FlatKernel>& candidates) {
    EXPECT_LE(candidates.size(), 7U);
    for (const FlatKernel& one : candidates) seen.push_back(reduce::as_kernel(one, "k").hash);
    return holds({"mad.lo"})(candidates);
  };
  reduce(flat(long_body(20)), shows, {{}, 7});
  const size_t all = seen.size();
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()) - seen.begin(), static_cast<std::ptrdiff_t>(all));
}

TEST(Apply, TakesAlongWhatHasNoMeaningAnyMore) {
  const FlatKernel kernel = flat(
      ".reg .b32 a, b;\n.reg .pred p;\nmov.u32 a, 1;\nsetp.eq.u32 p, a, 0;\n@p bra L_end;\n"
      "add.u32 b, a, 1;\nst.shared.u32 [b], 7;\nL_end:\nret;\n");
  const auto id_of = [&](const std::string& line) {
    for (const reduce::FlatLine& one : kernel.body)
      if (ptx::put_together(one.statement) == line) return one.id;
    ADD_FAILURE() << line;
    return 0;
  };
  const auto without = [&](const std::string& line) {
    return body_of(apply(kernel, {Change::What::remove, {id_of(line)}}, {}));
  };
  EXPECT_EQ(without("mov.u32 a, 1;"), "L_end:\nret;\n");
  EXPECT_EQ(without("add.u32 b, a, 1;"),
            "mov.u32 a, 1;\nsetp.eq.u32 p, a, 0;\n@p bra L_end;\nL_end:\nret;\n");
  EXPECT_EQ(without("L_end:"),
            "mov.u32 a, 1;\nsetp.eq.u32 p, a, 0;\nadd.u32 b, a, 1;\nst.shared.u32 [b], 7;\nret;\n");
}

TEST(Apply, LeavesReadsThatTheFirstTextHad) {
  const FlatKernel kernel = flat(".reg .b32 a, b;\nst.shared.u32 [a], b;\nmov.u32 b, 0;\nret;\n");
  const std::set<std::string> unwritten = reduce::unwritten_registers(kernel);
  EXPECT_EQ(unwritten, (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(body_of(apply(kernel, {Change::What::remove, {}}, unwritten)), body_of(kernel));
}

TEST(Removals, KeepTheLastReturn) {
  const FlatKernel kernel = flat(".reg .b32 a;\nmov.u32 a, 0;\nmov.u32 a, 1;\nret;\n");
  const std::vector<Change> single = reduce::removals(kernel, 1);
  ASSERT_EQ(single.size(), 2U);
  EXPECT_EQ(body_of(apply(kernel, single[0], {})), "mov.u32 a, 0;\nret;\n");
  EXPECT_EQ(body_of(apply(kernel, single[1], {})), "mov.u32 a, 1;\nret;\n");
}

}  // namespace
}  // namespace phasebit::test
