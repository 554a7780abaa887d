#include "analysis/report/data/without_loop.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;
using report::data::form_costs;
using report::data::FormCost;
using table::Table;

namespace {

using test::data_of;
using test::measured;
using test::steady;

constexpr const char* arrive = "form/none/none/none/form=mbarrier.arrive#001/path=pending";
constexpr const char* sink = "form/none/none/none/form=mbarrier.arrive#016/path=pending";

std::vector<PointRow> two_sizes(const std::string& id, std::uint64_t four, std::uint64_t eight,
                                const std::string& code) {
  std::vector<PointRow> rows = {measured(id, four), steady(id + "/unroll=8", eight)};
  rows[0].text_hash = code + "4";
  rows[1].text_hash = code + "8";
  return rows;
}

void append(std::vector<PointRow>& rows, const std::vector<PointRow>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

// 4 in a row take 100 +- 1 cycles, 8 take 180: (180 - 100) / 4 = 20, and the width is 1 / 4.
TEST(FormCosts, AreDifferencesOfTwoSizes) {
  std::vector<PointRow> rows = two_sizes(arrive, 100, 180, "a");
  append(rows, two_sizes(std::string(arrive) + "/load=busy", 140, 300, "a"));
  const auto costs = form_costs(data_of(rows).aggregation.points);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].form, "mbarrier.arrive#001");
  EXPECT_EQ(costs[0].path, "pending");
  EXPECT_EQ(costs[0].measure, "throughput");
  EXPECT_EQ(costs[0].isolated.reason.text, "");
  EXPECT_DOUBLE_EQ(costs[0].isolated.value, 20);
  EXPECT_DOUBLE_EQ(costs[0].isolated.half_width, 0.25);
  EXPECT_TRUE(costs[0].has_loaded);
  EXPECT_DOUBLE_EQ(costs[0].loaded.value, 40);
}

TEST(FormCosts, AHalfIsNoFigure) {
  const auto costs = form_costs(data_of({measured(arrive, 100)}).aggregation.points);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_NE(costs[0].isolated.reason.text, "");
  const auto known =
      report::data::measured_forms(data_of({measured(arrive, 100)}).aggregation.points);
  EXPECT_NE(known.at("mbarrier.arrive#001"), "");
}

// A chain of 4 takes 160 and of 8 takes 320, 40 an operation; with NOPs in the place of its
// arrivals 48 and 96, 12 a link. A form of the same code has the same link, one of another none.
TEST(FormCosts, AChainIsShownWithoutItsLink) {
  const std::string chain = "form/none/none/none/form=mbarrier.arrive#0",
                    latency = "/path=pending/measure=latency";
  std::vector<PointRow> rows;
  for (const auto& [number, code] :
       {std::pair("01", "a"), std::pair("02", "a"), std::pair("03", "b")}) {
    rows.push_back(steady(chain + number + latency, 160));
    rows.back().sass_class = std::string(code) + "4";
    rows.push_back(steady(chain + number + "/unroll=8" + latency, 320));
    rows.back().sass_class = std::string(code) + "8";
  }
  rows.push_back(steady(chain + "01" + latency + "/edit=0x100.NOP", 48));
  rows.push_back(steady(chain + "01/unroll=8" + latency + "/edit=0x100.NOP+0x200.NOP", 96));
  const auto costs = form_costs(data_of(rows).aggregation.points);
  ASSERT_EQ(costs.size(), 3U);
  for (const FormCost& one : costs) EXPECT_DOUBLE_EQ(one.isolated.value, 40) << one.form;
  for (std::size_t i : {0U, 1U}) {
    EXPECT_TRUE(costs[i].has_link) << costs[i].form;
    EXPECT_DOUBLE_EQ(costs[i].link.value, 12);
    EXPECT_DOUBLE_EQ(costs[i].without_link.value, 28);
  }
  EXPECT_FALSE(costs[2].has_link);
}

TEST(FormsTable, OneRowForEqualCode) {
  std::vector<PointRow> rows = two_sizes(arrive, 100, 180, "same");
  append(rows, two_sizes(sink, 100, 180, "same"));
  append(rows, two_sizes("form/none/none/none/form=mbarrier.init#001", 40, 48, "other"));
  const Table table = make_table(rows, "forms").value();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][0].text, "mbarrier.arrive.b64 state, [addr];");
  EXPECT_EQ(table.rows[0][1].text, "+1");
  EXPECT_EQ(table.rows[1][0].text, "mbarrier.init.b64 [addr], count;");
  EXPECT_DOUBLE_EQ(table.rows[1][5].value.value(), 2);
  EXPECT_EQ(make_table(rows, "forms", {{"family", "mbarrier.init"}})->rows.size(), 1U);
  EXPECT_EQ(make_table(rows, "forms", {{"famly", "x"}}).error().text(),
            "usage: no axis or argument 'famly' (did you mean 'family'?)");
}

// One form: 4 in a row take 4 * `cycles` + 7, 8 take 4 more of them.
void add_form(std::vector<PointRow>& rows, const std::string& form, double cycles,
              const std::string& rest = "/path=pending") {
  const std::string id = "form/none/none/none/form=" + form + rest;
  rows.push_back(steady_at(id, 4 * cycles + 7));
  rows.back().text_hash = "4 of " + id;
  rows.push_back(steady_at(id + "/unroll=8", 8 * cycles + 7));
  rows.back().text_hash = "8 of " + id;
}

std::vector<std::string> levels_of(const std::vector<std::pair<std::string, double>>& forms) {
  std::vector<PointRow> rows;
  for (const auto& [form, cycles] : forms) add_form(rows, form, cycles);
  const auto table = make_table(rows, "forms", {{"rows", "levels"}});
  if (!table) return {table.error().text()};
  std::vector<std::string> levels;
  for (const auto& row : table->rows) levels.push_back(row[3].text + ": " + row[5].text);
  return levels;
}

// A level ends at a gap above half a cycle and above 1 %.
TEST(FormLevels, EndWhereAGapIs) {
  const std::string a = "mbarrier.arrive#001", b = "mbarrier.arrive#002", c = "mbarrier.arrive#003";
  using Levels = std::vector<std::string>;
  EXPECT_EQ(levels_of({{a, 10}, {b, 10.5}}), Levels({"10.00 to 10.50: 2"}));
  EXPECT_EQ(levels_of({{a, 10.75}, {b, 10}}), Levels({"10.00: 1", "10.75: 1"}));
  EXPECT_EQ(levels_of({{a, 300}, {b, 303}, {c, 306.25}}),
            Levels({"300.00 to 303.00: 2", "306.25: 1"}));
}

TEST(FormLevels, AreOneWhereLanesMakeNoDifference) {
  const std::string a = "mbarrier.arrive#001", b = "mbarrier.arrive#002",
                    warp = "/path=pending/lanes=warp";
  std::vector<PointRow> rows;
  add_form(rows, a, 10);
  add_form(rows, b, 20);
  add_form(rows, a, 10, warp);
  add_form(rows, b, 21, warp);
  const Table table = make_table(rows, "forms", {{"rows", "levels"}}).value();
  std::vector<std::string> levels;
  for (const auto& row : table.rows) levels.push_back(row[2].text + ": " + row[3].text);
  EXPECT_EQ(levels, (std::vector<std::string>{"one, warp: 10.00", "one: 20.00", "warp: 21.00"}));
}

TEST(FormsTable, ByLevelOfCost) {
  std::vector<PointRow> rows = two_sizes(arrive, 100, 180, "a");
  append(rows, two_sizes(sink, 100, 181, "b"));
  const Table table = make_table(rows, "forms", {{"rows", "levels"}}).value();
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][3].text, "20.0 to 20.3");
  EXPECT_EQ(table.rows[0][5].text, "2");
  EXPECT_EQ(table.rows[0][6].text, "2");
  EXPECT_EQ(table.rows[0][9].text, "mbarrier.arrive.b64 state, [addr];");
  EXPECT_EQ(make_table(rows, "forms", {{"rows", "level"}}).error().text(),
            "usage: rows=level (rows=codes or rows=levels)");
}

TEST(CoverageTable, CountsByFamily) {
  std::vector<PointRow> rows = two_sizes(arrive, 100, 180, "a");
  append(rows, {measured(sink, 100)});
  const Table table = make_table(rows, "coverage", {{"target", "sm_90a"}}).value();
  const auto row = [&](const std::string& name) {
    for (const auto& cells : table.rows)
      if (cells[0].text == name) return cells;
    return std::vector<table::Cell>();
  };
  // 165 forms of mbarrier.arrive, 105 on sm_90a; 3631 in all, 2574 there.
  const auto family = row("mbarrier.arrive");
  ASSERT_EQ(family.size(), 7U);
  EXPECT_EQ(family[1].text, "165");
  EXPECT_EQ(family[3].text, "105");
  EXPECT_EQ(family[4].text, "1");
  EXPECT_EQ(family[5].text, "");
  EXPECT_EQ(family[6].text, "1");
  EXPECT_EQ(row("all")[1].text, "3631");
  EXPECT_EQ(row("all")[3].text, "2574");
  EXPECT_EQ(make_table(rows, "coverage", {{"target", "sm_9a"}}).error().hint,
            "did you mean 'sm_90'?");
}

}  // namespace
}  // namespace phasebit::test
