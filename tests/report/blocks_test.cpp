#include "analysis/report/blocks.h"

#include "analysis/report/page_table.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::differing_blocks;
using report::update_blocks;

namespace {

// The results and tables of these tests; the database is made once.
report::TableSource some_data() {
  static TestTables tables =
      TestTables::of({steady("ring/a", 50), failed_point("ring/b", Step::launch, "killed")});
  return tables.source();
}

constexpr const char* stale =
    "# Title\n"
    "\n"
    "It takes <!-- phasebit:figure variant=ring/a field=cycles -->12.3<!-- /phasebit --> cycles, "
    "<!-- phasebit:figure variant=ring/a field=rounds -->?<!-- /phasebit --> rounds.\n"
    "<!-- phasebit:errors -->\n"
    "old\n"
    "lines\n"
    "<!-- /phasebit -->\n"
    "```\n"
    "<!-- phasebit:errors -->\n"
    "```\n"
    "The end, <!-- a comment --> without a line feed";

constexpr const char* fresh =
    "# Title\n"
    "\n"
    "It takes <!-- phasebit:figure variant=ring/a field=cycles -->50.00<!-- /phasebit --> cycles, "
    "<!-- phasebit:figure variant=ring/a field=rounds -->7<!-- /phasebit --> rounds.\n"
    "<!-- phasebit:errors -->\n"
    "\n"
    "| variant | why it has no figure |\n"
    "|---------|----------------------|\n"
    "| ring/b  | launch: killed       |\n"
    "\n"
    "<!-- /phasebit -->\n"
    "```\n"
    "<!-- phasebit:errors -->\n"
    "```\n"
    "The end, <!-- a comment --> without a line feed";

TEST(Blocks, AreMadeAnewAndNothingElseChanges) {
  EXPECT_EQ(update_blocks(stale, "a.md", some_data()).value(), fresh);
  EXPECT_EQ(update_blocks(fresh, "a.md", some_data()).value(), fresh);
  EXPECT_EQ(update_blocks("", "a.md", some_data()).value(), "");
}

// 4 in a row take 100 +- 1 cycles, 8 take 180 +- 0: 20 +- 0.25; and 40 +- 0.
TEST(Blocks, ARangeStandsBeforeItsTable) {
  std::vector<results::PointRow> rows;
  const std::string arrive = "form/none/none/none/form=mbarrier.arrive#";
  rows = {
      measured(arrive + "001/path=pending", 100), steady(arrive + "001/path=pending/unroll=8", 180),
      steady(arrive + "016/path=pending", 180), steady(arrive + "016/path=pending/unroll=8", 340)};
  for (size_t n = 0; n < rows.size(); ++n) rows[n].text_hash = std::to_string(n);
  TestTables tables = TestTables::of(rows);
  const auto made = [&](const std::string& block) {
    return update_blocks("<!-- phasebit:" + block + " -->\n<!-- /phasebit -->\n", "a.md",
                         tables.source());
  };
  EXPECT_EQ(made("range of=forms").value(),
            "<!-- phasebit:range of=forms -->\n\n**20.0 to 40.00** cycles isolated.\n\n"
            "<!-- /phasebit -->\n");
  EXPECT_EQ(made("range of=frms").error().text(),
            "spec: a.md:1: block 'range': no table 'frms' (did you mean 'forms'?)");
  EXPECT_EQ(made("range of=errors").error().text(),
            "spec: a.md:1: block 'range': the table has no figures");
  const auto whole = made("forms").value(), bare = made("forms legend=off").value();
  EXPECT_NE(whole.find("Cycles of one operation"), std::string::npos);
  EXPECT_EQ(bare.find("Cycles of one operation"), std::string::npos);
  EXPECT_EQ(made("forms legend=no").error().text(),
            "spec: a.md:1: legend=no: legend=off leaves it out");
}

// A page has room for few rows and columns; what it leaves out it says.
TEST(Blocks, APageShowsFewRowsAndFlagsAsLetters) {
  base::Table table;
  table.columns = {{"at", false}, {"SASS class", false}, {"flags", false}};
  table.rows = {{"1", "aa", "modes: 4 stages; not_linear:wake:9.5,1.0; moved by padding (1.50)"},
                {"2", "bb", ""},
                {"3", "cc", "moved by padding (4.25)"}};
  const auto page = report::page_table(table, {2, {"SASS_class"}, "phasebit report --table x"});
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(base::render(*page, base::TableFormat::csv), "at,flags\n1,a b c\n2,\n");
  EXPECT_EQ(page->notes,
            (std::vector<std::string>{
                "2 of 3 rows; all: `phasebit report --table x`.",
                "Flags: a: modes; b: not_linear:wake; c: moved by padding (at most 1.50)."}));
  EXPECT_EQ(report::page_table(table, {})->notes.front(),
            "Flags: a: modes; b: not_linear:wake; c: moved by padding (at most 4.25).");
  EXPECT_EQ(report::page_table(table, {0, {"SASS_clas"}, ""}).error().text(),
            "usage: hide=SASS_clas: the table has no such column (did you mean 'SASS_class'?)");
  const auto block = update_blocks("<!-- phasebit:errors first=none -->\n<!-- /phasebit -->\n",
                                   "a.md", some_data());
  EXPECT_EQ(block.error().text(), "spec: a.md:1: first=none: a number of rows");
}

TEST(Blocks, ThatDifferAreNamedWithTheirFirstDifference) {
  EXPECT_TRUE(differing_blocks(fresh, "a.md", some_data())->empty());
  const auto differences = differing_blocks(stale, "a.md", some_data()).value();
  ASSERT_EQ(differences.size(), 3U);
  EXPECT_EQ(differences[0].line, 3);
  EXPECT_EQ(differences[0].block, "figure variant=ring/a field=cycles");
  EXPECT_EQ(differences[0].found, "12.3");
  EXPECT_EQ(differences[0].expected, "50.00");
  EXPECT_EQ(differences[1].line, 3);
  EXPECT_EQ(differences[2].line, 4);
  EXPECT_EQ(differences[2].block, "errors");
  EXPECT_EQ(differences[2].found, "old");
  EXPECT_EQ(differences[2].expected, "");
}

TEST(Blocks, ADigitThatIsEditedIsFound) {
  std::string edited = fresh;
  edited.replace(edited.find("launch: killed"), 1, "L");
  const auto differences = differing_blocks(edited, "a.md", some_data()).value();
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].found, "| ring/b  | Launch: killed       |");
}

TEST(Blocks, AreCountedInLinesAfterABlock) {
  const std::string text = std::string(fresh) + "\n<!-- phasebit:eror -->\n<!-- /phasebit -->\n";
  EXPECT_EQ(update_blocks(text, "a.md", some_data()).error().text(),
            "spec: a.md:15: block 'eror': no table 'eror' (did you mean 'errors'?)");
}

struct ErrorRow {
  const char* text;
  const char* error;
};

TEST(Blocks, ThatAreWrongNameFileLineAndTheNearestWord) {
  const ErrorRow rows[] = {
      {"a\n<!-- phasebit:errors -->\nx\n", "a.md:2: block 'errors' is not closed"},
      {"<!-- phasebit:errors -->\n<!-- phasebit:aa -->\n<!-- /phasebit -->\n",
       "a.md:1: block 'errors' is not closed"},
      {"a\nb <!-- /phasebit -->\n", "a.md:2: a block is closed that is not open"},
      {"<!-- /phasebit --> <!-- phasebit:errors -->\n<!-- /phasebit -->\n",
       "a.md:1: a block is closed that is not open"},
      {"<!-- phasebit:errors\n-->\n<!-- /phasebit -->\n",
       "a.md:1: a marker does not end on its line"},
      {"<!-- phasebit: -->\n<!-- /phasebit -->\n", "a.md:1: a block without a name"},
      {"<!-- phasebit:errors all -->\n<!-- /phasebit -->\n",
       "a.md:1: 'all' is not an argument (NAME=VALUE)"},
      {"<!-- phasebit:errors --><!-- /phasebit -->\n",
       "a.md:1: block 'errors' ends on its own line: write its end below it"},
      {"<!-- phasebit:figure field=date -->\n<!-- /phasebit -->\n",
       "a.md:1: write a figure within a line"},
      {"x <!-- phasebit:figure field=dat -->1<!-- /phasebit -->\n",
       "a.md:1: block 'figure': no field 'dat' (did you mean 'date'?)"},
      {"x <!-- phasebit:figure variant=ring/b field=cycles -->1<!-- /phasebit -->\n",
       "a.md:1: block 'figure': ring/b has no figure: launch: killed"},
  };
  for (const ErrorRow& row : rows) {
    const auto made = update_blocks(row.text, "a.md", some_data());
    ASSERT_FALSE(made) << row.error;
    EXPECT_EQ(made.error().text(), std::string("spec: ") + row.error);
  }
}

// Of a file next to the document; no other result is asked.
TEST(Blocks, MayHaveResultsOfTheirOwn) {
  const auto made =
      update_blocks("<!-- phasebit:errors results=none.csv.zst -->\n<!-- /phasebit -->\n",
                    "folder/a.md", some_data());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text(),
            "spec: folder/a.md:1: block 'errors': cannot read folder/none.csv.zst: No such file or "
            "directory");
}

// A caller that has more than results makes the block; what it takes may not be installed.
TEST(Blocks, MayBeMadeElsewhere) {
  std::string noted;
  report::MoreTables more;
  more.by_block["other"] =
      [](const report::TableSource&,
         const report::data::TableArguments& arguments) -> Result<base::Table> {
    if (!arguments.empty()) return fail(Step::toolchain, "no LLVM");
    base::Table table;
    table.columns = {{"a", false}};
    table.rows = {{"b"}};
    return table;
  };
  more.note = [&](const std::string& what) { noted = what; };
  const auto made = [&](const std::string& text) {
    return update_blocks(text, "a.md", some_data(), {}, more).value();
  };
  EXPECT_EQ(made("<!-- phasebit:other -->\nold\n<!-- /phasebit -->\n"),
            "<!-- phasebit:other -->\n\n| a   |\n|-----|\n| b   |\n\n<!-- /phasebit -->\n");
  const std::string kept = "<!-- phasebit:other x=y -->\nold\n<!-- /phasebit -->\n";
  EXPECT_EQ(made(kept), kept);
  EXPECT_EQ(noted, "a.md:1: block 'other': no LLVM");
}

TEST(Blocks, AClaimIsItsSentence) {
  const report::claims::ClaimSentences claims = [](const std::string& name) -> Result<std::string> {
    if (name == "short") return "Short.";
    if (name == "false") return with_hint(fail(Step::store, "1 of 2 rows refute it"), "look");
    return std::string(118, 'a') + " next line";
  };
  const auto made = [&](const std::string& text) {
    return update_blocks(text, "a.md", some_data(), claims);
  };
  EXPECT_EQ(made("So: <!-- phasebit:claim short -->old<!-- /phasebit --> End.\n").value(),
            "So: <!-- phasebit:claim short -->Short. (claim `short`)<!-- /phasebit --> End.\n");
  EXPECT_EQ(made("<!-- phasebit:claim long short -->\n<!-- /phasebit -->\n").value(),
            "<!-- phasebit:claim long short -->\n" + std::string(118, 'a') +
                "\nnext line Short. (claims `long`, `short`)\n<!-- /phasebit -->\n");
  // In an item of a list.
  EXPECT_EQ(made("* Look:\n  <!-- phasebit:claim long -->\n  <!-- /phasebit -->\n").value(),
            "* Look:\n  <!-- phasebit:claim long -->\n  " + std::string(118, 'a') +
                "\n  next line (claim `long`)\n  <!-- /phasebit -->\n");
  EXPECT_EQ(made("<!-- phasebit:claim false -->\n<!-- /phasebit -->\n").error().text(),
            "spec: a.md:1: block 'claim': 1 of 2 rows refute it (look)");
  EXPECT_EQ(made("<!-- phasebit:claim -->\n<!-- /phasebit -->\n").error().text(),
            "spec: a.md:1: a block 'claim' names no claim");
  EXPECT_EQ(update_blocks("<!-- phasebit:claim a -->\n<!-- /phasebit -->\n", "a.md", some_data())
                .error()
                .text(),
            "spec: a.md:1: there are no claims at hand");
  EXPECT_TRUE(report::names_claims("<!-- phasebit:claim short -->"));
  EXPECT_FALSE(report::names_claims("<!-- phasebit:core -->"));
}

}  // namespace
}  // namespace phasebit::test
