#include "analysis/report/claims/claim.h"

#include "tests/report/claims/rows.h"

namespace phasebit::test {

using report::claims::Formula;

namespace {

TEST(ClaimFormula, IsArithmetic) {
  const std::pair<const char*, double> rows[] = {
      {"2 + 3 * 4", 14}, {"(2 + 3) * 4", 20},  {"10 - 4 - 3", 3},     {"12.6 + 2*W", 28.6},
      {"-W + b", 92},    {"b / 2 / 5", 10},    {"min(b, W) + 1", 9},  {"max(b, W)", 100},
      {"ceil(b/W)", 13}, {"floor(b / W)", 12}, {"log2(W) * 1.5", 4.5}};
  for (const auto& [text, expected] : rows) {
    SCOPED_TRACE(text);
    const auto formula = Formula::parse(text);
    ASSERT_TRUE(formula) << formula.error().text();
    const auto value = formula->value([](const std::string& name) -> std::optional<double> {
      if (name == "b") return 100;
      return name == "W" ? std::optional<double>(8) : std::nullopt;
    });
    ASSERT_TRUE(value);
    EXPECT_DOUBLE_EQ(*value, expected);
  }
}

TEST(ClaimFormula, WithoutANumberHasNoValue) {
  const auto none = [](const std::string&) { return std::optional<double>(0); };
  EXPECT_FALSE(Formula::parse("1 / b")->value(none));
  EXPECT_FALSE(Formula::parse("b")->value([](const auto&) { return std::optional<double>(); }));
}

TEST(ClaimFormula, ErrorsNameThePlace) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "spec: formula '', at 1: expected a number, a name or ("},
      {"2 +", "spec: formula '2 +', at 4: expected a number, a name or ("},
      {"2 b", "spec: formula '2 b', at 3: expected + - * / or the end"},
      {"(b", "spec: formula '(b', at 3: expected )"},
      {"sqrt(b)",
       "spec: formula 'sqrt(b)', at 5: no function of that name: min max ceil floor log2"},
      {"min(b)", "spec: formula 'min(b)', at 6: expected a comma"}};
  for (const auto& [text, message] : rows) EXPECT_EQ(Formula::parse(text).error().text(), message);
  const auto deep = Formula::parse(std::string(1'000'000, '('));
  EXPECT_TRUE(deep.error().text().ends_with("at 101: more than 100 levels of brackets and signs"));
}

TEST(AxisTest, IsAboutWordsAndNumbers) {
  struct Row {
    const char *test, *value;
    bool holds;
  };
  const Row rows[] = {{"try_wait", "try_wait", true},
                      {"try_wait", "test_wait", false},
                      {"*_wait", "test_wait", true},
                      {">=8", "8", true},
                      {">=8", "16", true},
                      {">=8", "7", false},
                      {">2", "2", false},
                      {"<3", "2", true},
                      {"<=2", "2", true},
                      {">=8", "none", false},
                      {"!=none", "none", false},
                      {"!=none", "0", true},
                      {"2..8", "8", true},
                      {"2..8", "9", false},
                      {"2..8", "none", false},
                      {"bar.sync#*", "bar.sync#001", true}};
  for (const Row& row : rows)
    EXPECT_EQ((report::claims::AxisTest{"axis", {row.test}}.holds(row.value)), row.holds)
        << row.test << " " << row.value;
}

TEST(Selection, AsksForEachAxis) {
  const report::claims::RowAxes axes = {{"num_stages", "4"}, {"probe", "ring"}};
  const auto matches = [&](std::vector<report::claims::AxisTest> tests) {
    return report::claims::Selection(std::move(tests)).matches(axes);
  };
  EXPECT_TRUE(matches({{"probe", {"verb", "ring"}}, {"num_stages", {">2"}}}));
  EXPECT_FALSE(matches({{"probe", {"ring"}}, {"num_stages", {">4"}}}));
  EXPECT_FALSE(matches({{"wait", {"*"}}}));
  EXPECT_TRUE(matches({{"wait", {"-", "try_wait"}}}));
  EXPECT_FALSE(matches({{"probe", {"-"}}}));
}

TEST(ClaimFile, IsReadWithItsDefaults) {
  const report::claims::Claim claim = claim_of(
      "says = \"{a} of {axis.producers}\"\na = { num_stages = [4, 8] }\nb = { num_stages = 2 }\n"
      "relation = \"less\"\nwithin = \"0.5\"\nleast_share = \"0.25\"");
  EXPECT_EQ(claim.figure, "cycles");
  EXPECT_TRUE(claim.pairs);
  EXPECT_EQ(claim.bound.text(), "b");
  EXPECT_DOUBLE_EQ(claim.within, 0.5);
  EXPECT_EQ(claim.least_share, 0.25);
  EXPECT_FALSE(claim.most_share);
  EXPECT_EQ(claim.line, 1);
  EXPECT_TRUE(claim.speaks_of("NVIDIA H200"));
}

using ErrorRow = std::pair<std::string, std::string>;

const std::string head =
    "[[claim]]\nname = \"n\"\nsays = \"s\"\nkind = \"observation\"\nquestion = { probe = "
    "\"ring\" }\nwhere = { probe = \"ring\" }\n";

void expect_errors(const std::vector<ErrorRow>& rows) {
  for (const auto& [text, message] : rows) {
    const auto claims = report::claims::parse_claims(text, "some.toml");
    ASSERT_FALSE(claims) << text;
    EXPECT_EQ(claims.error().text(), message);
  }
}

TEST(ClaimFile, ErrorsNameLineAndWord) {
  const std::vector<ErrorRow> rows = {
      {head + "relation = \"lesser\"\nbound = \"1\"",
       "spec: some.toml:7: relation: no relation 'lesser' (did you mean 'less'?)"},
      {head + "relation = \"less\"",
       "spec: some.toml:1: claim: lacks 'bound' (a claim without 'b' compares with a formula over "
       "axes)"},
      {head + "relation = \"less\"\nbound = \"b\"",
       "spec: some.toml:8: bound: there is no 'b' to compare with (write b = { AXIS = VALUE })"},
      {head + "relation = \"less\"\nbound = \"1\"\nfre = []",
       "spec: some.toml:9: fre: no such key (did you mean 'free'?)"},
      {"[[claim]]\nname = \"n\"\nsays = \"{as}\"\nkind = \"observation\"\nquestion = { probe = "
       "\"ring\" }\nwhere = { probe = \"ring\" }\nbound = \"1\"\nrelation = \"less\"",
       "spec: some.toml:3: says: there is no '{as}' to show (did you mean 'a'?)"},
      {head + "relation = \"less\"\nbound = \"1\"\na = { num_stages = \">x\" }",
       "spec: some.toml:9: num_stages: '>x' compares with no number"},
      {head + "relation = \"less\"\nbound = \"1\"\nwithin = \"x\"",
       "spec: some.toml:9: within: must be a number (a fraction in quotes: \"0.5\")"},
      {head + "relation = \"less\"\nbound = \"1\"\nmost_share = 2",
       "spec: some.toml:9: most_share: is a share of 1"},
      {head + "relation = \"less\"\nbound = \"1\"\nleast_share = 0",
       "spec: some.toml:9: least_share: every claim has a share of 0 or more"},
      {head + "relation = \"less\"\nbound = \"1\"\nmost_share = 1",
       "spec: some.toml:9: most_share: every claim has a share of 1 or less"},
      {head + "relation = \"less\"\nbound = \"1\"\nleast_share = \"0.5\"\nmost_share = "
              "\"0.25\"",
       "spec: some.toml:9: least_share: is above most_share"},
      {head + "relation = \"less\"\nbound = \"1\"\nwithin = -1",
       "spec: some.toml:9: within: must be 0 or more"},
      {head + "relation = \"less\"\nbound = \"1\"\nwithin_percent = \"nan\"",
       "spec: some.toml:9: within_percent: must be a number (a fraction in quotes: \"0.5\")"},
      {head + "relation = \"less\"\nbound = \"nan\"",
       "spec: some.toml:8: bound: formula 'nan', at 4: no number"},
      {head + "relation = \"less\"\nbound = \"1 / 0\"",
       "spec: some.toml:8: bound: must be a number"},
      {head + "relation = \"at_least\"\nbound = \"-1\"",
       "spec: some.toml:8: bound: -1 is below 0: every figure is above"},
  };
  expect_errors(rows);
}

TEST(ClaimFile, ErrorsOfWhatTheSentenceSpeaksOf) {
  const std::vector<ErrorRow> rows = {
      {"[[claim]]\nname = \"n\"\nsays = \"s\"\nkind = \"observation\"\nwhere = { probe = "
       "\"ring\" }\nrelation = \"less\"\nbound = \"1\"",
       "spec: some.toml:1: claim: lacks 'question' (the wider selection that a reader takes the "
       "sentence to speak of)"},
      {head + "relation = \"less\"\nbound = \"1\"\nlimit = \"in loops\"",
       "spec: some.toml:9: limit: 'in loops' is not in the sentence (copy the words of 'says' that "
       "name it)"},
      {head + "relation = \"less\"\nbound = \"1\"\nlimit = { prob = \"{a}\" }",
       "spec: some.toml:9: prob: no such key (did you mean 'probe'?)"},
      {head + "relation = \"less\"\nbound = \"1\"\nlimit = { probe = \"in loops\" }",
       "spec: some.toml:9: probe: 'in loops' is not in the sentence (copy the words of 'says' that "
       "name it)"},
      {head + "relation = \"less\"\nbound = \"1\"\ncontrol = \"m\"",
       "spec: some.toml:9: control: an observation has no control (kind = \"cause\")"},
      {"[[claim]]\nname = \"n\"\nsays = \"s\"\nkind = \"cause\"\nquestion = { probe = \"ring\" }\n"
       "where = { probe = \"ring\" }\nrelation = \"less\"\nbound = \"1\"",
       "spec: some.toml:1: claim: lacks 'control' (a cause needs the claim whose two sides differ "
       "in "
       "it alone)"},
      {"[[claim]]\nname = \"n\"\nsays = \"s\"\nkind = \"couse\"\nquestion = { probe = \"ring\" }\n"
       "where = { probe = \"ring\" }\nrelation = \"less\"\nbound = \"1\"",
       "spec: some.toml:4: kind: no kind 'couse' (did you mean 'cause'?)"},
      {head + "relation = \"less\"\na = { wait = [\"try_wait\", \"test_wait\"] }\nb = { wait = "
              "[\"try_wait\", \"test_wait\"] }",
       "spec: some.toml:9: b: names the values of wait that 'a' names: each is compared with all "
       "(put them into 'where')"},
      {head + "relation = \"less\"\na = { llvm = \"22\" }\nb = { llvm = \"-\" }\nequal = "
              "[\"num_stages\", \"ahead\", \"payload_bytes\"]",
       "spec: some.toml:1: claim: compares origins and does not hold equal: addressing, "
       "uniform_role (list them in 'equal', or name what a side lacks in the sentence and in "
       "'lacks')"},
  };
  expect_errors(rows);
}

TEST(ClaimFile, ANameIsGivenOnce) {
  auto folder = base::TempDir::create();
  ASSERT_TRUE(folder);
  const std::string one =
      "[[claim]]\nname = \"n\"\nsays = \"s\"\nkind = \"observation\"\nquestion = { probe = "
      "\"ring\" }\nwhere = { probe = \"ring\" }\nbound = \"1\"\nrelation = \"less\"\n";
  ASSERT_TRUE(base::write_file(folder->path() / "a.toml", one));
  EXPECT_EQ(report::claims::read_claims(folder->path())->size(), 1U);
  ASSERT_TRUE(base::write_file(folder->path() / "b.toml", "\n" + one));
  EXPECT_EQ(report::claims::read_claims(folder->path()).error().text(),
            "spec: b.toml:2: there is a claim 'n' already");
}

TEST(ClaimFile, AControlIsAClaim) {
  auto folder = base::TempDir::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(base::write_file(
      folder->path() / "a.toml",
      "[[claim]]\nname = \"why\"\nsays = \"s\"\nkind = \"cause\"\ncontrol = \"wy\"\nquestion = { "
      "probe = \"ring\" }\nwhere = { probe = \"ring\" }\nbound = \"1\"\nrelation = \"less\"\n"));
  EXPECT_EQ(report::claims::read_claims(folder->path()).error().text(),
            "spec: a.toml:1: control: no claim 'wy' (did you mean 'why'?)");
}

}  // namespace
}  // namespace phasebit::test
