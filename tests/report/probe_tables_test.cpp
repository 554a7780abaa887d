// Synthetic results whose differences are worked out by hand.
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;
using table::Table;

namespace {

const std::string verb = "verb/mbarrier/none/none/addressing=unrolled";

// Commits of 4 and of 8 slots: 100 and 120 cycles a turn alone, 140 and 200 beside load.
std::vector<PointRow> some_verbs() {
  return {steady(verb + "/verb=commit/path=completing", 100),
          steady(verb + "/num_stages=8/verb=commit/path=completing", 120),
          steady(verb + "/verb=commit/path=completing/load=busy", 140),
          steady(verb + "/num_stages=8/verb=commit/path=completing/load=busy", 200),
          steady(verb + "/arrival=thread/verb=commit/path=completing", 90),
          measured(verb, 60),
          measured(verb + "/num_stages=8", 160),
          steady("ring/mbarrier/none/none", 90)};
}

Table table_of(std::vector<PointRow> points, const std::string& name,
               const report::data::TableArguments& arguments = {}) {
  auto table = make_table(std::move(points), name, arguments);
  if (!table) bug(table.error().text());
  return std::move(*table);
}

double value_in(const Table& table, size_t row, const std::string& column) {
  for (size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].title == column) return table.rows.at(row).at(i).value.value();
  bug("no column " + column);
}

std::vector<std::string> titles(const Table& table) {
  std::vector<std::string> all;
  for (const table::Column& column : table.columns) all.push_back(column.title);
  return all;
}

TEST(VerbsTable, IsTheDifferenceOfTwoSizesOverTheirCopies) {
  const Table table = table_of(some_verbs(), "verbs", {{"verb", "commit"}, {"arrival", "warp"}});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][2].text, "completing");
  EXPECT_DOUBLE_EQ(value_in(table, 0, "isolated"), 5);  // (120 - 100) / 4
  EXPECT_DOUBLE_EQ(value_in(table, 0, "loaded"), 15);   // (200 - 140) / 4
}

TEST(VerbsTable, AddsTheHalfWidthsThroughTheDivisor) {
  const Table table = table_of(some_verbs(), "verbs", {{"verb", "wait"}});
  ASSERT_EQ(table.rows.size(), 1U);
  const table::Cell& cell = table.rows[0][5];
  EXPECT_DOUBLE_EQ(cell.value.value(), 25);        // (160 - 60) / 4
  EXPECT_DOUBLE_EQ(cell.half_width.value(), 0.5);  // (1 + 1) / 4
}

TEST(VerbsTable, HasNoFigureOfOneSize) {
  const Table table = table_of(some_verbs(), "verbs", {{"arrival", "thread"}});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][4].text, "arrival=thread");
  EXPECT_EQ(table.rows[0][5].text, "—");
  ASSERT_EQ(table.notes.size(), 2U);
  EXPECT_NE(table.notes[1].find("measured with one number of copies"), std::string::npos);
}

struct Origin {
  const char *table, *made_of;
};
class EmptyTable : public testing::TestWithParam<Origin> {};

TEST_P(EmptyTable, SaysWhatItIsMadeOf) {
  EXPECT_EQ(
      rows_of({steady("ring/mbarrier/none/none", 90)}, GetParam().table),
      std::vector{fmt::format("usage: no measured variant is in this table (it is made from {})",
                              GetParam().made_of)});
}
INSTANTIATE_TEST_SUITE_P(
    OfAProbe, EmptyTable,
    testing::Values(Origin{"verbs", "sweeps of specs/probes.toml"},
                    Origin{"cluster", "sweeps of specs/cluster.toml"},
                    Origin{"cluster_pairs", "sweeps of specs/cluster.toml"},
                    Origin{"copies",
                           "the sweeps `bulk` and `memory` of specs/bulk.toml and `copies` of "
                           "specs/tensor.toml"},
                    Origin{"stream", "the sweep `stream` of specs/bulk.toml"},
                    Origin{"products", "rings of specs/products.toml"},
                    Origin{"roles", "the sweep `roles` of specs/roles.toml"}),
    [](const auto& info) { return std::string(info.param.table); });

// 300 cycles an item, of which `wake` from commit to wake-up, and `polls`.
record::PointRow response(const std::string& rest, std::uint64_t wake, std::uint64_t polls) {
  record::PointRow point = steady("response/mbarrier/none/none/num_stages=1" + rest, 300);
  point.readings = {{"wake", "cycles from commit to wake-up"}, {"polls", "polls per item"}};
  for (record::Sample& sample : point.samples)
    sample.readings = {wake * sample.items, polls * sample.items};
  return point;
}

TEST(ResponseTable, HasOneReadingByDelay) {
  const std::vector<PointRow> data = {response("", 40, 0), response("/delay_cycles=4096", 55, 3),
                                      response("/hint_ns=1000/delay_cycles=4096", 900, 1),
                                      response("/delay_cycles=77", 1, 1),
                                      response("/counting=off", 38, 0)};
  const Table wake = table_of(data, "response");
  EXPECT_EQ(titles(wake), (std::vector<std::string>{"protocol", "waited_on", "semantics",
                                                    "consumers", "counting", "0", "4096"}));
  ASSERT_EQ(wake.rows.size(), 3U);
  EXPECT_NEAR(value_in(wake, 0, "0"), 40, 1e-9);
  EXPECT_NEAR(value_in(wake, 0, "4096"), 55, 1e-9);
  EXPECT_EQ(wake.rows[2][1].text, "try_wait, hint 1000 ns");
  EXPECT_EQ(wake.rows[2][5].text, "");  // not measured without delay
  EXPECT_NEAR(value_in(wake, 2, "4096"), 900, 1e-9);
  EXPECT_NEAR(value_in(wake, 1, "0"), 38, 1e-9);  // not counting
  const Table polls = table_of(data, "polls");
  ASSERT_EQ(polls.rows.size(), 2U);
  EXPECT_NEAR(value_in(polls, 0, "4096"), 3, 1e-9);
}

TEST(NeighbourTable, ComparesWithTheSameCodeThatDoesNotWait) {
  const std::string id = "interference/mbarrier/none/none/num_stages=1";
  const std::vector<PointRow> data = {
      steady(id, 230),
      steady(id + "/waits=0", 200),
      steady(id + "/victim_work=mma/waiters=4", 90),
      steady(id + "/victim_work=mma/waiters=4/waits=0", 100),
      steady(id + "/victim_work=shared/waiters=4", 90),
      steady("interference/flag_volatile/none/none/num_stages=1", 201),
      steady("interference/flag_volatile/none/none/num_stages=1/waits=0", 100)};
  const Table table = table_of(data, "interference");
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.rows[0][3].text, "flag_volatile");
  EXPECT_DOUBLE_EQ(value_in(table, 0, "fma dependent"), 101);  // against its own control
  EXPECT_DOUBLE_EQ(value_in(table, 1, "fma dependent"), 15);
  EXPECT_EQ(table.rows[2][4].text, "cycles per block");
  EXPECT_DOUBLE_EQ(value_in(table, 2, "fma dependent"), 200);
  EXPECT_DOUBLE_EQ(value_in(table, 3, "mma dependent"), -10);  // shown as it is
  EXPECT_EQ(table.rows[3][6].text, "—");                       // shared has no control
}

TEST(FaninTable, HasWarpsAcross) {
  const std::string id = "/none/none/num_stages=1/roles=unified";
  const Table table = table_of(
      {steady("fanin/mbarrier" + id, 50),
       steady("fanin/mbarrier" + id + "/producers=32/consumers=32", 120),
       steady("fanin/mbarrier" + id + "/arrival=thread", 70), steady("fanin/cta_barrier" + id, 30)},
      "fanin");
  EXPECT_EQ(titles(table), (std::vector<std::string>{"loop", "protocol", "waited_on", "arrival",
                                                     "spelling", "1", "32"}));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(value_in(table, 0, "1"), 30);
  EXPECT_EQ(table.rows[1][3].text, "warp");
  EXPECT_DOUBLE_EQ(value_in(table, 1, "32"), 120);
}

// 14 cycles a barrier and 10 a turn of the loop: 24, 16.5 and 15.25 an item.
TEST(FaninTable, SubtractsTheLoop) {
  const std::string id = "fanin/cta_barrier/none/none/num_stages=1/roles=unified";
  const Table table = table_of(
      {steady(id, 24), steady_at(id + "/unroll=4", 16.5), steady_at(id + "/unroll=8", 15.25)},
      "fanin");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][0].text, "subtracted");
  EXPECT_DOUBLE_EQ(value_in(table, 0, "1"), 14);
  EXPECT_EQ(table.rows[1][0].text, "with");
  EXPECT_DOUBLE_EQ(value_in(table, 1, "1"), 24);
}

// The two names differ in an axis that the table has no column for.
TEST(FaninTable, RefusesTwoFiguresInOneCell) {
  const std::string id = "fanin/mbarrier/none/none/num_stages=1/roles=unified";
  const auto table = make_table({steady(id, 50), steady(id + "/consumers=32", 60)}, "fanin");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().text(), "usage: " + id + " and " + id +
                                      "/consumers=32 would be in one cell (they differ in "
                                      "consumers: hold it at a value)");
}

TEST(EntangleTable, SetsApartBesideTogether) {
  const std::string id =
      "entangle/mbarrier/none/none/num_stages=1/roles=unified/arrival=thread/groups=8";
  const Table table = table_of({steady(id, 300), steady(id + "/reconverge=off", 350)}, "entangle");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(value_in(table, 0, "8"), 300);
  EXPECT_DOUBLE_EQ(value_in(table, 1, "8"), 350);
  EXPECT_EQ(table.rows[2][4].text, "difference");
  EXPECT_DOUBLE_EQ(value_in(table, 2, "8"), 50);
}

}  // namespace
}  // namespace phasebit::test
