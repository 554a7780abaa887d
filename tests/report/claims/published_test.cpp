// The project's own claims over its published results.
#include "tests/report/published.h"

#include "analysis/report/claims/checked_claims.h"
#include "tests/report/claims/rows.h"
#include "tests/report/results.h"

#include <regex>

namespace phasebit::test {

using report::claims::check_claim;
using report::claims::CheckedClaim;
using report::claims::claim_rows;
using report::claims::fails_permuted;
using report::claims::rows_of_devices;
using results::Results;

namespace {

const std::vector<CheckedClaim>& checked() {
  static const std::vector<CheckedClaim> all = [] {
    report::claims::ClaimsRequest request;
    request.claims = home().data / "claims";
    auto made = report::claims::check_claims(published(), home().cache, request);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return made ? *made : std::vector<CheckedClaim>();
  }();
  return all;
}

TEST(PublishedClaims, HoldOnEveryRow) {
  ASSERT_GT(checked().size(), 30U);
  for (const CheckedClaim& one : checked())
    EXPECT_TRUE(one.word() == "holds" || one.word() == "not checked")
        << one.claim.name << ": " << one.word() << ", " << one.verdict.refutes << " rows";
  EXPECT_TRUE(report::claims::all_can_be_stated(checked()));
}

// Those about other libraries' rings are made of their results alone.
TEST(PublishedClaims, OfPeersHold) {
  const std::vector<fs::path> files = published_apart("peers/peers");
  ASSERT_EQ(files.size(), 2U);
  report::claims::ClaimsRequest request;
  request.claims = home().data / "claims" / "peers";
  const auto made = report::claims::check_claims(files, home().cache, request);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_GE(made->size(), 5U);
  for (const CheckedClaim& one : *made)
    EXPECT_EQ(one.word(), "holds") << one.claim.name << ": " << one.verdict.refutes << " rows";
}

// A claim that no document states is not a finding.
TEST(PublishedClaims, AreStatedInADocument) {
  std::string documents = base::read_file(home().data / "README.md").value_or("");
  for (const auto& file : fs::directory_iterator(home().data / "docs"))
    if (file.path().extension() == ".md") documents += base::read_file(file.path()).value_or("");
  for (const CheckedClaim& one : checked())
    if (one.not_checked.empty()) {
      EXPECT_TRUE(std::regex_search(
          documents, std::regex("<!-- phasebit:claim [^>]*\\b" + one.claim.name + "\\b")))
          << one.claim.name;
    }
}

// A claim that holds for figures at random says nothing.
TEST(PublishedClaims, NineteenInTwentyFailWithTheirFiguresPermuted) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
    size_t fails = 0, all = 0;
    for (const CheckedClaim& one : checked()) {
      if (one.verdict.used == 0) continue;
      ++all;
      fails += fails_permuted(one, 1, seed);
    }
    EXPECT_GE(20 * fails, 19 * all) << "seed " << seed << ": " << fails << " of " << all;
  }
}

// None of them passes by luck each time: three in ten permutations, at least, break each.
TEST(PublishedClaims, EachCanFail) {
  for (const CheckedClaim& one : checked())
    if (one.verdict.used > 0) {
      EXPECT_GE(fails_permuted(one, 20, 7), 6U) << one.claim.name;
    }
}

TEST(FailsPermuted, ACountOfTheFailures) {
  const auto row = [](const char* stages, const char* wait, double value) {
    return claim_row({{"num_stages", stages}, {"probe", "ring"}, {"wait", wait}}, value);
  };
  CheckedClaim one;
  one.claim = claim_of(
      "says = \"\"\na = { num_stages = 4 }\nb = { num_stages = 2 }\n"
      "relation = \"at_most\"\nbound = \"b + 1000\"");
  one.cases = report::claims::cases_of(
      one.claim, {row("4", "x", 1), row("2", "x", 2), row("4", "y", 3), row("2", "y", 4)}, false);
  EXPECT_EQ(fails_permuted(one, 10, 1), 0U);
  one.claim.bound = *report::claims::Formula::parse("b");
  EXPECT_GT(fails_permuted(one, 10, 1), 2U);
}

Results two_devices() {
  Results results = results_of({steady("ring/mbarrier/st_shared/none", 100),
                                steady("ring/mbarrier/st_shared/none/num_stages=8", 50)});
  results::PointRow other = steady("ring/mbarrier/st_shared/none", 101);
  other.device_uuid = "GPU-2";
  results.points.push_back(other);
  results::DeviceRow device = some_device("GPU-2");
  device.name = "NVIDIA H100";
  results.devices.push_back(device);
  return results;
}

TEST(CheckClaim, ComparesTwoDevices) {
  TestTables two = TestTables::of(two_devices());
  auto rows = rows_of_devices(two.database, {""});
  ASSERT_TRUE(rows) << rows.error().text();
  const std::string keys =
      "says = \"\"\na = { device = \"*H100\" }\nb = { device = \"*H200\" }\n"
      "relation = \"within\"\nwithin = 1\ndevices = [\"H100\", \"H200\"]";
  EXPECT_EQ(check_claim(claim_of(keys), *rows).word(), "holds");
  auto one = rows_of_devices(two.database, {"H200"});
  EXPECT_EQ(check_claim(claim_of(keys), *one).not_checked, "no results of H100");
}

// Two GPUs of one name are two: what one measured is not compared with what the other did.
TEST(CheckClaim, ComparesOnOneGpu) {
  Results results = two_devices();
  results.devices.back().name = results.devices.front().name;
  TestTables two = TestTables::of(results);
  auto rows = rows_of_devices(two.database, {""});
  ASSERT_TRUE(rows) << rows.error().text();
  const report::claims::Claim claim = claim_of(
      "says = \"\"\na = { num_stages = 4 }\nb = { num_stages = 8 }\n"
      "relation = \"greater\"");
  const CheckedClaim checked = check_claim(claim, *rows);
  EXPECT_EQ(checked.verdict.used, 1U);
  EXPECT_EQ(checked.cases.left_out.size(), 1U);
}

TEST(CheckClaim, AClaimWithoutARowIsAnError) {
  TestTables two = TestTables::of(two_devices());
  auto rows = rows_of_devices(two.database, {""});
  const std::string keys =
      "says = \"\"\na = { num_stages = 3 }\nrelation = \"less\"\nbound = \"1\"\n";
  const CheckedClaim none = check_claim(claim_of(keys), *rows);
  EXPECT_EQ(none.word(), "no row");
  EXPECT_EQ(report::claims::all_can_be_stated({none}).error().text(),
            "store: no row to judge by: one (its selection matches none, or all that it matches "
            "are left out: `phasebit claims NAME` says why)");
  EXPECT_EQ(check_claim(claim_of(keys + "needs = \"a sweep\""), *rows).not_checked,
            "not measured yet: a sweep");
}

TEST(ClaimRows, ADifferenceOfTwoSizesHasNoLoop) {
  const report::data::ReportData data = data_of(
      {steady("verb/mbarrier/none/none", 100), steady("verb/mbarrier/none/none/num_stages=8", 180),
       steady("fanin/mbarrier/none/none", 60)});
  const auto rows = claim_rows(data, "without_loop");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_DOUBLE_EQ(rows[0].figure.value, 20);
  EXPECT_EQ(rows[0].ids.size(), 2U);
  EXPECT_EQ(report::claims::axis_of(rows[0].axes, "num_stages"), nullptr);
  EXPECT_EQ(*report::claims::axis_of(rows[0].axes, "ptxas"), "13.5.37");
  EXPECT_EQ(claim_rows(data, "cycles").size(), 3U);
  EXPECT_TRUE(claim_rows(data, "wake").empty());
}

// (8 * 17.5 - 4 * 20) / 4, in a loop of 20: a figure of these probes is of one phase, whatever the
// size; the rolled loop is no size.
TEST(ClaimRows, APhaseWithoutItsLoopIsTheDifferenceOfTwoUnrolledSizes) {
  const std::string id = "fanin/mbarrier/none/none/num_stages=1/unroll=";
  const report::data::ReportData data =
      data_of({steady(id + "1", 60), steady(id + "4", 20), steady_at(id + "8", 17.5)});
  const auto rows = claim_rows(data, "without_loop");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].figure.reason.text, "");
  EXPECT_DOUBLE_EQ(rows[0].figure.value, 15);
  EXPECT_EQ(rows[0].ids, (std::vector<std::string>{id + "8", id + "4"}));
  // With its loop each size is a row, that of several items for claims that name them.
  const auto with_loop = claim_rows(
      data_of({steady("fanin/mbarrier/none/none/num_stages=1", 60), steady(id + "4", 20)}),
      "cycles");
  ASSERT_EQ(with_loop.size(), 2U);
  EXPECT_NE(with_loop[0].unrolled, with_loop[1].unrolled);
  const auto alone = claim_rows(data_of({steady(id + "1", 60)}), "without_loop");
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].figure.reason.text, "measured in one size: its loop is in it");
}

TEST(ClaimRows, ACommandLeadsFromEachToItsSamples) {
  TestTables two = TestTables::of(two_devices());
  auto rows = rows_of_devices(two.database, {""});
  const report::claims::Claim claim =
      claim_of("says = \"\"\nrelation = \"less\"\nbound = \"1000\"");
  const std::vector<CheckedClaim> claims = {check_claim(claim, *rows)};
  const base::Table table = report::claims::claim_rows_table(claims, true);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0].back().text, "phasebit sass show ring/mbarrier/st_shared/none");
  EXPECT_EQ(table.rows[0][table.columns.size() - 3].text,
            "phasebit export --id ring/mbarrier/st_shared/none");
  EXPECT_EQ(report::claims::claim_rows_table(claims, false).columns.size() + 3,
            table.columns.size());
}

}  // namespace
}  // namespace phasebit::test
