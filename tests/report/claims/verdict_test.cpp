#include "analysis/report/claims/verdict.h"

#include "analysis/report/claims/claim_rows.h"
#include "analysis/report/claims/sentence.h"
#include "tests/report/claims/rows.h"
#include "tests/report/results.h"

namespace phasebit::test {

using report::claims::cases_of;
using report::claims::Claim;
using report::claims::ClaimCases;
using report::claims::ClaimRow;
using report::claims::plain;
using report::claims::Verdict;

namespace {

ClaimRow ring(const std::string& stages, const std::string& wait, double value,
              double half_width = 0, double floor = 0) {
  return claim_row({{"num_stages", stages}, {"probe", "ring"}, {"wait", wait}}, value, half_width,
                   floor);
}

struct Row {
  const char* relation;
  double a, b, floor;
  const char* more;
  size_t holds, refutes, ambiguous;
};

TEST(Judge, EachRelationAgainstTheFloor) {
  const Row rows[] = {
      {"less", 90, 100, 5, "", 1, 0, 0},
      {"less", 96, 100, 5, "", 0, 0, 1},
      {"less", 110, 100, 5, "", 0, 1, 0},
      {"less", 89, 100, 0, "bound = \"0.9 * b\"", 1, 0, 0},
      {"less", 91, 100, 0, "bound = \"0.9 * b\"", 0, 1, 0},
      {"greater", 110, 100, 5, "", 1, 0, 0},
      {"greater", 105, 100, 5, "", 0, 0, 1},
      {"greater", 90, 100, 5, "", 0, 1, 0},
      {"greater", 104, 100, 0, "bound = \"b + 5\"", 0, 1, 0},
      {"at_most", 100, 100, 0, "", 1, 0, 0},
      {"at_most", 104, 100, 5, "", 1, 0, 0},
      {"at_most", 106, 100, 5, "", 0, 1, 0},
      {"at_most", 103, 100, 0, "within = 3", 1, 0, 0},
      {"at_least", 96, 100, 5, "", 1, 0, 0},
      {"at_least", 94, 100, 5, "", 0, 1, 0},
      {"within", 102, 100, 0, "within = 2", 1, 0, 0},
      {"within", 97, 100, 0, "within = 2", 0, 1, 0},
      {"within", 103, 100, 0, "within_percent = 3", 1, 0, 0},
      {"within", 103, 100, 3, "", 1, 0, 0},
      {"within", 103, 100, 2, "", 0, 1, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{} {} {} {}", row.a, row.relation, row.b, row.more));
    const Claim claim =
        claim_of(fmt::format("says = \"\"\na = {{ num_stages = 4 }}\nb = {{ num_stages = 2 }}\n"
                             "relation = \"{}\"\nunpaired = \"one repetition\"\n{}",
                             row.relation, row.more));
    const Verdict verdict =
        verdict_of(claim, {ring("4", "x", row.a), ring("2", "x", row.b, 0, row.floor)});
    EXPECT_EQ(verdict.holds, row.holds);
    EXPECT_EQ(verdict.refutes, row.refutes);
    EXPECT_EQ(verdict.ambiguous, row.ambiguous);
    EXPECT_EQ(verdict.is_true, row.holds == 1);
  }
}

// Both intervals together are a floor.
TEST(Judge, ADifferenceMustExceedBothIntervals) {
  const Claim claim =
      claim_of("says = \"\"\na = { num_stages = 4 }\nb = { num_stages = 2 }\nrelation = \"less\"");
  EXPECT_EQ(verdict_of(claim, {ring("4", "x", 96, 2), ring("2", "x", 100, 3)}).ambiguous, 1U);
  EXPECT_EQ(verdict_of(claim, {ring("4", "x", 94, 2), ring("2", "x", 100, 3)}).holds, 1U);
}

TEST(Judge, OneRowRefutesWhateverTheOthersSay) {
  const Claim claim =
      claim_of("says = \"\"\na = { num_stages = 4 }\nb = { num_stages = 2 }\nrelation = \"less\"");
  const Verdict verdict =
      verdict_of(claim, {ring("4", "x", 90), ring("2", "x", 100), ring("4", "y", 80),
                         ring("2", "y", 100), ring("4", "z", 101), ring("2", "z", 100)});
  EXPECT_EQ(verdict.holds, 2U);
  EXPECT_EQ(verdict.refutes, 1U);
  EXPECT_FALSE(verdict.is_true);
}

// What cannot be told apart does not have the relation.
TEST(Judge, AShareCountsWhatIsAmbiguous) {
  const std::string keys =
      "says = \"\"\na = { num_stages = 4 }\nb = { num_stages = 2 }\nrelation = \"less\"\n";
  const std::vector<ClaimRow> rows = {ring("4", "x", 90),  ring("2", "x", 100),
                                      ring("4", "y", 100), ring("2", "y", 100),
                                      ring("4", "z", 120), ring("2", "z", 100)};
  EXPECT_EQ(verdict_of(claim_of(keys + "most_share = \"0.4\""), rows).used, 3U);
  EXPECT_TRUE(verdict_of(claim_of(keys + "most_share = \"0.4\""), rows).is_true);
  EXPECT_FALSE(verdict_of(claim_of(keys + "most_share = \"0.3\""), rows).is_true);
  EXPECT_FALSE(verdict_of(claim_of(keys + "least_share = \"0.5\""), rows).is_true);
}

TEST(Judge, AFormulaIsOverAxes) {
  const Claim claim = claim_of(
      "says = \"\"\nrelation = \"within\"\nbound = \"10 + 2 * num_stages\"\nwithin = \"0.5\"");
  const Verdict verdict =
      verdict_of(claim, {ring("4", "x", 18.25), ring("8", "x", 27), ring("all", "x", 1)});
  EXPECT_EQ(verdict.holds, 1U);
  EXPECT_EQ(verdict.refutes, 1U);
  EXPECT_EQ(verdict.cases[2].state, report::claims::CaseState::no_bound);
}

TEST(Judge, WithoutARowNothingIsTrue) {
  EXPECT_FALSE(verdict_of(claim_of("says = \"\"\nrelation = \"less\"\nbound = \"1\""), {}).is_true);
}

TEST(Cases, OneThingDiffers) {
  const Claim claim =
      claim_of("says = \"\"\na = { num_stages = 4 }\nb = { num_stages = 2 }\nrelation = \"less\"");
  ClaimRow other = ring("2", "y", 100), elsewhere = ring("2", "x", 100);
  for (auto& [axis, value] : elsewhere.axes)
    if (axis == "device") value = "NVIDIA H100";
  const ClaimCases cases = cases_of(claim, {ring("4", "x", 90), other, elsewhere}, false);
  EXPECT_TRUE(cases.cases.empty());
  ASSERT_EQ(cases.left_out.size(), 3U);
  EXPECT_EQ(cases.left_out[0].why, "nothing to compare with");
  EXPECT_EQ(cases_of(claim_of("says = \"\"\na = { num_stages = 4 }\nb = { num_stages = 2 }\n"
                              "relation = \"less\"\nfree = [\"wait\"]"),
                     {ring("4", "x", 90), other, elsewhere}, false)
                .cases.size(),
            1U);
}

// An axis that only one of two protocols has cannot be held equal.
TEST(Cases, AgreeInTheAxesThatBothHave) {
  const Claim claim = claim_of(
      "says = \"\"\na = { protocol = \"a\" }\nb = { protocol = \"b\" }\nrelation = \"less\"");
  const ClaimRow first = claim_row(
      {{"num_stages", "2"}, {"probe", "ring"}, {"protocol", "a"}, {"wait", "try_wait"}}, 1);
  const auto second = [](const char* stages) {
    return claim_row({{"num_stages", stages}, {"probe", "ring"}, {"protocol", "b"}}, 2);
  };
  EXPECT_EQ(cases_of(claim, {first, second("2"), second("4")}, false).cases.size(), 1U);
}

// The GPU chose where a cluster ran; on how many SMs a grid runs is a setting like others.
TEST(Cases, AskForEqualSmsOfAGridAndNotOfACluster) {
  const std::string sides = "says = \"\"\na = { mover = \"a\" }\nb = { mover = \"b\" }\n";
  const auto pairs = [&](const char* axis, const std::string& more) {
    const auto row = [&](const char* mover, const char* sms) {
      return claim_row({{axis, sms}, {"mover", mover}, {"probe", "ring"}}, 1);
    };
    return cases_of(claim_of(sides + "relation = \"less\"" + more),
                    {row("a", "1"), row("b", "1"), row("b", "32")}, false)
        .cases.size();
  };
  EXPECT_EQ(pairs("sms", ""), 1U);
  EXPECT_EQ(pairs("ran_on", ""), 2U);
  EXPECT_EQ(pairs("ran_on", "\nequal = [\"ran_on\"]"), 1U);
}

TEST(Cases, LeaveOutWithAReason) {
  const Claim claim = claim_of("says = \"\"\nrelation = \"less\"\nbound = \"100\"");
  ClaimRow failed = ring("1", "x", 0);
  failed.figure.reason = report::data::unusable("launch: killed");
  using Kind = results::Flag::Kind;
  const std::vector<ClaimRow> rows = {
      failed, flagged(ring("2", "x", 1), {{Kind::modes}}),
      flagged(ring("3", "x", 1), {{Kind::first_use}}),
      flagged(ring("4", "x", 1), {{Kind::not_linear, "", {1, 2}}}),
      flagged(ring("5", "x", 1), {{Kind::interval_too_wide, "wake"}})};
  const ClaimCases cases = cases_of(claim, rows, false);
  EXPECT_EQ(cases.cases.size(), 2U);
  ASSERT_EQ(cases.left_out.size(), 3U);
  EXPECT_EQ(cases.left_out[0].why, "launch: killed");
  EXPECT_EQ(cases.left_out[1].why, "flagged modes");
  EXPECT_EQ(cases.left_out[2].why, "flagged not_linear:1.00,2.00");
  const Claim accepts =
      claim_of("says = \"\"\nrelation = \"less\"\nbound = \"100\"\naccepts = [\"modes\"]");
  EXPECT_EQ(cases_of(accepts, rows, false).cases.size(), 3U);
}

TEST(Cases, ForksAndOtherToolsAreSpokenOfWhereTheyAreNamed) {
  ClaimRow fork = claim_row({{"num_stages", "2"}, {"probe", "ring"}, {"tuned", "mine"}}, 1);
  fork.own = {"tuned"};
  const std::vector<ClaimRow> rows = {fork, claim_row({{"num_stages", "2"}, {"probe", "ring"}}, 2)};
  const std::string keys = "says = \"\"\nrelation = \"less\"\n";
  EXPECT_EQ(cases_of(claim_of(keys + "bound = \"100\""), rows, false).cases.size(), 1U);
  const Verdict verdict =
      verdict_of(claim_of(keys + "a = { tuned = \"*\" }\nb = { tuned = \"-\" }"), rows);
  EXPECT_EQ(verdict.holds, 1U);
  EXPECT_EQ(verdict.used, 1U);
  EXPECT_TRUE(cases_of(claim_of(keys + "bound = \"9\"\nptxas = \"12\""), rows, false).rows.empty());
  ClaimRow older = claim_row({{"num_stages", "2"}, {"probe", "ring"}}, 3);
  older.own = {"ptxas"};
  for (auto& [axis, value] : older.axes)
    if (axis == "ptxas") value = "12.4.131";
  const auto used = [&](const std::string& more) {
    return cases_of(claim_of(keys + "bound = \"9\"\n" + more), {older}, false).cases.size();
  };
  EXPECT_EQ(used(""), 0U);
  EXPECT_EQ(used("ptxas = \"12\""), 1U);
  EXPECT_EQ(used("ptxas = \"13\""), 0U);
  EXPECT_EQ(used("a = { ptxas = \"12.*\" }"), 1U);
  const Claim other = claim_of(keys + "bound = \"9\"\ndevices = [\"H100\"]");
  EXPECT_TRUE(cases_of(other, rows, false).rows.empty());
  EXPECT_EQ(cases_of(other, rows, true).cases.size(), 1U);
}

TEST(Against, AFigureIsTakenAgainstItsControl) {
  const std::string keys = "says = \"\"\nrelation = \"less\"\nbound = \"100\"\n";
  const std::vector<ClaimRow> rows = {ring("4", "x", 150, 0, 1), ring("1", "x", 100, 0, 1),
                                      ring("4", "y", 10)};
  const auto percent =
      report::claims::against_control(claim_of(keys + "against = { num_stages = 1 }"), rows);
  ASSERT_EQ(percent.size(), 2U);
  EXPECT_DOUBLE_EQ(percent[0].figure.value, 50);
  EXPECT_DOUBLE_EQ(percent[0].floor, 2);
  EXPECT_EQ(percent[0].ids.size(), 2U);
  EXPECT_EQ(percent[1].figure.reason.text, "its control is not there");
  const auto difference = report::claims::against_control(
      claim_of(keys + "against = { num_stages = 1 }\nagainst_as = \"difference\""), rows);
  EXPECT_DOUBLE_EQ(difference[0].figure.value, 50);
  EXPECT_DOUBLE_EQ(difference[0].floor, 2);
}

TEST(Sentence, HasTheFiguresOfItsRows) {
  const Claim claim = claim_of(
      "says = \"{holds} of {used} on {devices}: {a}, {b}, {difference}, {saved_percent} % at "
      "{axis.num_stages} by {axis.wait}; x: {x}\"\na = { num_stages = \">2\" }\n"
      "b = { num_stages = 2 }\nrelation = \"less\"\nshows = { x = { of = \"a\", where = { wait = "
      "\"x\" } } }");
  const std::vector<ClaimRow> rows = {ring("4", "x", 90), ring("2", "x", 100), ring("8", "y", 75),
                                      ring("2", "y", 100)};
  const ClaimCases cases = cases_of(claim, rows, false);
  EXPECT_EQ(
      report::claims::sentence(claim, cases, report::claims::judge(claim, cases)),
      "2 of 2 on NVIDIA H200: 75 to 90, 100, -25 to -10, 10 to 25 % at 4 to 8 by x, y; x: 90");
  EXPECT_EQ(plain(12.64), "12.6");
  EXPECT_EQ(plain(0.346), "0.35");
  EXPECT_EQ(plain(-0.001), "0");
  EXPECT_EQ(plain(10), "10");
  EXPECT_EQ(plain(1234.5), "1234");
  EXPECT_EQ(plain(-123456), "-123,456");
  EXPECT_EQ(plain(1000000), "1,000,000");
}

// A reader would take a sentence for any depth, though all rows have one.
TEST(Sentence, SaysWithWhatItsRowsWereMeasuredAndHowManyHaveNoFigure) {
  const Claim claim = claim_of(
      "says = \"{ratio} by `x`\"\na = { wait = \"x\" }\nb = { wait = \"y\" }\nrelation = \"less\"");
  std::vector<ClaimRow> rows = {ring("4", "x", 75.123), ring("4", "y", 100)};
  const auto said = [&] {
    const ClaimCases cases = cases_of(claim, rows, false);
    return report::claims::sentence(claim, cases, report::claims::judge(claim, cases));
  };
  EXPECT_EQ(said(), "0.75 by `x` [with `num_stages=4`; H200 alone]");
  rows.push_back(ring("2", "x", 76.789));
  rows.push_back(ring("2", "y", 100));
  EXPECT_EQ(said(), "0.75 to 0.77 by `x` [H200 alone]");
  // A range holds what it is of: 0.75123 to 0.76189.
  rows[2].figure.value = 76.189;
  EXPECT_EQ(said(), "0.75 to 0.77 by `x` [H200 alone]");
  rows.push_back(ring("8", "x", 0));
  rows.back().figure.reason = report::data::unusable("it hung");
  rows.push_back(ring("8", "y", 100));
  EXPECT_EQ(said(), "0.75 to 0.77 by `x` [H200 alone; 1 without a figure]");
  // Not its default, in all rows.
  for (ClaimRow& row : rows) {
    row.axes.emplace_back("read", "first");
    row.set = {"read"};
  }
  EXPECT_EQ(said(), "0.75 to 0.77 by `x` [with `read=first`; H200 alone; 1 without a figure]");
}

}  // namespace
}  // namespace phasebit::test
