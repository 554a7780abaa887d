#include "core/base/table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::csv_field;
using base::render;
using base::Table;
using base::TableFormat;

namespace {

Table some_table() {
  return {{{"name", false}, {"cycles, all", true}},
          {{{"a|b", {}, {}}, {"12.3 ±0.5", 12.25, 0.5}}, {{"x\ny", {}, {}}, {"failed", {}, {}}}},
          {"A note."},
          false};
}

TEST(Table, InMarkdownIsAlignedByCharacters) {
  EXPECT_EQ(render(some_table(), TableFormat::markdown),
            "| name | cycles, all |\n"
            "|------|------------:|\n"
            "| a\\|b |   12.3 ±0.5 |\n"
            "| x y  |      failed |\n"
            "\n"
            "A note.\n");
}

TEST(Table, InPlainText) {
  EXPECT_EQ(render(some_table(), TableFormat::text),
            "name  cycles, all\n"
            "a|b     12.3 ±0.5\n"
            "x y        failed\n"
            "A note.\n");
}

TEST(Table, InPlainTextTheWordsOfALongCellGoOnBelow) {
  Table table = some_table();
  table.columns[0].wraps_at = 4;
  table.rows[0][0].text = "one of bits";
  EXPECT_EQ(render(table, TableFormat::text),
            "name  cycles, all\n"
            "one     12.3 ±0.5\n"
            "of\n"
            "bits\n"
            "x y        failed\n"
            "A note.\n");
  EXPECT_NE(render(table, TableFormat::markdown).find("| one of bits | "), std::string::npos);
}

TEST(Table, InCsvHasTheNumbersInFull) {
  EXPECT_EQ(render(some_table(), TableFormat::csv),
            "name,\"cycles, all\",\"cycles, all half width\"\n"
            "a|b,12.25,0.5\n"
            "\"x\ny\",failed,\n");
}

TEST(Table, InJsonHasTheNumbersInFull) {
  EXPECT_EQ(nlohmann::json::parse(render(some_table(), TableFormat::json)),
            nlohmann::json::parse(R"({"rows":[
              {"name":"a|b","cycles, all":{"value":12.25,"half_width":0.5}},
              {"name":"x\ny","cycles, all":"failed"}],"notes":["A note."]})"));
}

TEST(Table, OfSentencesShowsThemToReadersAndItsRowsToPrograms) {
  Table table = some_table();
  table.sentences_only = true;
  EXPECT_EQ(render(table, TableFormat::markdown), "A note.\n");
  EXPECT_EQ(render(table, TableFormat::text), "A note.\n");
  EXPECT_EQ(render(table, TableFormat::csv), render(some_table(), TableFormat::csv));
}

TEST(Table, InHtmlIsEscaped) {
  const Table table{{{"a < b"}, {"n", true}}, {{"x & \"y\"", 3}}, {"see <there>"}, false};
  EXPECT_EQ(render(table, TableFormat::html),
            "<table>\n"
            "<tr><th>a &lt; b</th><th style=\"text-align: right\">n</th></tr>\n"
            "<tr><td>x &amp; \"y\"</td><td style=\"text-align: right\">3</td></tr>\n"
            "</table>\n"
            "<p>see &lt;there&gt;</p>\n");
}

TEST(Table, InPlainTextALongCellMayStandAlone) {
  const Table table{
      {{"where", false, 5}, {"n", true}}, {{"a b", 1}, {"a b c", 2}, {"abcdef", 34}}, {}};
  EXPECT_EQ(render(table, TableFormat::text),
            "where    n\n"
            "a b      1\n"
            "a b c    2\n"
            "abcdef\n"
            "        34\n");
}

TEST(CsvField, IsQuotedWhenItMustBe) {
  EXPECT_EQ(csv_field("ring/a"), "ring/a");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(TableFormat, OfAnUnknownWord) {
  EXPECT_EQ(base::table_format("csv").value(), TableFormat::csv);
  EXPECT_EQ(base::table_format("markdwon").error().text(),
            "usage: --format markdwon: no such format (did you mean 'markdown'?)");
}

}  // namespace
}  // namespace phasebit::test
