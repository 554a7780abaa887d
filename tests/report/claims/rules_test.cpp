// What a sentence adds to its relation: scope, cause, control, how many.
#include "analysis/report/claims/rules.h"

#include "analysis/report/claims/sentence.h"
#include "tests/report/claims/rows.h"

namespace phasebit::test {

using report::claims::cases_of;
using report::claims::Claim;
using report::claims::ClaimCases;
using report::claims::ClaimRow;
using report::claims::control_fault;
using report::claims::count_text;
using report::claims::Counts;
using report::claims::outside_of;
using report::claims::scope_faults;
using report::claims::Verdict;

namespace {

// A ring on a GPU of this model, of code that these three make distinct.
ClaimRow rules_ring(const std::string& stages, const std::string& wait, double value,
                    const std::string& device = "NVIDIA H200") {
  ClaimRow row =
      claim_row({{"num_stages", stages}, {"probe", "ring"}, {"wait", wait}}, value, 0, 0);
  for (auto& [axis, word] : row.axes)
    if (axis == "device") word = device;
  return row;
}

// The same under several paddings.
ClaimRow under_paddings(ClaimRow row, const std::vector<double>& values) {
  row.figure.gpu = "GPU-1";
  for (const double value : values) {
    report::data::AtCondition one;
    one.at.padding = static_cast<int>(16 * row.figure.at.size());
    one.value = value;
    one.interval = {value, value};
    row.figure.at.push_back(one);
  }
  return row;
}

const std::string more_stages =
    "says = \"{used}: {holds_of_used}, {a} cycles\"\na = { num_stages = 4 }\n"
    "b = { num_stages = 2 }\n";

TEST(Counts, AreOfWhatIsDistinctOnOneModel) {
  const Claim claim = claim_of(more_stages + "relation = \"less\"");
  const std::string h100 = "NVIDIA H100 80GB HBM3";
  ClaimRow again = rules_ring("4", "y", 90.3);  // the code of x under another name
  again.code = rules_ring("4", "x", 0).code;
  ClaimRow beside = rules_ring("2", "y", 100);
  beside.code = rules_ring("2", "x", 0).code;
  std::vector<ClaimRow> rows = {
      rules_ring("4", "x", 90),         rules_ring("2", "x", 100),      again, beside,
      rules_ring("4", "x", 90.2, h100), rules_ring("2", "x", 100, h100)};
  const auto text = [&] {
    const ClaimCases cases = cases_of(claim, rows, false);
    return sentence(claim, cases, judge(claim, cases));
  };
  EXPECT_EQ(text(), "1: 1 of 1, 90 to 90.3 cycles");
  // Another pair of codes, on one of them.
  rows.push_back(rules_ring("4", "z", 70));
  rows.push_back(rules_ring("2", "z", 80));
  EXPECT_EQ(text(),
            "2 on H200, 1 on H100: 2 of 2 on H200, 1 of 1 on H100, 70 to 90.3 (H200), "
            "90.2 (H100) cycles");
  // Of one code the worst row counts.
  rows[2].figure.value = 120;
  const Verdict verdict = verdict_of(claim, rows);
  EXPECT_EQ(count_text(verdict, &Counts::refutes), "1 on H200, 0 on H100");
  EXPECT_FALSE(verdict.is_true);
}

// A share is asked of each model: agreement of one does not make up for the other.
TEST(Counts, AShareIsOfEachModel) {
  const Claim claim = claim_of(more_stages + "relation = \"less\"\nleast_share = \"0.5\"");
  const std::string h100 = "NVIDIA H100 80GB HBM3";
  const std::vector<ClaimRow> rows = {
      rules_ring("4", "x", 90),  rules_ring("2", "x", 100),       rules_ring("4", "y", 90),
      rules_ring("2", "y", 100), rules_ring("4", "x", 110, h100), rules_ring("2", "x", 100, h100)};
  EXPECT_FALSE(verdict_of(claim, rows).is_true);
  EXPECT_TRUE(verdict_of(claim, {rows.begin(), rows.begin() + 4}).is_true);
}

struct PairsRow {
  const char* relation;
  std::vector<double> a, b;
  const char* state;
};

// One odd placement of seven neither makes a difference nor hides one.
TEST(Pairs, DecideByTheDifferenceUnderEqualConditions) {
  const PairsRow rows[] = {
      {"at_most",
       {129, 129, 129, 129, 105, 129, 129},
       {106, 106, 106, 106, 106, 106, 106},
       "refutes"},
      {"at_most",
       {104, 104, 104, 104, 129, 104, 104},
       {106, 106, 106, 106, 106, 106, 106},
       "holds"},
      {"less", {90, 110, 90, 110}, {100, 120, 100, 120}, "holds"},
      {"less", {90, 130, 90, 130}, {100, 120, 100, 120}, "ambiguous"},
  };
  for (const PairsRow& row : rows) {
    SCOPED_TRACE(row.relation + fmt::format(" {}", row.a));
    const Claim claim = claim_of(more_stages + fmt::format("relation = \"{}\"", row.relation));
    const auto median = [](std::vector<double> values) {
      std::sort(values.begin(), values.end());
      return values[values.size() / 2];
    };
    const Verdict verdict =
        verdict_of(claim, {under_paddings(rules_ring("4", "x", median(row.a)), row.a),
                           under_paddings(rules_ring("2", "x", median(row.b)), row.b)});
    EXPECT_EQ(verdict.holds, row.state == std::string("holds") ? 1U : 0U);
    EXPECT_EQ(verdict.refutes, row.state == std::string("refutes") ? 1U : 0U);
    EXPECT_EQ(verdict.ambiguous, row.state == std::string("ambiguous") ? 1U : 0U);
    EXPECT_EQ(verdict.unpaired, 0U);
  }
}

TEST(Pairs, AnUnpairedFloorIsNoAllowance) {
  ClaimRow slower = rules_ring("4", "x", 103);
  slower.floor = 20;
  const std::vector<ClaimRow> rows = {slower, rules_ring("2", "x", 100)};
  const Verdict verdict = verdict_of(claim_of(more_stages + "relation = \"at_most\""), rows);
  EXPECT_EQ(verdict.refutes, 1U);
  EXPECT_EQ(verdict.unpaired, 1U);
  EXPECT_EQ(verdict.cases.front().why, "holds only by the floor of unpaired repetitions");
  EXPECT_TRUE(
      verdict_of(claim_of(more_stages + "relation = \"at_most\"\nunpaired = \"two GPUs\""), rows)
          .is_true);
}

// `question` without `wait`: ten comparisons by y, of which these refute.
struct ScopeRow {
  int refuting;
  const char* more;
  size_t faults;
};

TEST(Outside, IsEvaluatedAndATenthMustBeNamed) {
  const ScopeRow cases[] = {{1, "", 0},
                            {2, "", 1},
                            {2, "limit = \"cycles\"\n", 0},
                            {2, "limit = { when = \"cycles\" }\n", 0},
                            // `probe` keeps out nothing that refutes.
                            {2, "limit = { probe = \"cycles\" }\n", 1},
                            {10, "least_share = \"0.5\"\n", 1}};
  for (const ScopeRow& row : cases) {
    SCOPED_TRACE(fmt::format("{} {}", row.refuting, row.more));
    const Claim claim = claim_of(
        "says = \"{a} cycles\"\nquestion = { probe = \"ring\" }\nrelation = \"less\"\nbound = "
        "\"100\"\na = { wait = \"*\" }\nwhen = \"20 - num_stages\"\n" +
        std::string(row.more));
    std::vector<ClaimRow> rows = {rules_ring("1", "x", 50)};
    for (int n = 0; n < 10; ++n)
      rows.push_back(rules_ring(std::to_string(20 + n), "y", n < row.refuting ? 150 : 50));
    const ClaimCases inside = cases_of(claim, rows, false);
    EXPECT_EQ(inside.cases.size(), 1U);
    const auto outside = outside_of(claim, rows, inside, false);
    EXPECT_EQ(outside.evaluated, 10U);
    EXPECT_EQ(outside.verdict.refutes, static_cast<size_t>(row.refuting));
    EXPECT_EQ(outside.cases.rows.size(), outside.verdict.cases.size());
    const auto faults = scope_faults(claim, inside, outside);
    ASSERT_EQ(faults.size(), row.faults);
    if (row.faults > 0) {
      EXPECT_NE(faults[0].find(" of 10 comparisons that 'question' includes and 'where' excludes"),
                std::string::npos);
    }
  }
}

TEST(Outside, HasFlaggedRowsAndNoForks) {
  const Claim claim = claim_of("says = \"\"\nrelation = \"less\"\nbound = \"100\"");
  ClaimRow fork =
      claim_row({{"num_stages", "8"}, {"probe", "ring"}, {"tuned", "mine"}, {"wait", "x"}}, 150);
  fork.own = {"tuned"};
  const std::vector<ClaimRow> rows = {
      rules_ring("1", "x", 50), flagged(rules_ring("2", "x", 150), {{results::Flag::Kind::modes}}),
      fork};
  const ClaimCases inside = cases_of(claim, rows, false);
  const auto outside = outside_of(claim, rows, inside, false);
  EXPECT_EQ(outside.evaluated, 1U);
  EXPECT_EQ(outside.verdict.refutes, 1U);
  const Claim narrow = claim_of(
      "says = \"\"\nquestion = { probe = \"ring\", wait = \"y\" }\nrelation = \"less\"\nbound = "
      "\"100\"");
  const ClaimCases all = cases_of(narrow, rows, false);
  EXPECT_EQ(scope_faults(narrow, all, outside_of(narrow, rows, all, false)).front(),
            "'question' leaves out 2 of the 2 rows of 'where'");
}

TEST(Outside, EachValueOfAListIsCompared) {
  const std::vector<ClaimRow> rows = {rules_ring("1", "x", 50), rules_ring("2", "x", 50)};
  const auto faults = [&](const std::string& more) {
    const Claim claim = claim_of("says = \"\"\nrelation = \"less\"\nbound = \"100\"\n" + more);
    const ClaimCases inside = cases_of(claim, rows, false);
    return scope_faults(claim, inside, outside_of(claim, rows, inside, false));
  };
  const std::string where = "where = { probe = \"ring\", ";
  const std::vector<std::string> unmet = {"'where' lists wait = y, of which no row is compared"};
  EXPECT_EQ(faults(where + "wait = [\"x\", \"y\"] }\n"), unmet);
  // One value alone is what the sentence is about, and a pattern or the lack of an axis no value.
  EXPECT_TRUE(faults(where + "wait = [\"x\", \"z*\", \"-\"], num_stages = [1, 2] }\n").empty());
}

TEST(Outside, ASubtractionThatFailsMustBeNamed) {
  ClaimRow in_loop = rules_ring("2", "x", 50);
  in_loop.figure.reason = {report::data::Missing::not_separable, "not separable"};
  const std::vector<ClaimRow> rows = {rules_ring("1", "x", 50), in_loop};
  const auto faults = [&](const std::string& more) {
    const Claim claim =
        claim_of("says = \"unrolled\"\nrelation = \"less\"\nbound = \"100\"\n" + more);
    const ClaimCases inside = cases_of(claim, rows, false);
    return scope_faults(claim, inside, outside_of(claim, rows, inside, false));
  };
  ASSERT_EQ(faults("").size(), 1U);
  EXPECT_EQ(faults("").front(),
            "1 of its 2 rows cannot be separated from their loop: the sentence must name the limit "
            "(limit = { loop = \"WORDS OF IT\" })");
  EXPECT_TRUE(faults("limit = \"unrolled\"\n").empty());
  EXPECT_TRUE(faults("limit = { loop = \"unrolled\" }\n").empty());
}

// Ten rows of each: one axis keeps out those of 16 stages, another those that wait by `y`.
TEST(Outside, EachAxisThatKeepsOutWhatRefutesMustBeNamed) {
  const auto fault = [](const std::string& limit) {
    const Claim claim = claim_of(
        "says = \"few, by x\"\nquestion = { probe = \"ring\" }\nrelation = \"less\"\nbound = "
        "\"100\"\nwhere = { probe = \"ring\", num_stages = \"<16\", wait = \"x\" }\n" +
        limit);
    std::vector<ClaimRow> rows = {rules_ring("1", "x", 50)};
    for (int n = 0; n < 10; ++n) {
      rows.push_back(rules_ring(std::to_string(16 + n), "x", 150));
      rows.push_back(rules_ring(std::to_string(2 + n), "y", 150));
    }
    const ClaimCases inside = cases_of(claim, rows, false);
    const auto faults = scope_faults(claim, inside, outside_of(claim, rows, inside, false));
    return faults.empty() ? "" : faults.front().substr(faults.front().find("kept"));
  };
  EXPECT_EQ(fault(""), "kept out by num_stages (10), wait (10)");
  EXPECT_EQ(fault("limit = { num_stages = \"few\" }\n"), "kept out by wait (10)");
  EXPECT_EQ(fault("limit = \"few\"\n"), "kept out by wait (10)");  // of two that keep out as many
  EXPECT_EQ(fault("limit = { num_stages = \"few\", wait = \"by x\" }\n"), "");
}

// Ratios 2, 1.25, 1.65 and differences 50, 20, 52 by condition; the medians of the sides are 100
// and 80: their ratio 1.25 and difference 20 are nothing that is judged.
TEST(Pairs, AreWhatASentenceShows) {
  const Claim claim = claim_of(
      "says = \"{a} {b} {difference} {saved} {ratio} {percent} {saved_percent}\"\n"
      "a = { num_stages = 4 }\nb = { num_stages = 2 }\nrelation = \"greater\"");
  const ClaimCases cases = cases_of(claim,
                                    {under_paddings(rules_ring("4", "x", 100), {100, 100, 132}),
                                     under_paddings(rules_ring("2", "x", 80), {50, 80, 80})},
                                    false);
  const Verdict verdict = judge(claim, cases);
  EXPECT_EQ(sentence(claim, cases, verdict), "100 80 50 -50 1.65 65 -65 [H200 alone]");
  ASSERT_EQ(verdict.cases.size(), 1U);
  EXPECT_DOUBLE_EQ(verdict.cases.front().above, 50);
  EXPECT_EQ(verdict.cases.front().pairs, 3U);
}

// 6, 6, 16, 1, 1 cycles above: their median is 2 % of the median bound, and the median share is
// 5.3 %. Three quarters of the differences lie within 5 cycles of 6, so the floor allows 5.
TEST(Pairs, APercentageIsOfEachPair) {
  const ClaimRow a = under_paddings(rules_ring("4", "x", 301), {106, 106, 316, 301, 301}),
                 b = under_paddings(rules_ring("2", "x", 300), {100, 100, 300, 300, 300});
  const auto refutes = [&](const char* percent) {
    return verdict_of(claim_of(more_stages + "relation = \"within\"\nwithin_percent = " + percent),
                      {a, b})
        .refutes;
  };
  EXPECT_EQ(refutes("5"), 1U);
  EXPECT_EQ(refutes("6"), 0U);
}

// One code under two names differs by nothing, whatever is claimed.
TEST(Pairs, OfEqualCodeAreCountedApart) {
  const std::string says = "relation = \"at_most\"\nbound = \"1.4 * b\"";
  ClaimRow twin = rules_ring("4", "x", 100);
  twin.code = rules_ring("2", "x", 0).code;
  std::vector<ClaimRow> rows = {twin, rules_ring("2", "x", 100)};
  const Claim claim = claim_of(more_stages + says);
  Verdict verdict = verdict_of(claim, rows);
  EXPECT_EQ(verdict.used, 0U);
  EXPECT_EQ(verdict.equal_code, 1U);
  EXPECT_FALSE(verdict.is_true);
  EXPECT_TRUE(verdict.all_of_equal_code());
  // Nor does it refute beside a pair of two codes.
  rows[0].figure.value = 200;
  rows.push_back(rules_ring("4", "y", 90));
  rows.push_back(rules_ring("2", "y", 100));
  verdict = verdict_of(claim, rows);
  EXPECT_EQ(verdict.used, 1U);
  EXPECT_EQ(verdict.equal_code, 1U);
  EXPECT_TRUE(verdict.is_true);
  // Two GPUs are compared by one code.
  const Claim across = claim_of(
      "says = \"\"\na = { device = \"*H100*\" }\nb = { device = \"*H200*\" }\n"
      "relation = \"within\"\nwithin = 1");
  verdict = verdict_of(
      across, {rules_ring("4", "x", 100), rules_ring("4", "x", 100, "NVIDIA H100 80GB HBM3")});
  EXPECT_EQ(verdict.used, 1U);
  EXPECT_EQ(verdict.equal_code, 0U);
}

// A figure against that of the same code is 0 by itself.
TEST(Pairs, AControlOfEqualCodeSaysNothing) {
  const Claim claim = claim_of(
      "says = \"\"\nagainst = { num_stages = 1 }\nrelation = \"within\"\nbound = \"0\"\nwithin = "
      "2");
  ClaimRow twin = rules_ring("4", "x", 100);
  twin.code = rules_ring("1", "x", 0).code;
  const auto used = [&](const ClaimRow& row) {
    return verdict_of(claim,
                      report::claims::against_control(claim, {row, rules_ring("1", "x", 100)}))
        .used;
  };
  EXPECT_EQ(used(rules_ring("4", "x", 100)), 1U);
  EXPECT_EQ(used(twin), 0U);
}

// Ten comparisons of four items a turn, of which two have the other sign.
TEST(Outside, HasSeveralItemsATurnOfTheLoop) {
  std::vector<ClaimRow> rows = {rules_ring("4", "x", 90), rules_ring("2", "x", 100)};
  for (int n = 0; n < 10; ++n)
    for (const char* stages : {"4", "2"}) {
      ClaimRow row = claim_row(
          {{"num_stages", stages}, {"probe", "ring"}, {"unroll", "4"}, {"wait", std::to_string(n)}},
          stages[0] == '2' ? 100
          : n < 2          ? 110
                           : 90);
      row.unrolled = true;
      rows.push_back(row);
    }
  const auto used = [&](const Claim& claim) { return verdict_of(claim, rows).used; };
  const auto faults = [&](const Claim& claim) {
    const ClaimCases inside = cases_of(claim, rows, false);
    return scope_faults(claim, inside, outside_of(claim, rows, inside, false));
  };
  const Claim silent = claim_of(more_stages + "relation = \"less\"");
  EXPECT_EQ(used(silent), 1U);
  ASSERT_EQ(faults(silent).size(), 1U);
  EXPECT_NE(faults(silent).front().find("kept out by unroll (2)"), std::string::npos)
      << faults(silent).front();
  const Claim said = claim_of(more_stages + "relation = \"less\"\nlimit = { unroll = \"cycles\" }");
  EXPECT_TRUE(faults(said).empty());
  const Claim all = claim_of(
      more_stages + "relation = \"less\"\nwhere = { probe = \"ring\", unroll = [\"-\", \">=1\"] }");
  EXPECT_EQ(used(all), 11U);
}

// Of several values there is no figure, and pairs all the same.
TEST(Pairs, CompareRowsOfSeveralValuesWhereTheyAreAccepted) {
  ClaimRow a = under_paddings(rules_ring("4", "x", 90), {90, 190, 90}),
           b = under_paddings(rules_ring("2", "x", 100), {100, 200, 100});
  for (ClaimRow* row : {&a, &b})
    row->figure.reason = {report::data::Missing::several_values, "two groups"};
  const auto holds = [&](const std::string& more) {
    return verdict_of(claim_of(more_stages + "relation = \"less\"\n" + more), {a, b}).holds;
  };
  EXPECT_EQ(holds(""), 0U);
  EXPECT_EQ(holds("accepts = [\"several_values\"]\n"), 1U);
}

struct ControlRow {
  const char *control, *cause, *fault;
};

TEST(Control, DiffersInTheCauseAlone) {
  const std::vector<ClaimRow> rows = {rules_ring("4", "x", 90), rules_ring("2", "x", 100),
                                      rules_ring("4", "y", 90), rules_ring("2", "y", 100)};
  const ControlRow cases[] = {
      {"a = { num_stages = 4 }\nb = { num_stages = 2 }\n", "", ""},
      {"a = { num_stages = 4 }\nb = { num_stages = 2 }\n", "cause = \"num_stages\"\n", ""},
      {"a = { num_stages = 4 }\nb = { num_stages = 2 }\n", "cause = \"num_stage\"\n",
       "the sides of its control 'one' do not differ in 'num_stage' (did you mean 'num_stages'?)"},
      {"a = { num_stages = 4, wait = \"x\" }\nb = { num_stages = 2, wait = \"y\" }\n", "",
       "the sides of its control 'one' differ in num_stages, wait: say which is the cause (cause = "
       "\"AXIS\")"},
      {"a = { num_stages = 4, wait = \"x\" }\nb = { num_stages = 2, wait = \"y\" }\n",
       "cause = \"wait\"\n",
       "rows that its control 'one' compares differ in num_stages too, not in 'wait' alone"},
      {"a = { num_stages = 4 }\nb = { num_stages = 2 }\nfree = [\"wait\"]\n", "",
       "rows that its control 'one' compares differ in wait too, not in 'num_stages' alone"},
      {"bound = \"100\"\n", "", "its control 'one' has one side"},
  };
  for (const ControlRow& row : cases) {
    const Claim control =
        claim_of("says = \"\"\nrelation = \"at_most\"\n" + std::string(row.control));
    const Claim claim = claim_of(
        "says = \"\"\nkind = \"cause\"\ncontrol = \"other\"\nrelation = \"less\"\nbound = \"1\"\n" +
        std::string(row.cause));
    EXPECT_EQ(control_fault(claim, control, cases_of(control, rows, false)), row.fault);
  }
}

}  // namespace
}  // namespace phasebit::test
