#include "analysis/listing/page.h"

#include "analysis/compare/diff_report.h"
#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::sass_test {
namespace {

PageCode code(const std::vector<std::string>& lines, const std::string& hash) {
  Handmade made = handmade(lines);
  made.kernel.text_hash = hash;
  return {DiffSide{"v", 90, std::move(made.kernel), std::move(made.source), {}}, nullptr};
}

// Two columns of one code and one of another, and a cell without code.
Page small_page() {
  Page page;
  page.made_with = "ptxas </script>";
  page.variants = {"v"};
  page.codes = {code({"a.wait| MOV R1,R2", "a.wait| BAR.SYNC 1", "| EXIT"}, "0123456789abcdef"),
                code({"a.wait| MOV R1,R3", "a.wait| BAR.SYNC 1", "| EXIT"}, "fedcba9876543210")};
  page.views = {{"architectures",
                 {"sm_80", "sm_90", "sm_90a", "sm_100"},
                 1,
                 {{{"needs sm_90, the target is sm_80", -1}, {"", 0}, {"", 0}, {"", 1}}}}};
  return page;
}

TEST(Page, RunLengths) {
  EXPECT_EQ(run_lengths(""), "");
  EXPECT_EQ(run_lengths("="), "=");
  EXPECT_EQ(run_lengths("===s<<>="), "3=s2<>=");
  EXPECT_EQ(run_lengths(std::string(120, 'x')), "120x");
}

TEST(Page, EachThingOnce) {
  const Page page = small_page();
  const auto text = page_data(page, 2);
  ASSERT_TRUE(text) << text.error().text();
  const auto data = nlohmann::json::parse(*text);
  EXPECT_EQ(data["views"][0]["cells"], nlohmann::json::parse("[[-1, 0, 0, 1]]"));
  EXPECT_EQ(data["problems"][0], "needs sm_90, the target is sm_80");
  // MOV R1,R2; MOV R1,R3; and what both have.
  EXPECT_EQ(data["texts"],
            nlohmann::json::parse(R"(["MOV R1,R2", "BAR.SYNC 1", "EXIT", "MOV R1,R3"])"));
  EXPECT_EQ(data["listings"], nlohmann::json::parse(R"(["0,1,2", "3,1,2"])"));
  EXPECT_EQ(data["codes"][1]["hash"], "fedcba987654");
  // Both directions of the one pair: the first row differs in an operand.
  EXPECT_EQ(data["diffs"], nlohmann::json::parse(R"([[0, 1, "o2="], [1, 0, "o2="]])"));
}

TEST(Page, NothingIsTheSameAsNothing) {
  Page page = small_page();
  page.codes[1].side.kernel.instructions.clear();
  const auto text = page_data(page, 1);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().text(),
            "disassemble: v: no instruction in it, so there is nothing to compare");
}

// One file: nothing is loaded, and no text of the data ends its script.
TEST(Page, OneFile) {
  const auto html = page_as_html(small_page(), 1);
  ASSERT_TRUE(html) << html.error().text();
  for (const char* mark : {"/* style */", "/* script */", "http:", "https:", " src="})
    EXPECT_EQ(html->find(mark), std::string::npos) << mark;
  EXPECT_NE(html->find(R"("made_with":"ptxas <\/script>")"), std::string::npos);
}

}  // namespace
}  // namespace phasebit::sass_test
