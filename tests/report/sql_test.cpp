// Tables as files: their heads, their arguments and what a query may use. Figures by hand.
#include "analysis/report/sql/run_table.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using base::Table;
using report::data::TableArguments;
using report::sql::parse_table;
using report::sql::ReportDatabase;
using results::PointRow;

namespace {

const std::string sql_ring = "ring/mbarrier/st_shared/none";

// The table of this head and query: the query begins on the line after those of the head.
Result<Table> table_of(std::vector<PointRow> points, const std::string& head,
                       const std::string& query, const TableArguments& arguments = {},
                       const std::vector<std::string>& axes = {}) {
  PHASEBIT_TRY_ASSIGN(file, parse_table("/*\ndoc = \"d\"\n" + head + "*/\n" + query, "t.sql"));
  PHASEBIT_TRY_ASSIGN(database, ReportDatabase::of(results_of(std::move(points))));
  return run_table(database, file, "", arguments, axes);
}

using Rows = std::vector<std::string>;

// Its rows, or why there are none.
Rows rows_by(std::vector<PointRow> points, const std::string& head, const std::string& query,
             const TableArguments& arguments = {}) {
  const auto table = table_of(std::move(points), head, query, arguments);
  return table ? rows_of(*table) : Rows{table.error().text()};
}

std::vector<PointRow> some_points() {
  return {steady(sql_ring, 100), measured(sql_ring + "/num_stages=8", 60),
          steady("ring/cta_barrier/none/none/num_stages=2", 30)};
}

TEST(TableFile, ErrorsOfTheHeadNameFileAndLine) {
  const std::string hint = " (one of: words, default, needed, percent, least, axis, one_of";
  const std::pair<std::string, std::string> rows[] = {
      {"SELECT 1\n",
       "spec: t.sql:1: a table begins with its head (/*, lines of TOML with doc = \"...\", and */, "
       "each on a line of its own)"},
      {"/*\ndoc = \"d\"\nSELECT 1\n",
       "spec: t.sql:1: a table begins with its head (/*, lines of TOML with doc = \"...\", and */, "
       "each on a line of its own)"},
      {"/*\nlegend = \"x\"\n*/\nSELECT 1\n", "spec: t.sql:1: table: lacks 'doc'"},
      {"/*\ndoc = \"d\"\nlegnd = \"x\"\n*/\nSELECT 1\n",
       "spec: t.sql:3: legnd: no such key (did you mean 'legend'?)"},
      {"/*\ndoc = \"d\"\n\nmay_be_empty = \"yes\"\n*/\nSELECT 1\n",
       "spec: t.sql:4: may_be_empty: must be true or false"},
      {"/*\ndoc = \"d\"\n[arguments]\nmost = { leest = 1 }\n*/\nSELECT 1\n",
       "spec: t.sql:4: leest: no such key (did you mean 'least'?)"},
  };
  for (const auto& [text, error] : rows) {
    const auto table = parse_table(text, "t.sql");
    ASSERT_FALSE(table) << text;
    EXPECT_EQ(table.error().text(), error);
  }
  EXPECT_EQ(parse_table("/*\ndoc = \"d\n*/\nSELECT 1\n", "t.sql").error().message.find("t.sql:2:"),
            0U);
}

TEST(TableFile, ErrorsOfTheQueryNameFileAndLine) {
  const std::string hint =
      " (docs/report-tables.md has the views, their columns and the functions)";
  const std::pair<const char*, std::string> rows[] = {
      {"SELECT id,\nFROM figure", "spec: t.sql:5: near \"FROM\": syntax error" + hint},
      {"SELECT id\nFROM figure\nWHERE nosuch(id)",
       "spec: t.sql:6: no such function: nosuch" + hint},
      {"SELECT id FROM figur", "spec: t.sql:4: no such table: figur" + hint},
      {"SELECT difference(f, f, 0) FROM figure",
       "spec: t.sql:4: difference() over 0 operations" + hint},
      {"SELECT id\nFROM figure WHERE {wher}",
       "spec: t.sql:5: no placeholder '{wher}' (did you mean 'where'?)"},
      {"SELECT id\nFROM figure WHERE {where", "spec: t.sql:5: a placeholder is not closed"},
  };
  for (const auto& [query, error] : rows) EXPECT_EQ(rows_by(some_points(), "", query), Rows{error});
}

TEST(QueryTable, TwoRowsInOneCellAreAnErrorThatNamesBoth) {
  const std::string other = sql_ring + "/wait=test_wait", there = "ring/mbarrier/none/none";
  const char* across =
      "SELECT protocol, num_stages AS across, f AS \"|figure\" FROM figure WHERE quantity = "
      "'cycles' ORDER BY f";
  const char* one =
      "SELECT protocol, one(f) AS \"x|figure\" FROM figure WHERE quantity = 'cycles' "
      "GROUP BY protocol";
  for (const char* query : {across, one}) {
    EXPECT_EQ(rows_by({steady(sql_ring, 1), steady(other, 2)}, "", query),
              Rows{"usage: " + sql_ring + " and " + other +
                   " would be in one cell (they differ in wait: hold it at a value)"});
    // Components have no name in an id.
    EXPECT_EQ(rows_by({steady(there, 1), steady(sql_ring, 2)}, "", query),
              Rows{"usage: " + there + " and " + sql_ring +
                   " would be in one cell (hold the axis in which they differ at a value)"});
    EXPECT_EQ(rows_by({steady(sql_ring, 100)}, "", query).size(), 1U);
  }
  EXPECT_EQ(rows_by({steady(sql_ring, 1), steady(there, 2)}, "",
                    "SELECT one(mover) AS mover FROM figure WHERE quantity = 'cycles'"),
            Rows{"usage: st_shared and none would be in one cell (hold the axis in which they "
                 "differ at a value)"});
}

TEST(QueryTable, AnAxisThatAVariantDoesNotHaveIsNull) {
  const char* query =
      "SELECT id, retry IS NULL AS none, num_stages + 1 AS more FROM figure WHERE "
      "quantity = 'cycles' ORDER BY f";
  EXPECT_EQ(rows_by({steady(sql_ring, 1), steady(sql_ring + "/retry=3", 2)}, "", query),
            (Rows{sql_ring + "|1|5", sql_ring + "/retry=3|0|5"}));
}

TEST(QueryTable, AnAxisThatNoVariantHasIsNull) {
  const char* query = "SELECT id, cluster_size FROM figure WHERE quantity = 'cycles'";
  const auto table = table_of({steady(sql_ring, 1)}, "", query, {}, {"cluster_size"});
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(rows_of(*table), Rows{sql_ring + "|"});
}

// An empty column would look like an axis that these variants do not have.
TEST(QueryTable, AMistypedAxisIsAnError) {
  const char* query = "SELECT id, f.cluster_sise FROM figure f WHERE quantity = 'cycles'";
  EXPECT_EQ(text_of(table_of({steady(sql_ring, 1)}, "", query, {}, {"cluster_size"})),
            "spec: t.sql:4: no such column: f.cluster_sise (did you mean 'cluster_size'? "
            "docs/report-tables.md has the views, their columns and the functions)");
}

TEST(QueryTable, WritesNothing) {
  for (const char* query :
       {"VACUUM INTO '/nowhere/copy.sqlite'", "DELETE FROM device", "CREATE TEMP TABLE mine(a)"})
    EXPECT_EQ(rows_by({steady(sql_ring, 100)}, "", query),
              Rows{"spec: t.sql: results are read only: the query would write"})
        << query;
}

// SQLite would take "cyclse" for a text, and cycles for the number of a figure.
TEST(QueryTable, WhatIsNoFigureIsAnError) {
  const std::pair<const char*, const char*> rows[] = {
      {"SELECT cycles AS \"c|figure\" FROM figure",
       "spec: t.sql: column 'c': 100.0 is the number of no figure"},
      {"SELECT num_stages AS \"c|figure\" FROM figure",
       "spec: t.sql: column 'c': 4 is the number of no figure"},
      {"SELECT cycles AS \"c|figur\" FROM figure",
       "spec: t.sql: column 'c': no format '{:figur}' (docs/report-tables.md has the formats)"},
      {"SELECT \"cyclse\" AS c FROM figure",
       "spec: t.sql:4: no such column: cyclse (did you mean 'cycles'? docs/report-tables.md has "
       "the views, their columns and the functions)"},
      {"SELECT without() AS none FROM figure", ""},
      {"SELECT said('x', missing('a')) AS none FROM figure", ""}};
  for (const auto& [query, error] : rows)
    EXPECT_EQ(rows_by({steady(sql_ring, 100)}, "", query), Rows{error}) << query;
}

// "origin" and "device" are columns of every query.
TEST(QueryTable, AnAxisNamedAsAColumnHasAnotherName) {
  const std::string other = sql_ring + "/device=3/origin=mars";
  EXPECT_EQ(rows_by({steady(other, 1)}, "",
                    "SELECT axis_device, axis_origin, origin FROM figure "
                    "WHERE quantity = 'cycles'"),
            Rows{"3|mars|template"});
}

TEST(QueryTable, WithoutARowSaysWhy) {
  const char* query = "SELECT id FROM figure WHERE id = 'x'";
  EXPECT_EQ(rows_by(some_points(), "", query), Rows{"usage: no measured variant is in this table"});
  EXPECT_EQ(rows_by(some_points(),
                    "none = \"no ring of :n, or of :m\"\nhint = \"pack one\"\n"
                    "[arguments]\nn = { default = \"3\" }\nm = {}\n",
                    query, {{"m", "4"}}),
            Rows{"usage: no ring of 3, or of 4 (pack one)"});
  EXPECT_EQ(rows_by(some_points(), "may_be_empty = true\n", query), Rows{});
  // Of no run of its kind there is nothing to say.
  EXPECT_EQ(
      rows_by(some_points(), "may_be_empty = true\nruns = \"ptxas\"\nnone = \"no run\"\n", query),
      Rows{"usage: no run"});
}

TEST(QueryTable, ColumnsSayHowTheyAreShown) {
  const auto table = table_of(
      {measured(sql_ring, 60)}, "legend = \"first\"\nabsent = \"-\"\n",
      "SELECT f AS \"cycles|figure\", cycles AS \"n|.1f\", cycles AS \"c|{:+.0f} x\", cycles AS "
      "\"w|±\", half AS \"|half\", ' behind' AS \"|after\", NULL AS none, NULL AS \"?gone\", "
      "num_stages AS \"s|n\", 'said' AS \"_note\", 7 AS \"_hidden\" FROM figure WHERE quantity = "
      "'cycles'");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(rows_of(*table), Rows{"60 ±1|60.0|+60 x|60 ±1 behind|-|4"});
  EXPECT_EQ(table->notes, (Rows{"first", "said"}));
  EXPECT_EQ(table->columns[4].title, "none");
  EXPECT_FALSE(table->columns[4].right_aligned);
}

TEST(QueryTable, AcrossHasTheOrderOfItsHeadOrOfTheQuery) {
  const auto titles = [](const std::string& head, const std::string& order) {
    const auto table = table_of(
        {steady(sql_ring + "/num_stages=10", 1), steady(sql_ring + "/num_stages=2", 2)}, head,
        "SELECT protocol, " + order +
            "num_stages AS across, f AS \"|figure\" FROM figure WHERE quantity = 'cycles' "
            "ORDER BY id");
    Rows all;
    if (!table) return Rows{table.error().text()};
    for (const base::Column& column : table->columns) all.push_back(column.title);
    return all;
  };
  EXPECT_EQ(titles("", "place('num_stages', num_stages) AS \"_order\", "),
            (Rows{"protocol", "2", "10"}));
  EXPECT_EQ(titles("across = [\"10\", \"4\", \"2\"]\n", ""), (Rows{"protocol", "10", "2"}));
  EXPECT_EQ(titles("across = [\"10\", \"4\", \"2\"]\nevery_column = true\n", ""),
            (Rows{"protocol", "10", "4", "2"}));
}

TEST(QueryArguments, AreCheckedAndHaveANearestWord) {
  const std::string head =
      "[arguments]\naxes = true\nneeded = { words = \"WORD\", needed = true }\nloop = { one_of = "
      "[\"with\", \"without\"], default = \"with\" }\nshare = { percent = true }\nmost = { least = "
      "2 }\nby = { axis = true }\n";
  const char* query = "SELECT :needed || :loop || :share || :most || :by AS x";
  const TableArguments given = {{"needed", "a"}};
  const std::pair<TableArguments, const char*> rows[] = {
      {{}, "usage: t needs needed= (needed=WORD)"},
      {{{"nedeed", "a"}}, "usage: no axis or argument 'nedeed' (did you mean 'needed'?)"},
      {{{"num_stage", "4"}}, "usage: no axis or argument 'num_stage' (did you mean 'num_stages'?)"},
      {{{"protocol", "mbarier"}},
       "usage: no measured variant has protocol=mbarier (did you mean 'mbarrier'?)"},
      {{{"num_stages", "3"}}, "usage: no measured variant has num_stages=3 (one of: 2, 4, 8)"},
      {{{"loop", "wihout"}}, "usage: loop=wihout (loop=with or loop=without)"},
      {{{"share", "ten"}}, "usage: share=ten: no percentage"},
      {{{"share", "-1"}}, "usage: share=-1: no percentage"},
      {{{"most", "1"}}, "usage: most=1 (a whole number, 2 or more)"},
      {{{"most", "2.5"}}, "usage: most=2.5 (a whole number, 2 or more)"},
      {{{"by", "num_stage"}},
       "usage: no axis or argument 'num_stage' (did you mean 'num_stages'?)"},
  };
  for (const auto& [arguments, error] : rows)
    EXPECT_EQ(rows_by(some_points(), head, query, arguments), Rows{error});
  EXPECT_EQ(rows_by(some_points(), head, query, given), Rows{"awith"});
  EXPECT_EQ(
      rows_by(
          some_points(), head, query,
          {{"needed", "a"}, {"loop", "without"}, {"share", "1.5"}, {"most", "2"}, {"by", "wait"}}),
      Rows{"awithout1.52wait"});
  EXPECT_EQ(rows_by(some_points(), "", "SELECT 1", {{"x", "y"}}),
            Rows{"usage: this table has no argument 'x'"});
}

TEST(QueryArguments, AreReadAndGivenOnce) {
  const std::string head = "[arguments]\naxes = true\n";
  const std::string query = "SELECT count(*) FROM figure";
  EXPECT_EQ(rows_by(some_points(), head, query, {{"num_stages", "8"}}),
            Rows{"usage: t: num_stages=8 would change nothing: its query has no {where} for it"});
  EXPECT_EQ(rows_by(some_points(), head, query + " WHERE {where}",
                    {{"num_stages", "8"}, {"num_stages", "4"}}),
            Rows{"usage: argument 'num_stages': twice (of an axis num_stages=ONE|OTHER accepts "
                 "both)"});
}

TEST(QueryArguments, AreWhereTheQueryHasThem) {
  const std::vector<PointRow> points = {steady(sql_ring, 1), steady(sql_ring + "/num_stages=8", 2),
                                        steady("ring/mbarrier/none/none", 3),
                                        steady("ring/mbarrier/none/none/num_stages=8", 4)};
  const std::string head = "[where]\nmover = \"none\"\n[arguments]\naxes = true\n";
  const std::string query =
      "SELECT sum({where}), sum({where -mover}), sum({where_only mover}) FROM figure WHERE "
      "quantity = 'cycles'";
  EXPECT_EQ(rows_by(points, head, query), Rows{"2|4|2"});
  EXPECT_EQ(rows_by(points, head, query, {{"num_stages", "8"}}), Rows{"1|2|2"});
  EXPECT_EQ(rows_by(points, head, query, {{"mover", "none|st_shared"}}), Rows{"4|4|4"});
  EXPECT_EQ(rows_by(points, head, query, {{"mover", "st_shared"}, {"num_stages", "4|8"}}),
            Rows{"2|4|2"});
}

TEST(QueryArguments, RowsAreColumnsWithTheirTitles) {
  const std::vector<PointRow> points = {steady(sql_ring + "/num_stages=8", 2), steady(sql_ring, 1)};
  const std::string head = "rows = [\"protocol\", \"num_stages\"]\n[arguments]\naxes = true\n";
  const std::string query =
      "SELECT {titles}, count(*) AS \"n|n\" FROM (SELECT {rows}, row_number() OVER (ORDER BY "
      "{order}) AS place FROM figure WHERE quantity = 'cycles' AND {where}) GROUP BY {keys} ORDER "
      "BY min(place)";
  EXPECT_EQ(rows_by(points, head, query), (Rows{"mbarrier|4|1", "mbarrier|8|1"}));
  const auto table = table_of(points, head, query, {{"rows", "mover,num_stages"}});
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->columns[1].title, "num stages");
  EXPECT_EQ(rows_of(*table), (Rows{"st_shared|4|1", "st_shared|8|1"}));
  // What has a value is not a column.
  EXPECT_EQ(rows_by(points, head, query, {{"num_stages", "8"}}), Rows{"mbarrier|1"});
  EXPECT_EQ(rows_by(points, head, query, {{"num_stages", "8"}, {"protocol", "mbarrier"}}),
            Rows{"1"});
  EXPECT_EQ(rows_by(points, head, query, {{"rows", "mver"}}),
            Rows{"usage: no axis or argument 'mver' (did you mean 'mover'?)"});
}

// What the functions make of 100 ±1 (`y`) and 60 ±1 (`x`).
std::vector<double> numbers_of(const std::string& columns, std::uint64_t floor = 0) {
  const PointRow other = steady(sql_ring + "/num_stages=16", 50);
  const auto table = table_of(
      {measured(sql_ring, 100), measured(sql_ring + "/num_stages=8", 60), other,
       control_of(other, 50 + floor)},
      "",
      "WITH y AS (SELECT f AS y FROM figure WHERE num_stages = 4 AND quantity = 'cycles'), x AS "
      "(SELECT f AS x FROM figure WHERE num_stages = 8 AND quantity = 'cycles') SELECT " +
          columns + " FROM x, y");
  std::vector<double> numbers;
  if (!table) {
    ADD_FAILURE() << table.error().text();
    return numbers;
  }
  for (const base::Cell& cell : table->rows.at(0)) numbers.push_back(cell.value.value_or(-999));
  return numbers;
}

TEST(QueryFigures, AreMadeWithTheirHalfWidths) {
  const auto made = [](const std::string& figure) {
    return numbers_of(fmt::format("value({0}) AS \"v|n\", half({0}) AS \"h|n\"", figure));
  };
  using Two = std::vector<double>;
  EXPECT_EQ(made("difference(y, x)"), (Two{40, 2}));
  EXPECT_EQ(made("difference(y, x, 4)"), (Two{10, 0.5}));
  EXPECT_EQ(made("plus(y, x)"), (Two{160, 2}));
  EXPECT_EQ(made("times(3, x)"), (Two{180, 3}));
  EXPECT_EQ(made("share(y, 4)"), (Two{25, 0.25}));
  EXPECT_EQ(made("larger(x, y)"), (Two{100, 1}));
  EXPECT_EQ(made("larger(x, missing('z'))"), (Two{-999, -999}));
  EXPECT_EQ(made("larger(missing('z'), x)"), (Two{-999, -999}));
  EXPECT_EQ(made("difference(difference(y, x), x)"), (Two{-20, 3}));
  // From 60 to 100; the farthest that the ends allow is from 59 to 101.
  const Two change = made("percent(y, x)");
  EXPECT_NEAR(change.at(0), 100.0 * 40 / 60, 1e-9);
  EXPECT_NEAR(change.at(1), 100.0 * (101 - 59) / 59 - 100.0 * 40 / 60, 1e-9);
  EXPECT_EQ(made("missing('z')"), (Two{-999, -999}));
  EXPECT_EQ(made("refuse(x, 'why')"), (Two{-999, -999}));
  EXPECT_EQ(made("difference(x, NULL)"), (Two{-999, -999}));
}

Rows texts_of(const std::string& columns, std::uint64_t floor = 0) {
  const PointRow other = steady(sql_ring + "/num_stages=16", 50);
  return rows_by(
      {measured(sql_ring, 100), measured(sql_ring + "/num_stages=8", 60),
       failed_point(sql_ring + "/num_stages=2", Step::launch, "died"), other,
       control_of(other, 50 + floor)},
      "",
      "WITH p AS (SELECT f, num_stages AS n FROM figure WHERE quantity = 'cycles'), y AS "
      "(SELECT f AS y FROM p WHERE n = 4), x AS (SELECT f AS x FROM p WHERE n = 8), bad "
      "AS (SELECT f AS bad FROM p WHERE n = 2) SELECT " +
          columns + " FROM x, y, bad");
}

TEST(QueryFigures, SayWhyThereIsNone) {
  EXPECT_EQ(texts_of("reason(missing('z')), reason(refuse(x, 'why')), reason(x), reason(bad), "
                     "reason(difference(x, bad)), said('commit', x), cell(y)"),
            Rows{"not measured|why||launch: died|launch: died|commit 60|100 ±1"});
}

TEST(QueryFigures, AreComparedWithTheFloor) {
  // Two measurements of one code differ by 45: 40 is no more than that.
  EXPECT_EQ(texts_of("floor(x, y), verdict(x, y), verdict(y, x), verdict(x, bad)", 39),
            Rows{"39.0|slower|faster|no figure"});
  EXPECT_EQ(texts_of("floor(x, y), verdict(x, y)", 45), Rows{"45.0|SAME"});
  EXPECT_EQ(rows_by(some_points(), "",
                    "SELECT verdict(a.f, b.f) FROM figure AS a, figure AS b WHERE a.num_stages = 4 "
                    "AND b.num_stages = 8 AND a.quantity = 'cycles' AND b.quantity = 'cycles'"),
            Rows{"AMBIGUOUS (no A/A control)"});
}

// The fastest by its median is not the one that surely is: 60 ±1 against 60.5.
TEST(QueryFigures, OfAGroup) {
  EXPECT_EQ(rows_by({measured(sql_ring, 60), steady_at(sql_ring + "/num_stages=8", 60.5),
                     measured(sql_ring + "/num_stages=2", 99),
                     failed_point(sql_ring + "/num_stages=1", Step::launch, "died")},
                    "",
                    "SELECT value(fastest(f)) AS \"a|n\", value(surest(f)) AS \"b|n\", "
                    "value(slowest(f)) AS \"c|n\", fastest(NULL) AS d FROM figure WHERE quantity = "
                    "'cycles'"),
            Rows{"60.0|60.5|99.0|"});
}

TEST(QueryFunctions, AreByHand) {
  const std::pair<const char*, const char*> rows[] = {
      // At 0.95 of the way from the first to the last: 3 + 0.85 x 7.
      {"SELECT median(column1), quantile(column1, 0.95) AS \"q|.2f\" FROM (VALUES (10), (1), "
       "(NULL), "
       "(3), (2))",
       "2.5|8.95"},
      {"SELECT median(1) IS NULL FROM (SELECT 1) WHERE 0", "1"},
      {"SELECT dash('warp', 'arrival', 'arrival mover'), dash('warp', 'wait', 'arrival'), "
       "dash(NULL, 'wait', '')",
       "-|warp|-"},
      {"SELECT names('wait hint_ns', 'wait'), names('wait', 'wai'), only('a b', 'b c a'), "
       "only('a b', 'a'), only('', 'a')",
       "1|0|1|0|1"},
      {"SELECT joined('a', '', NULL, 'b')", "a, b"},
      {"SELECT version_place('12.10.5') > version_place('12.9.86')", "1"},
      {"SELECT fits('a*', 'abc'), fits('a*', 'cab'), fits('a?', 'ab')", "1|0|1"},
      {"SELECT without(spelled, 'num_stages'), without(spelled, 'probe', 'num_stages') = "
       "without(spelled, 'num_stages'), rest(spelled, 'wait'), chosen(spelled, 'num_stages') FROM "
       "figure WHERE quantity = 'cycles' AND names(named, 'hint_ns')",
       "ring/mbarrier/st_shared/none/wait=test_wait/hint_ns=1|0|hint_ns=1, "
       "num_stages=8|wait=test_wait, hint_ns=1"},
  };
  const std::vector<PointRow> points = {
      steady(sql_ring + "/wait=test_wait/hint_ns=1/num_stages=8", 1)};
  for (const auto& [query, row] : rows) EXPECT_EQ(rows_by(points, "", query), Rows{row}) << query;
}

TEST(ReportTables, ANewTableIsANewFile) {
  const auto folder = base::TempDir::create();
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "mine.sql";
  ASSERT_TRUE(base::write_file(
      file,
      "/*\ndoc = \"what I ask\"\n[arguments]\nmost = { words = \"N\", default = \"2\", least "
      "= 1 }\naxes = true\n*/\nSELECT id AS variant, f AS \"cycles|figure\" FROM figure WHERE "
      "quantity = 'cycles' AND {where} ORDER BY cycles LIMIT :most\n"));
  const auto known = report::report_tables(folder->path());
  ASSERT_TRUE(known) << known.error().text();
  ASSERT_EQ(known->size(), 1U);
  EXPECT_EQ(known->front().name, "mine");
  EXPECT_EQ(known->front().doc, "what I ask");
  EXPECT_EQ(known->front().arguments, "most=N axis=value");
  TestTables tables = TestTables::of(some_points());
  const report::TableSource by_name{tables.database, folder->path(), ""};
  EXPECT_EQ(text_of(report::make_table(by_name, "mine", {{"most", "1"}}), base::TableFormat::csv),
            "variant,cycles,cycles half width\nring/cta_barrier/none/none/num_stages=2,30,0\n");
  // From anywhere, by its path.
  EXPECT_EQ(report::make_table(tables.source(), file.string(), {})->rows.size(), 2U);
  EXPECT_EQ(text_of(report::make_table(by_name, "mien", {})),
            "usage: no table 'mien' (did you mean 'mine'?)");
}

}  // namespace
}  // namespace phasebit::test
